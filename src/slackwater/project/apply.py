"""Makes a home follow its project: creates what is new, and refuses what has changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.goals import Goal
from slackwater.engine.keeper import Keeper
from slackwater.errors import CatalogError
from slackwater.planning.declare import NewSource, NewView
from slackwater.planning.views import with_readers
from slackwater.project.project_files import ProjectFiles, SourceDeclaration, ViewFile
from slackwater.project.sql_tokens import tokenize

_REPLACE = "Run `slackwater refresh --replace` to build it anew, with the views that read it"


@dataclass(frozen=True, slots=True)
class Applied:
    """The changes made to the home, by name.

    `left` are views that the project no longer has, `left_sources` its former sources: their rows
    may be the only copy, so that nothing drops them.
    """

    sources: tuple[str, ...]
    views: tuple[str, ...]
    dropped: tuple[str, ...]
    left: tuple[str, ...]
    left_sources: tuple[str, ...] = ()


def apply_project(keeper: Keeper, project: ProjectFiles, *, replace: bool) -> Applied:
    """Create the sources and views that the home lacks, all in one commit.

    With `replace`, views that have changed are built anew, with all that read them, and views
    that the project no longer has are dropped; without it, a changed view is refused. If one
    definition cannot be, nothing is changed.
    """
    catalog, spark = keeper.catalog(), keeper.spark
    for source in project.sources:
        if source.name in catalog.sources:
            _check_source(catalog, spark, source)
    stale = _stale_views(catalog, project)
    gone = tuple(name for name in catalog.views if name not in _names(project.views))
    if not replace:
        _refuse_stale(catalog, project, stale)
    dropped = with_readers(catalog, {*stale, *gone}) if replace else ()
    sources = tuple(each for each in project.sources if each.name not in catalog.sources)
    kept = set(catalog.views) - set(dropped)
    views = tuple(view for view in project.views if view.name not in kept)
    if dropped or sources or views:
        made = tuple(_new_source(spark, each) for each in sources)
        keeper.declare(made, tuple(map(_new_view, views)), dropped)
    left = () if replace else gone
    former = tuple(name for name in catalog.sources if name not in _names(project.sources))
    return Applied(_names(sources), _names(views), dropped, left, former)


def _names(things: Iterable[SourceDeclaration | ViewFile]) -> tuple[str, ...]:
    return tuple(each.name for each in things)


# Sources ------------------------------------------------------------------------------------


def _new_source(spark: SparkSession, source: SourceDeclaration) -> NewSource:
    return NewSource(
        source.name,
        _declared_schema(spark, source),
        key=source.key,
        append_only=source.append_only,
        on_missing=source.on_missing,
    )


def _declared_schema(spark: SparkSession, source: SourceDeclaration) -> StructType:
    """The columns a source declares; those of what its connector finds where it declares none."""
    if source.schema is None:
        return _found_schema(spark, source)
    try:
        return cast("StructType", StructType.fromDDL(source.schema))
    except PySparkException as problem:
        reason = problem.getMessage() or ""
        raise CatalogError(
            f"the schema of source {source.name} is not DDL: {reason.strip().splitlines()[0]}",
            where=source.place,
            hint="Write it as `id BIGINT NOT NULL, name STRING`.",
        ) from None


def _found_schema(spark: SparkSession, source: SourceDeclaration) -> StructType:
    found = None if source.connector is None else source.connector.schema(spark)
    if found is None:
        raise CatalogError(
            f"source {source.name} declares no schema, and there is nothing to take it from",
            where=source.place,
            hint="Declare a schema, or put the first rows where the source watches for them.",
        )
    return found


def _check_source(catalog: Catalog, spark: SparkSession, source: SourceDeclaration) -> None:
    """A source cannot change: its rows were taken in as it was declared then."""
    held = catalog.source(source.name)
    differences = [
        name
        for name, declared, found in (
            ("key", _lower(source.key), _lower(held.key)),
            ("append_only", source.append_only, held.append_only),
            ("on_missing", source.on_missing, held.on_missing),
        )
        if declared != found
    ]
    if source.schema is not None:
        known = StructType.fromJson(json.loads(held.spark_schema))
        if _declared_schema(spark, source) != known:
            differences.insert(0, "schema")
    if differences:
        raise CatalogError(
            f"source {source.name} has rows already, and its {' and '.join(differences)} changed",
            where=source.place,
            hint="Take the change back, declare the source under another name, or remove the "
            "project's storage to start over.",
        )


def _lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


# Views --------------------------------------------------------------------------------------


def _new_view(view: ViewFile) -> NewView:
    options = view.properties
    return NewView(
        view.name,
        view.sql,
        goal=view_goal(view),
        refresh=options.get("slackwater.refresh", "auto"),
        scope=options.get("slackwater.scope", "all"),
    )


def view_goal(view: ViewFile) -> Goal | None:
    """The goal that a view's properties state."""
    options = view.properties
    if "slackwater.slack" in options:
        return Goal(slack=options["slackwater.slack"])
    if "slackwater.final_work" in options:
        return Goal(final_work=float(options["slackwater.final_work"]))
    return Goal(fresh=True) if "slackwater.fresh" in options else None


def _changes(catalog: Catalog, view: ViewFile) -> list[str]:
    """The parts in which a view of the home differs from the project's; blanks do not count."""
    held = catalog.view(view.name)
    pairs = (
        ("query", _words(view.sql), _words(held.sql or "")),
        ("goal", view_goal(view), held.goal),
        ("refresh", view.properties.get("slackwater.refresh", "auto"), held.policy.value),
        ("scope", view.properties.get("slackwater.scope", "all"), held.scope),
    )
    return [name for name, declared, found in pairs if declared != found]


def _words(sql: str) -> list[str]:
    return [token.text for token in tokenize(sql)]


def _stale_views(catalog: Catalog, project: ProjectFiles) -> tuple[str, ...]:
    existing = catalog.views
    return tuple(
        view.name for view in project.views if view.name in existing and _changes(catalog, view)
    )


def _refuse_stale(catalog: Catalog, project: ProjectFiles, stale: tuple[str, ...]) -> None:
    for view in project.views:
        if view.name in stale:
            what = " and ".join(_changes(catalog, view))
            raise CatalogError(
                f"view {view.name} exists already, and its {what} changed",
                where=view.place,
                hint=f"{_REPLACE}, or give the new one another name.",
            )
