"""Makes a home follow its project: creates what is new, and refuses what has changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.api import Goal, Session
from slackwater.cli.project_sources import declared_schema
from slackwater.engine.declare import NewSource, NewView
from slackwater.errors import CatalogError
from slackwater.project.records import Project, SourceDeclaration, ViewFile
from slackwater.project.sql_tokens import tokenize

_REPLACE = "Run `slackwater refresh --replace` to build it anew, with the views that read it"


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done to the home, by name.

    `left` are views that the project no longer has, `left_sources` its former sources: their rows
    may be the only copy, so that nothing drops them.
    """

    sources: tuple[str, ...]
    views: tuple[str, ...]
    dropped: tuple[str, ...]
    left: tuple[str, ...]
    left_sources: tuple[str, ...] = ()


def apply_project(session: Session, project: Project, *, replace: bool) -> Applied:
    """Create the sources and views that the home lacks, all in one commit.

    With `replace`, views that have changed are built anew, with all that read them, and views
    that the project no longer has are dropped; without it, a changed view is refused. If one
    definition cannot be, nothing is changed.
    """
    existing = set(session.sources())
    for source in project.sources:
        if source.name in existing:
            _check_source(session, source)
    stale = _stale_views(session, project)
    gone = tuple(name for name in session.views() if name not in {v.name for v in project.views})
    if not replace:
        _refuse_stale(session, project, stale)
    dropped = session.with_readers({*stale, *gone}) if replace else ()
    sources = tuple(each for each in project.sources if each.name not in existing)
    kept = set(session.views()) - set(dropped)
    views = tuple(view for view in project.views if view.name not in kept)
    if dropped or sources or views:
        session.declare(
            [_new_source(session, each) for each in sources], [*map(_new_view, views)], dropped
        )
    left = () if replace else gone
    former = tuple(name for name in session.sources() if name not in _names(project.sources))
    return Applied(_names(sources), _names(views), dropped, left, former)


def _names(things: Iterable[SourceDeclaration | ViewFile]) -> tuple[str, ...]:
    return tuple(each.name for each in things)


# Sources ------------------------------------------------------------------------------------


def _new_source(session: Session, source: SourceDeclaration) -> NewSource:
    return NewSource(
        source.name,
        declared_schema(session, source),
        key=source.key,
        append_only=source.append_only,
        on_missing=source.on_missing,
    )


def _check_source(session: Session, source: SourceDeclaration) -> None:
    """A source cannot change: its rows were taken in as it was declared then."""
    held = session.source(source.name).definition
    differences = [
        name
        for name, declared, found in (
            ("key", _lower(source.key), _lower(held.key)),
            ("append_only", source.append_only, held.append_only),
            ("on_missing", source.on_missing, held.on_missing),
        )
        if declared != found
    ]
    if source.schema is not None and declared_schema(session, source) != held.schema:
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


def _changes(session: Session, view: ViewFile) -> list[str]:
    """What the home has otherwise than the project; blanks and comments do not count."""
    held = session.view(view.name).definition
    pairs = (
        ("query", _words(view.sql), _words(held.sql or "")),
        ("goal", view_goal(view), held.goal),
        ("refresh", view.properties.get("slackwater.refresh", "auto"), held.policy.value),
        ("scope", view.properties.get("slackwater.scope", "all"), held.scope),
    )
    return [name for name, declared, found in pairs if declared != found]


def _words(sql: str) -> list[str]:
    return [token.text for token in tokenize(sql)]


def _stale_views(session: Session, project: Project) -> tuple[str, ...]:
    existing = set(session.views())
    return tuple(
        view.name for view in project.views if view.name in existing and _changes(session, view)
    )


def _refuse_stale(session: Session, project: Project, stale: tuple[str, ...]) -> None:
    for view in project.views:
        if view.name in stale:
            what = " and ".join(_changes(session, view))
            raise CatalogError(
                f"view {view.name} exists already, and its {what} changed",
                where=view.place,
                hint=f"{_REPLACE}, or give the new one another name.",
            )
