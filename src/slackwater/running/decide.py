"""Decides, view by view, how a run brings it up to date, and keeps the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import RefreshPolicy, ViewDefinition
from slackwater.catalog.lineage import base_sources, filled_state, is_filled
from slackwater.catalog.stored_files import Pending
from slackwater.compiler.tasks import Action
from slackwater.optimizer.estimate import estimate_rows, estimate_state
from slackwater.plan.view_plan import ViewPlan
from slackwater.planning.plans import Plans
from slackwater.planning.views import operator_name


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to bring a view up to date: the rows it reads of sources, and about its price."""

    action: Action
    rows: int
    seconds: float | None = None
    """None if nothing was weighed."""
    engine: str = ""
    """The engine it would be done on, if it was weighed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The action for a view in a run, and the reason."""

    view: ViewDefinition
    action: Action
    reason: str
    candidates: tuple[Candidate, ...]
    rows: int = 0
    """Rows of its sources."""
    changed: int = 0
    """Rows of them that it has not seen."""
    regret: float = 0.0
    """Seconds that the other way of keeping the view would have saved since it last switched."""


def recomputed_parts(plan: ViewPlan) -> tuple[str, ...]:
    """The operators of a plan that every run works out again from all rows, and why."""
    return tuple(
        dict.fromkeys(
            f"{operator_name(each.rel)}: {each.chosen.recomputes}" for each in plan.recomputed
        )
    )


def decide(
    view: ViewDefinition,
    catalog: Catalog,
    plans: Plans,
    pending: Pending,
    *,
    outdated: str | None = None,
) -> Decision:
    """Decide how to bring a view up to date; `outdated` says why its state no longer holds."""
    plan = plans[view.name]
    names = base_sources(view, catalog)
    rows, changed = pending.over(names)
    recompute = Candidate(Action.RECOMPUTE, rows)
    stored = filled_state(catalog)
    if not is_filled(view, catalog):
        return Decision(
            view, Action.FILL, "the view has no rows yet", (Candidate(Action.FILL, rows),)
        )
    if outdated is not None:
        action = Action.RECOMPUTE if plan.answer_only else Action.REBUILD
        return Decision(view, action, outdated, (Candidate(action, rows),))
    if not any(pending.changed.get(name) for name in names):
        return Decision(view, Action.SKIP, "none of its sources changed", ())
    if view.policy is RefreshPolicy.FULL:
        return Decision(view, Action.RECOMPUTE, "the view's policy is full", (recompute,))
    parts = "; ".join(recomputed_parts(plan))
    if plan.by_price:
        reason = f"{changed} of {rows} rows changed; it costs less to compute the view anew"
        both = (recompute, Candidate(Action.REBUILD, rows))
        return Decision(view, Action.RECOMPUTE, reason, both, rows, changed)
    if plan.answer_only:
        return Decision(
            view, Action.RECOMPUTE, f"no part of it takes in changes: {parts}", (recompute,)
        )
    candidates = (
        Candidate(Action.INCREMENTAL, changed),
        Candidate(Action.REBUILD, rows),
        recompute,
    )
    if any(each not in stored for each in plan.arrangements):
        why = (
            plans.replanned[view.name].why
            if view.name in plans.replanned
            else "it was planned anew"
        )
        reason = f"{why}, so that the view needs other state"
        return Decision(view, Action.REBUILD, reason, candidates)
    reason = f"{changed} of {rows} rows changed" + (f"; recomputes {parts}" if parts else "")
    return Decision(view, Action.INCREMENTAL, reason, candidates, rows, changed)


def readable_rows(catalog: Catalog) -> dict[str, int]:
    """Rows of sources and views; an estimate for views that are not filled yet."""
    rows = {name: catalog.rows(each.arrangement) for name, each in catalog.state.sources.items()}
    for view in catalog.views.values():
        if is_filled(view, catalog):
            rows[view.name] = catalog.rows(catalog.answer(view.name))
        else:
            rows[view.name] = round(estimate_rows(view.stored, rows))
    return rows


def predicted_bytes(plan: ViewPlan, rows: Mapping[str, int]) -> int:
    """About how much state a view keeps over sources and views of so many rows."""
    return estimate_state(plan, rows)
