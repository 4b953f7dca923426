"""The plans by which views are kept: stored ones while they hold, new ones where facts changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.reads import read_names
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import RefreshPolicy, ViewDefinition
from slackwater.compiler.tasks import Action
from slackwater.errors import InvariantError
from slackwater.optimizer.choose import choose_plan
from slackwater.plan.facts import Facts
from slackwater.plan.stored_plans import dump_view_plan
from slackwater.plan.view_plan import ViewPlan
from slackwater.planning.large_windows import windows_of
from slackwater.planning.name_printer import NamePrinter


@dataclass(frozen=True, slots=True)
class Replanning:
    """The reason why a view's plan was replaced, and the operators that are kept otherwise."""

    why: str
    operators: tuple[str, ...]

    def __str__(self) -> str:
        """For the history."""
        return "; ".join((self.why, *self.operators))


class Plans:
    """The plan of every view of a home, under what is known now."""

    def __init__(self, catalog: Catalog, facts: Facts):
        """Take the stored plans that hold, and plan the other views."""
        self._facts = facts
        self._others: dict[tuple[str, Action], tuple[ViewPlan, str]] = {}
        """Plans that a view would have if its next run did something else with it, and texts."""
        self._plans: dict[str, ViewPlan] = {}
        self._texts: dict[str, str] = {}
        self.new: dict[str, str] = {}
        """Plans that are not stored yet, as the catalog is to have them."""
        self.replanned: dict[str, Replanning] = {}
        for view in catalog.views.values():
            self._add(view, catalog, facts)

    def __getitem__(self, view: str) -> ViewPlan:
        """The plan of a view."""
        return self._plans[view]

    def after(self, view: ViewDefinition, action: Action) -> tuple[ViewPlan, str]:
        """The plan of a view once a run has treated it so, and its text for the catalog.

        A view that is computed anew keeps nothing but its answer; one that was, and starts
        over, keeps all its state again.
        """
        plan = self._plans[view.name]
        if action is Action.RECOMPUTE and not plan.answer_only:
            return self._other(view.name, action, plan.without_state)
        if action is Action.REBUILD and plan.by_price:
            return self._other(
                view.name,
                action,
                lambda: replace(make_plan(view, self._facts), answer=plan.answer),
            )
        return plan, self._texts[view.name]

    def _other(
        self, view: str, action: Action, make: Callable[[], ViewPlan]
    ) -> tuple[ViewPlan, str]:
        if (view, action) not in self._others:
            plan = make()
            self._others[view, action] = plan, dump_view_plan(plan)
        return self._others[view, action]

    def adopt(self, view: ViewDefinition, action: Action, why: str) -> None:
        """Keep a view from now on by the plan that goes with an action."""
        plan, text = self.after(view, action)
        if text == self._texts[view.name]:
            return
        self._plans[view.name] = plan
        self._texts[view.name] = self.new[view.name] = text
        how = "nothing but its answer is kept" if plan.answer_only else "its state is kept again"
        self.replanned[view.name] = Replanning(why, (how,))

    def _add(self, view: ViewDefinition, catalog: Catalog, facts: Facts) -> None:
        known = catalog.stored_plan(view.name)
        if known is not None and known.facts == relevant(view, facts):
            self._plans[view.name] = known
            self._texts[view.name] = catalog.state.plans[view.name]
            return
        plan = make_plan(view, facts)
        if known is not None:
            plan = replace(plan, answer=known.answer)
        _require_same_answer(view.name, plan, catalog)
        self._plans[view.name] = plan
        self._texts[view.name] = self.new[view.name] = dump_view_plan(plan)
        moved = () if known is None else tuple(_moved(known, plan))
        if known is not None and moved:
            why = _changed_fact(known.facts, plan.facts)
            self.replanned[view.name] = Replanning(why, moved)


def _require_same_answer(view: str, plan: ViewPlan, catalog: Catalog) -> None:
    """Refuse a plan whose answer is in another arrangement than the catalog says."""
    if plan.answer.id != catalog.answer(view):
        raise InvariantError(
            f"the answer of view {view} is kept as {catalog.answer(view)}, not {plan.answer.id}"
        )


def relevant(view: ViewDefinition, facts: Facts) -> Facts:
    """The facts that decide how a view is kept."""
    windows = frozenset(map(fingerprint, windows_of(view.stored)))
    return facts.about(read_names(view.plan), windows)


def make_plan(view: ViewDefinition, facts: Facts) -> ViewPlan:
    """The plan of a view under some facts."""
    return choose_plan(
        view.stored,
        view.read,
        relevant(view, facts),
        recomputed=view.policy is RefreshPolicy.FULL,
    )


def _changed_fact(before: Facts, after: Facts) -> str:
    if before.sums_fit and not after.sums_fit:
        return "a sum does not fit its type"
    lost = sorted(before.append_only - after.append_only)
    if lost:
        return f"a source is no longer append-only: {', '.join(lost)}"
    if before.large_windows != after.large_windows:
        return "partitions of a window have become large, or much larger"
    return "settings or sources are others than when the view was planned"


def _moved(before: ViewPlan, after: ViewPlan) -> Iterator[str]:
    """The operators that are kept otherwise; both plans are about the same relations."""
    pairs = zip(before.root.walk(), after.root.walk(), strict=True)
    for old, new in pairs:
        if (old.method, old.chosen.shift) == (new.method, new.chosen.shift):
            continue
        what = NamePrinter(after.root.rel).describe(new.rel)
        if old.method != new.method:
            yield f"{what} by {new.method} instead of {old.method}"
        else:
            yield f"{what} by order buckets of another width"
