"""Chooses how every operator of a view is kept.

`first_fit` is the trivial search: the first rule that fits decides, operator by operator. A
search over alternatives takes its place without touching rules or lowering.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel
from slackwater.optimizer.rules.arrangement_keys import whole_row
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.im1.aggregate_extremes import GuardExtremes
from slackwater.optimizer.rules.im1.aggregate_groups import RedoGroups
from slackwater.optimizer.rules.im1.aggregate_percentiles import CountBuckets
from slackwater.optimizer.rules.im1.aggregate_sums import AdjustSums
from slackwater.optimizer.rules.im1.group_limit import GuardGroupPrefix, RedoGroupLimit
from slackwater.optimizer.rules.im1.joins import JOINS
from slackwater.optimizer.rules.im1.limit import GuardPrefix, RedoLimit
from slackwater.optimizer.rules.im1.linear import LINEAR
from slackwater.optimizer.rules.im1.recompute import RecomputeAll
from slackwater.optimizer.rules.im1.window import RedoPartitions
from slackwater.optimizer.rules.im1.window_ranges import RedoRanges
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import Alternative, OperatorPlan, Refusal, ViewPlan

RULES: tuple[Rule[Any], ...] = (
    *LINEAR,
    *JOINS,
    # Running values first: they are smaller and never read a group's rows again.
    AdjustSums(),
    GuardExtremes(),
    CountBuckets(),
    RedoGroups(),
    # Where partitions are large; others are redone whole.
    RedoRanges(),
    RedoPartitions(),
    # Guarded forms first: they read a group's rows again only if it lost one that it keeps.
    GuardGroupPrefix(),
    RedoGroupLimit(),
    GuardPrefix(),
    RedoLimit(),
)
LAST_RESORT = RecomputeAll()

Search = Callable[[Rel, Facts], OperatorPlan]
"""Finds a plan for a relation; `choose_plan` takes any."""


def first_fit(rel: Rel, facts: Facts) -> OperatorPlan:
    """The plan by the first rule that fits each operator and whose state can be stored."""
    inputs = tuple(first_fit(each, facts) for each in rel.inputs)
    refused: list[Refusal] = []
    for found in alternatives(rel, facts):
        if isinstance(found, Alternative):
            return OperatorPlan(rel, found, inputs, tuple(refused))
        refused.append(found)
    raise AssertionError("any operator can be recomputed")


def alternatives(rel: Rel, facts: Facts) -> list[Alternative | Refusal]:
    """All ways to keep an operator, the preferred one first, and those that do not fit."""
    found = [rule.alternative(rel, facts) for rule in RULES if rule.concerns(rel)]
    reasons = [each.reason for each in found if isinstance(each, Refusal)]
    why = reasons[-1] if reasons else LAST_RESORT.recomputes(rel)
    last = Alternative(LAST_RESORT.name, LAST_RESORT.state(rel), why, LAST_RESORT.unstable)
    return [*found, last]


def choose_plan(
    stored: Rel, read: Rel, facts: Facts, *, recomputed: bool, search: Search = first_fit
) -> ViewPlan:
    """The plan of a view: of the rows it stores, and of reading its answer from them.

    `recomputed` says that its owner wants nothing but the answer kept.
    """
    found = search(stored, facts)
    alone = recomputed or not _takes_changes(found)
    return ViewPlan(found, whole_row(stored), search(read, facts), facts, alone)


def _takes_changes(plan: OperatorPlan) -> bool:
    """Tell if some part of a plan is incremental; one that reads no source is filled only once."""
    kept = [each.rel for each in plan.kept()]
    return any(isinstance(each, Scan) for each in kept) or not any(
        isinstance(each, Recompute) for each in kept
    )
