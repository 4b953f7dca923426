"""A home as a run finds it: what is declared, how it is kept, and what waits to be taken in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from slackwater.algebra.reads import read_names
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import ViewDefinition
from slackwater.catalog.home import Home
from slackwater.catalog.lineage import base_sources, filled_state, is_behind
from slackwater.catalog.stored_files import Pending
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import ViewPlan
from slackwater.planning.large_windows import known_facts
from slackwater.planning.plans import Plans
from slackwater.running.decide import Decision, decide


def view_task(view: ViewDefinition, action: Action, plan: ViewPlan) -> ViewTask:
    """A view's part in a run."""
    return ViewTask(view.name, plan, view.columns, action)


@dataclass(frozen=True, slots=True)
class Situation:
    """The facts that a run starts from."""

    catalog: Catalog
    facts: Facts
    plans: Plans
    pending: Pending
    outdated: Mapping[str, str]
    """Views that start over, with the reason."""

    @staticmethod
    def of(home: Home, outdated: Mapping[str, str], *, sums_fit: bool) -> Situation:
        """The home as it is now; without `sums_fit` no sum is relied on that may not fit."""
        catalog = home.catalog()
        known = known_facts(home.folder, catalog)
        facts = replace(known, sums_fit=known.sums_fit and sums_fit)
        return Situation(catalog, facts, Plans(catalog, facts), Pending.of(catalog), outdated)

    def decisions(self) -> tuple[Decision, ...]:
        """The choice for every view, before prices are looked at."""
        return tuple(
            decide(
                view,
                self.catalog,
                self.plans,
                self.pending,
                outdated=self.outdated.get(view.name),
            )
            for view in self.catalog.views.values()
        )

    def is_behind(self) -> bool:
        """Tell if there are batches to take note of, even if they hold no rows."""
        return any(is_behind(view, self.catalog) for view in self.catalog.views.values())

    def relies_on_sums(self) -> bool:
        """Tell if a view keeps running sums that may not fit their type."""
        careful = Plans(self.catalog, replace(self.facts, sums_fit=False))
        return any(
            self.plans[name].arrangements != careful[name].arrangements
            for name in self.catalog.state.views
        )

    def changed_rows(self, view: ViewDefinition) -> int:
        """The rows that wait for a view."""
        return self.pending.over(base_sources(view, self.catalog))[1]

    def moved_rows(self, decisions: Iterable[Decision]) -> int:
        """Changed rows of the sources that are read; all their rows where a view starts over."""
        moved: dict[str, int] = {}
        for each in decisions:
            if each.action is Action.SKIP:
                continue
            incremental = each.action is Action.INCREMENTAL
            known = self.pending.changed if incremental else self.pending.rows
            for name in base_sources(each.view, self.catalog):
                moved[name] = max(moved.get(name, 0), known.get(name, 0))
        return sum(moved.values())

    def views_below(self, view: ViewDefinition) -> set[str]:
        """The views that a view reads, also through others."""
        found: set[str] = set()
        for name in read_names(view.plan):
            if name in self.catalog.state.views:
                found |= {name, *self.views_below(self.catalog.view(name))}
        return found

    def tasks(self, decisions: Iterable[Decision]) -> tuple[ViewTask, ...]:
        """The part of every view in the run."""
        return tuple(
            view_task(each.view, each.action, self._plan_after(each)) for each in decisions
        )

    def run_facts(self, decisions: Iterable[Decision]) -> RunFacts:
        """The facts that the program of the run is written for."""
        needed = self.needed(each for each in decisions if each.action is not Action.FILL)
        filled = needed & filled_state(self.catalog)
        return RunFacts(
            sources={name: source.columns for name, source in self.catalog.sources.items()},
            changed=frozenset(self._changed_sources()),
            stored={
                each: self.catalog.rows(each)
                for each in self.catalog.state.arrangements
                if each in filled
            },
        )

    def key(self, decisions: tuple[Decision, ...], run: RunFacts) -> tuple[object, ...]:
        """A key that is equal for two runs only if their programs are."""
        views, sources = self.catalog.state.views, self.catalog.state.sources
        return (
            tuple(
                (views[each.view.name].definition, self.plans.after(each.view, each.action)[1])
                for each in decisions
            ),
            tuple(each.action for each in decisions),
            tuple((name, each.definition) for name, each in sources.items()),
            (run.changed, frozenset(run.stored)),
        )

    def needed(self, decisions: Iterable[Decision]) -> set[str]:
        """The arrangements that are kept after the run: of sources, and of these views."""
        needed = {each.arrangement for each in self.catalog.state.sources.values()}
        for each in decisions:
            needed |= self.needed_by(each)
        return needed

    def needed_by(self, decision: Decision) -> set[str]:
        """The arrangements that are kept for a view after the run."""
        return set(self._plan_after(decision).arrangements)

    def kept_by_view(self, decisions: Iterable[Decision]) -> dict[str, frozenset[str]]:
        """The same for each view."""
        return {each.view.name: frozenset(self.needed_by(each)) for each in decisions}

    def _plan_after(self, decision: Decision) -> ViewPlan:
        return self.plans.after(decision.view, decision.action)[0]

    def _changed_sources(self) -> Iterator[str]:
        """Sources with pending rows, and those of which outdated views read all rows again."""
        yield from (name for name, rows in self.pending.changed.items() if rows)
        for name in self.outdated:
            yield from base_sources(self.catalog.view(name), self.catalog)
