"""Lowers extremes under deletes: rows are read again only when the extreme itself goes."""

from __future__ import annotations

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Project,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.aggregate_sums import (
    LowerSums,
    move,
    same_group,
    with_group_hash,
    with_stored,
)
from slackwater.compiler.lowering.base import Builder
from slackwater.compiler.lowering.whole_state import Whole, hashed_changes, rows_after
from slackwater.expr.build import any_of, case, field_of, is_known, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr
from slackwater.optimizer.rules.accumulators import GroupState
from slackwater.optimizer.rules.im1.aggregate_extremes import rows_by_group
from slackwater.optimizer.rules.im1.aggregate_sums import running_values, stored_groups
from slackwater.plan.frames import HASH, NEW, WEIGHT, Frame, Fresh, positions
from slackwater.plan.weighted import consolidated, read_changes, weight_of

_OLD, _AGAIN = "o", "_again"
"""Columns of touched groups: the stored row, and whether an extreme must be found again."""


class LowerExtremes(LowerSums):
    """D(aggregate(R)) with min and max: adjusted like sums, but for groups that lost their extreme.

    Only those have their rows gathered, and their extremes found again.
    """

    def moved(self, rel: Aggregate, builder: Builder) -> Frame | None:
        """Move groups as sums do; extremes that were lost come from the rows of their group."""
        changes = builder.delta(rel.input)
        if changes is None:
            return None
        state, fresh = running_values(rel), Fresh(rel)
        given = read_changes(rel.input, changes, fresh)
        net = builder.compute(
            rel,
            "net_input",
            consolidated(given, fresh, first=True),
            (*positions(rel.input), WEIGHT),
        )
        groups = _guarded(rel, state, net, builder)
        again = _again(rel, state, net, groups, builder)
        tree = _settled(state, groups, again, fresh)
        return builder.compute(rel, "moved", tree, (*state.names, WEIGHT))


def _guarded(rel: Aggregate, state: GroupState, net: Frame, builder: Builder) -> Frame:
    """The touched groups with their stored rows, and whether they may have lost an extreme."""
    fresh = Fresh(rel)
    partial = state.partial(read_changes(rel.input, net, fresh), fresh, losses=True)
    losses = tuple(f"d{n}" for n, one in enumerate(state.accumulators) if one.lost is not None)
    names = (*state.names, *losses)
    hashed = with_group_hash(state, partial, fresh)
    touched = builder.compute(rel, "touched", hashed, (HASH, *names))
    found = builder.look_up_nested(rel, "found", touched, stored_groups(state))
    stored = with_stored(state, fresh.scan(found), fresh)
    exposed = fresh.outputs((_exposed(state, stored),))
    guarded = Project(stored, (*map(pass_through, stored.columns), *exposed))
    return builder.compute(rel, "guarded", guarded, (*names, _OLD, _AGAIN))


def _exposed(state: GroupState, groups: Rel) -> Expr:
    """Tell if a group may have lost one of its extremes."""
    old, first = groups.columns[-1].ref(), len(state.rel.keys)
    losses = iter(groups.columns[len(state.types) :])
    parts = [
        one.exposed(field_of(old, f"s{n}"), groups.columns[n].ref(), next(losses).ref())
        for n, one in enumerate(state.accumulators, start=first)
        if one.lost is not None
    ]
    return call("and", is_known(old), any_of(parts))


def _again(rel: Aggregate, state: GroupState, net: Frame, groups: Frame, builder: Builder) -> Frame:
    """The groups that lost an extreme, aggregated again from their rows."""
    fresh = Fresh(rel)
    rows = (_exposed_rows if rel.keys else _all_rows)(rel, state, net, groups, builder)
    present = Filter(rows, call(">", weight_of(rows).ref(), number(0)))
    return builder.compute(rel, "again", state.partial(present, fresh), state.names)


def _all_rows(
    rel: Aggregate, _state: GroupState, net: Frame, groups: Frame, builder: Builder
) -> Rel:
    """All rows after the run, where they are one group; those of state only if it lost an extreme.

    Otherwise these are the changes alone, and their aggregate is not used.
    """
    given, fresh = rows_by_group(rel), Fresh(rel)
    touched = fresh.scan(groups, (_AGAIN,))
    lost = Filter(touched, touched.columns[0].ref())
    exposed = builder.compute(rel, "exposed", lost, (_AGAIN,))
    before = builder.state_rows(rel, "rows_before", given, exposed)
    now = rows_after(rel, "", Whole(rel.input, given, before, net), builder)
    return read_changes(rel.input, now, fresh)


def _exposed_rows(
    rel: Aggregate, state: GroupState, net: Frame, groups: Frame, builder: Builder
) -> Rel:
    """The rows of groups that lost an extreme, after the run."""
    given, fresh = rows_by_group(rel), Fresh(rel)
    touched = fresh.scan(groups, (*state.names, _AGAIN))
    lost = Filter(touched, touched.columns[-1].ref())
    hashes = Distinct(
        Project(lost, fresh.outputs((stored_groups(state).hash_of(touched.columns[:-1]),)))
    )
    hashed = hashed_changes(rel.input, net, given, fresh)
    key = JoinKey(hashed.columns[0].ref(), hashes.columns[0].ref())
    touching = Join(JoinKind.SEMI, hashed, hashes, (key,))
    names = (HASH, *positions(rel.input), WEIGHT)
    exposed = builder.compute(rel, "exposed", touching, names)
    rows = builder.gather(rel, "exposed_rows", exposed, given)
    return read_changes(rel.input, rows, fresh, NEW)


def _settled(state: GroupState, groups: Frame, again: Frame, fresh: Fresh) -> Rel:
    """All touched groups moved; with the values found again where that was needed."""
    touched, anew = fresh.scan(groups), fresh.scan(again)
    keys, first = range(len(state.rel.keys)), len(state.rel.keys)
    found_again = touched.columns[-1].ref()
    same = same_group(
        [anew.columns[n].ref() for n in keys], [touched.columns[n].ref() for n in keys]
    )
    both = Join(JoinKind.LEFT, touched, anew, residual=call("and", found_again, same))
    old = touched.columns[-2].ref()
    values: list[Expr] = []
    for n, one in enumerate(state.accumulators, start=first):
        merged = one.merged(field_of(old, f"s{n}"), touched.columns[n].ref())
        value = both.column(anew.columns[n].id).ref()
        values.append(merged if one.lost is None else case(found_again, value, merged))
    return move(state, both, old, values, fresh)
