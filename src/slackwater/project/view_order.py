"""Puts views in an order in which each comes after the views that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from slackwater.errors import CatalogError
from slackwater.project.project_files import ViewFile
from slackwater.project.sql_tokens import Kind, tokenize


def order_views(views: Sequence[ViewFile]) -> tuple[ViewFile, ...]:
    """The views, readers after what they read, else in the order given.

    Raises `CatalogError` for views that read each other in a circle.
    """
    by_name = {view.name.lower(): view for view in views}
    reads = {name: _reads(view, views) & by_name.keys() for name, view in by_name.items()}
    try:
        ordered = _stable_order(reads)
    except CycleError as problem:
        circle: list[str] = list(reversed(problem.args[1]))
        names = " -> ".join(by_name[name].name for name in circle)
        places = ", ".join(dict.fromkeys(by_name[name].place for name in circle))
        raise CatalogError(
            f"views read each other in a circle: {names}",
            where=places,
            hint="Move what they have in common into a view that reads none of them.",
        ) from None
    return tuple(by_name[name] for name in ordered)


def _stable_order(reads: Mapping[str, Iterable[str]]) -> list[str]:
    """Order views after those they read; of several that could come next, the first given does."""
    sorter = TopologicalSorter(reads)
    sorter.prepare()
    places = {name: at for at, name in enumerate(reads)}
    ready: list[str] = []
    ordered: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=places.__getitem__)
        ordered.append(ready.pop(0))
        sorter.done(ordered[-1])
    return ordered


def _reads(view: ViewFile, views: Sequence[ViewFile]) -> set[str]:
    """The lower-case names of the tables a view reads.

    SQL that sqlglot cannot parse may still be Spark's; the view then counts as reading those
    views defined before it whose names it mentions.
    """
    try:
        return tables_read(view.sql)
    except SqlglotError:
        before = {each.name.lower() for each in views[: list(views).index(view)]}
        words = {token.value.lower() for token in tokenize(view.sql) if token.kind in _IDENTIFIERS}
        return before & words


_IDENTIFIERS = (Kind.WORD, Kind.NAME)


def tables_read(sql: str) -> set[str]:
    """The lower-case names of the tables a query reads; what WITH defines is not one."""
    query = sqlglot.parse_one(sql, read="spark")
    if not isinstance(query, exp.Query):
        raise ParseError(f"sqlglot takes the query for {type(query).__name__}")
    return {
        source.name.lower()
        for scope in traverse_scope(query)
        for source in scope.sources.values()
        if isinstance(source, exp.Table)
    }
