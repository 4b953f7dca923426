"""The catalog as it was at one commit: what exists, how it is kept, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.catalog.goals import Goal
from slackwater.catalog.logs import Logs
from slackwater.errors import CatalogError, DataError
from slackwater.plan.facts import Facts
from slackwater.plan.stored_plans import load_view_plan
from slackwater.plan.view_plan import ViewPlan
from slackwater.state.metadata.records import CatalogState, SegmentRecord
from slackwater.state.segments import SegmentFile

_ANSI = "spark.sql.ansi.enabled"


@lru_cache(maxsize=512)
def _load_definition(text: str) -> ViewDefinition:
    return ViewDefinition.load(text)


@lru_cache(maxsize=512)
def _load_view(text: str, goal: Goal | None) -> ViewDefinition:
    definition = _load_definition(text)
    return definition if goal is None else replace(definition, goal=goal)


@lru_cache(maxsize=512)
def _load_source(text: str) -> SourceDefinition:
    return SourceDefinition.load(text)


@lru_cache(maxsize=512)
def _load_plan(definition: str, text: str) -> ViewPlan | None:
    view = _load_definition(definition)
    try:
        return load_view_plan(text, view.stored, view.read)
    except DataError:
        return None


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that exists at one commit."""

    state: CatalogState

    @property
    def sources(self) -> dict[str, SourceDefinition]:
        """All sources by name."""
        return {n: _load_source(each.definition) for n, each in self.state.sources.items()}

    @property
    def views(self) -> dict[str, ViewDefinition]:
        """All views by name, in the order of their making: a view comes after those it reads."""
        ordered = sorted(self.state.views.values(), key=lambda each: each.created)
        return {each.name: self.view(each.name) for each in ordered}

    def source(self, name: str) -> SourceDefinition:
        """One source."""
        if name not in self.state.sources:
            raise _unknown("source", name, self.state.sources)
        return _load_source(self.state.sources[name].definition)

    def view(self, name: str) -> ViewDefinition:
        """One view."""
        if name not in self.state.views:
            raise _unknown("view", name, self.state.views)
        return _load_view(self.state.views[name].definition, self.goal(name))

    def goal(self, view: str) -> Goal | None:
        """The time by which a view's answer is needed; None if its user has not said so."""
        stated = self.state.goals.get(view)
        return None if stated is None else Goal(stated.slack, stated.final_work, stated.fresh)

    def stored_plan(self, name: str) -> ViewPlan | None:
        """The plan of a view; None if none is stored in a way that this version reads."""
        text = self.state.plans.get(name)
        return None if text is None else _load_plan(self.state.views[name].definition, text)

    def require_free(self, name: str) -> None:
        """Refuse a name that a source or view has."""
        taken = [n for n in (*self.state.sources, *self.state.views) if n.lower() == name.lower()]
        if taken:
            raise CatalogError(
                f"there is a source or view called {taken[0]} already",
                hint="Choose another name, or drop the existing one first.",
            )

    @property
    def logs(self) -> Logs:
        """The sources as logs, and the cursors of the views that read them."""
        return Logs(self.state.offsets, self.state.progress)

    @property
    def pinned(self) -> dict[str, str]:
        """The Spark settings that queries of this home run under."""
        return {name: plain_setting(value) for name, value in self.state.pinned.items()}

    @property
    def facts(self) -> Facts:
        """The facts that plans rely on: settings, and what is known of the sources."""
        grown = frozenset(
            name
            for name, source in self.sources.items()
            if source.append_only or name not in self.state.lossy
        )
        ansi = self.pinned.get(_ANSI) == "true"
        return Facts(ansi, grown, sums_fit=not self.state.sums_outgrown)

    @property
    def declared_facts(self) -> Facts:
        """The same for promises: a source may yet lose rows, unless its owner excludes it."""
        declared = (name for name, source in self.sources.items() if source.append_only)
        return replace(self.facts, append_only=frozenset(declared))

    def contents(self, source: str) -> str:
        """The id of the arrangement that holds a source's rows."""
        if source not in self.state.sources:
            raise _unknown("source", source, self.state.sources)
        return self.state.sources[source].arrangement

    def answer(self, view: str) -> str:
        """The id of the arrangement that holds a view's answer."""
        if view not in self.state.views:
            raise _unknown("view", view, self.state.views)
        return self.state.views[view].arrangement

    def segments(self, arrangement: str) -> tuple[SegmentRecord, ...]:
        """The live segments of an arrangement."""
        return self.state.segments.get(arrangement, ())

    def files(self, arrangement: str) -> tuple[SegmentFile, ...]:
        """The live files of an arrangement."""
        return self.state.files(arrangement)

    def rows(self, arrangement: str) -> int:
        """About how many rows an arrangement holds; weights are not looked at."""
        return sum(each.file.rows for each in self.segments(arrangement))

    def bytes(self, arrangement: str) -> int:
        """The size of an arrangement."""
        return sum(each.file.bytes for each in self.segments(arrangement))


def plain_setting(value: str) -> str:
    """A value as Spark itself would write it.

    >>> plain_setting("TRUE"), plain_setting("Europe/Berlin")
    ('true', 'Europe/Berlin')
    """
    return value.lower() if value.lower() in ("true", "false") else value


def _unknown(kind: str, name: str, known: Mapping[str, object]) -> CatalogError:
    names = ", ".join(sorted(known)) or "none yet"
    return CatalogError(f"there is no {kind} called {name}", hint=f"Known {kind}s: {names}.")
