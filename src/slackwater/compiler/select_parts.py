"""One SELECT as a value, and what can be said in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.algebra.operators import Aggregate, Filter, Project, Scan
from slackwater.expr.facts import referenced_columns
from slackwater.expr.nodes import AggregateCall, ColumnId, ColumnRef, walk

FRAME_COLUMN = re.compile(r"[abd-z]\d+|_[a-z]+")
"""Names of columns of frames: k0, s1, _w; never c1, which is a column by its id."""

Texts = Mapping[ColumnId, str]
"""The text of each column in the expressions of a SELECT."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The text of a condition, and whether computing it may fail."""

    text: str
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT. `columns` are what it offers; `items` what it lists, once that is settled."""

    source: str
    columns: Texts
    tables: int = 1
    """The number of tables in its FROM; each of several has an alias before its columns."""
    foreign: bool = False
    """True if its table is a user's, in which a column may be called c1."""
    where: tuple[Condition, ...] = ()
    items: tuple[tuple[ColumnId, str], ...] | None = None
    distinct: bool = False
    group: tuple[str, ...] = ()
    aggregated: bool = False
    having: tuple[Condition, ...] = ()
    failing: frozenset[ColumnId] = frozenset()
    """Columns that are computed in a subquery and may fail there."""
    order: str = ""
    limit: str = ""

    @property
    def is_open(self) -> bool:
        """Tell if rows are still those of FROM and WHERE."""
        return self.items is None and not self.order and not self.limit


def is_named_by_id(select: Select) -> bool:
    """Tell if what it offers is called by ids, as ORDER BY may have to."""
    return all(text.endswith(f"c{each}") for each, text in select.columns.items())


def keeps_all(rel: Project) -> bool:
    """Tell if every column of the input is still there, so that rows stay different."""
    kept = {output.expr.id for output in rel.outputs if isinstance(output.expr, ColumnRef)}
    return kept == {column.id for column in rel.input.columns}


def is_foreign(rel: Scan) -> bool:
    """Tell if a table is a user's: its columns may have any name."""
    return not all(FRAME_COLUMN.fullmatch(column.name) for column in rel.columns)


def is_about_groups(rel: Filter, select: Select) -> bool:
    """Tell if a condition can be HAVING: it reads aggregates only, whose text has no alias."""
    if not isinstance(rel.input, Aggregate) or not select.aggregated:
        return False
    keys = {key.column.id for key in rel.input.keys}
    return not keys & referenced_columns(rel.condition)


def finishes_groups(rel: Project, select: Select) -> bool:
    """Tell if expressions over aggregates can be listed as they are, none of them twice."""
    if not isinstance(rel.input, Aggregate) or not select.aggregated:
        return False
    read = Counter(
        node.id
        for output in rel.outputs
        for node in walk(output.expr)
        if isinstance(node, ColumnRef)
    )
    times = [read[output.column.id] for output in rel.input.aggregates]
    # Without a key it is an aggregate in the list that makes a SELECT one of a group.
    return max(times, default=0) <= 1 and bool(rel.input.keys or any(times))


def is_single_value(rel: Aggregate) -> bool:
    """Tell if a grouping gives the value of the only row there is."""
    return any(
        isinstance(output.expr, AggregateCall) and output.expr.function == "single_value"
        for output in rel.aggregates
    )
