"""Lowers aggregates that are sums: changed groups are adjusted, their rows never read again."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Aggregate, Filter, Generate, Project
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.base import Builder, Lowering, settled_changes
from slackwater.errors import InvariantError
from slackwater.expr.build import (
    TRUE,
    all_of,
    any_of,
    case,
    field_of,
    is_known,
    is_null,
    number,
    struct,
)
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Lambda, LambdaVariable
from slackwater.optimizer.rules.accumulators import GroupState
from slackwater.optimizer.rules.hoisting import finished_once
from slackwater.optimizer.rules.im1.aggregate_sums import running_values, stored_groups
from slackwater.plan.frames import HASH, MATCHES, WEIGHT, Frame, Fresh, positions, read_rows
from slackwater.plan.weighted import counted_once, read_changes
from slackwater.types import INTEGER, ArrayType
from slackwater.types.storage import is_comparable


class LowerSums(Lowering[Aggregate]):
    """D(aggregate(R)): each touched group is taken out as it was and put back as it is.

    The changes are aggregated first, then the stored row of each touched group is looked up and
    moved. A group whose rows run out disappears; without keys the one row stays, over nothing
    too.
    """

    def delta(self, rel: Aggregate, builder: Builder) -> Frame | None:
        """The finished columns of the groups that moved, before and after."""
        moved = self.moved(rel, builder)
        if moved is None:
            return None
        state = running_values(rel)
        builder.append(stored_groups(state), moved)
        fresh = Fresh(rel)
        groups = fresh.scan(moved)
        table, finished = finished_once(groups, tuple(state.finished(groups.columns)), fresh)
        tree = Project(table, (*fresh.outputs(finished), pass_through(groups.columns[-1])))
        return builder.compute(rel, "delta", tree, (*positions(rel), WEIGHT))

    def rows(self, rel: Aggregate, builder: Builder) -> Frame:
        """The finished columns of all groups, finished just as changes are."""
        fresh = Fresh(rel)
        groups = fresh.scan(self.state_rows(rel, builder))
        values = tuple(running_values(rel).finished(groups.columns))
        table, finished = finished_once(groups, values, fresh)
        return builder.compute(rel, "rows", Project(table, fresh.outputs(finished)), positions(rel))

    def state_rows(self, rel: Aggregate, builder: Builder) -> Frame:
        """The stored row of every group, from scratch."""
        state, fresh = running_values(rel), Fresh(rel)
        table = counted_once(read_rows(rel.input, builder.rows(rel.input)), fresh)
        return builder.compute(rel, "groups", state.partial(table, fresh), state.names)

    def moved(self, rel: Aggregate, builder: Builder) -> Frame | None:
        """The stored rows of the touched groups, taken out with -1 and put back with +1."""
        changes = settled_changes(rel, builder)
        if changes is None:
            return None
        state, fresh = running_values(rel), Fresh(rel)
        partial = state.partial(read_changes(rel.input, changes, fresh), fresh)
        touched = builder.compute(
            rel, "touched", with_group_hash(state, partial, fresh), (HASH, *state.names)
        )
        found = builder.look_up_nested(rel, "found", touched, stored_groups(state))
        groups = with_stored(state, fresh.scan(found), fresh)
        old, first = groups.columns[-1].ref(), len(state.rel.keys)
        values = [
            one.merged(field_of(old, f"s{n}"), groups.columns[n].ref())
            for n, one in enumerate(state.accumulators, start=first)
        ]
        tree = move(state, groups, old, values, fresh)
        return builder.compute(rel, "moved", tree, (*state.names, WEIGHT))


def with_group_hash(state: GroupState, groups: Rel, fresh: Fresh) -> Project:
    """Rows of groups with the hash by which stored groups are found before their columns."""
    hashed = fresh.outputs((stored_groups(state).hash_of(groups.columns),))
    return Project(groups, (*hashed, *map(pass_through, groups.columns)))


def with_stored(state: GroupState, found: Rel, fresh: Fresh) -> Project:
    """Touched groups, each with its stored row as a struct in the end; NULL if it is new."""
    matches = found.columns[-1]
    if matches.name != MATCHES or not isinstance(matches.dtype, ArrayType):
        raise InvariantError("groups without the rows that were found for them")
    one = LambdaVariable("m", matches.dtype.element, False)
    keys = range(len(state.rel.keys))
    stored = [field_of(one, f"s{n}") for n in keys]
    same = Lambda((one,), same_group(stored, [found.columns[n].ref() for n in keys]))
    row = call("get", call("filter", matches.ref(), same), number(0, INTEGER))
    others = tuple(map(pass_through, found.columns[:-1]))
    return Project(found, (*others, *fresh.outputs((row,))))


def same_group(left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
    """The condition that two rows with these keys are of one group."""
    pairs = zip(map(_comparable, left), map(_comparable, right), strict=True)
    return all_of(call("<=>", one, other) for one, other in pairs)


def _comparable(key: Expr) -> Expr:
    return key if is_comparable(key.dtype) else call("comparable_form", key)


def move(state: GroupState, groups: Rel, old: Expr, values: list[Expr], fresh: Fresh) -> Rel:
    """Takes each group out as it was stored, `old`, and puts it back with running `values`."""
    keys = range(len(state.rel.keys))
    new = is_null(old)
    after = [
        *(case(new, groups.columns[n].ref(), field_of(old, f"s{n}")) for n in keys),
        *values,
    ]
    before = [field_of(old, f"s{n}") for n in range(len(after))]
    stays = call(">", values[-1], number(0)) if keys else TRUE
    unmoved = all_of(
        call("<=>", before[n], value) for n, value in enumerate(values, start=len(keys))
    )
    taken_out = case(is_known(old), _row(before, -1))
    put_back = case(stays, _row(after, 1))
    pair = call("array", taken_out, put_back)
    row = LambdaVariable("r", taken_out.dtype, True)
    present = call("filter", pair, Lambda((row,), is_known(row)))
    moved = Filter(groups, any_of((new, call("not", unmoved))))
    made = fresh.column("r", taken_out.dtype)
    exploded = Generate(moved, call("explode", present), False, (made,))
    fields = (field_of(made.ref(), name) for name in (*state.names, WEIGHT))
    return Project(exploded, fresh.outputs(fields))


def _row(values: Sequence[Expr], weight: int) -> Expr:
    named = {f"k{n}": value for n, value in enumerate(values)}
    return struct({**named, WEIGHT: number(weight)})
