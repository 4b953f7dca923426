"""Minimum and maximum under deletes: the rows are read again only when the extreme itself goes."""

from __future__ import annotations

from slackwater.algebra.operators import Aggregate
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.accumulators import GroupState, group_state
from slackwater.optimizer.rules.base import (
    Builder,
    Need,
    adds_up,
    consolidated,
    positions,
    weighted_input,
)
from slackwater.optimizer.rules.im1.aggregate_sums import (
    AdjustSums,
    group_key,
    move,
    same_group,
    stored_groups,
    with_stored,
)
from slackwater.optimizer.rules.keys import contents, key_texts
from slackwater.plan.arrangements import Arrangement, hash_sql
from slackwater.state.storage_types import needs_encoding
from slackwater.types import is_collated


class GuardExtremes(AdjustSums):
    """D(aggregate(R)) with min and max: adjusted like sums, but for groups that lost their extreme.

    A deleted value that lies inside the group's range changes neither end, and one that is
    replaced by an equal or more extreme value in the same run does not either. Only groups for
    which neither holds have their rows gathered, and their extremes found again.
    """

    name = "aggregate_extremes"

    def refuses(self, rel: Aggregate, facts: Facts) -> str | None:
        """Every aggregate must be a sum or an extreme, and changes must be known net."""
        reason = super().refuses(rel, facts)
        if reason is not None:
            return reason
        if not rel.keys:
            return "the whole input is one group"
        if not all(adds_up(column.dtype) for column in rel.input.columns):
            return "changes of such columns cannot be added up before they are used"
        running = self.state(rel, facts).accumulators
        if any(one.lost and is_collated(one.dtype) for one in running):
            return "of texts that a collation calls equal the one that is left must be shown"
        if any(map(needs_encoding, self.state(rel, facts).types)):
            return "a running value is stored in another form than it is computed in"
        return None

    def needs(self, rel: Aggregate, facts: Facts) -> tuple[Need, ...]:
        """One row per group, and the rows of each group for when its extreme goes."""
        return (*super().needs(rel, facts), Need(_given(rel), rel.input))

    def group_state(self, rel: Aggregate, facts: Facts) -> GroupState | str:
        """Extremes count as running values."""
        return group_state(rel, grows=True, facts=facts)

    def moved(self, rel: Aggregate, builder: Builder) -> str | None:
        """As for sums; extremes that were lost come from the rows of their group."""
        changes = builder.delta(rel.input)
        if changes is None:
            return None
        state = self.state(rel, builder.facts)
        net = builder.sql(
            rel, "net_input", consolidated(rel.input, changes, first=True), (changes,)
        )
        partial = state.partial(weighted_input(rel.input, net), losses=True)
        hashed = f"SELECT {hash_sql(group_key(state))} AS _h, * FROM ({partial})"
        touched = builder.sql(rel, "touched", hashed, (net,))
        found = builder.look_up_nested(rel, "found", touched, stored_groups(state))
        guarded = f"SELECT *, {_exposed(state)} AS _again FROM {with_stored(state, found)}"
        groups = builder.sql(rel, "guarded", guarded, (found,))
        again = self._again(rel, state, net, groups, builder)
        text = move(state, _settled(state, groups, again), _values(state))
        return builder.sql(rel, "moved", text, (groups, again))

    def _again(
        self, rel: Aggregate, state: GroupState, net: str, groups: str, builder: Builder
    ) -> str:
        """The groups that lost an extreme, aggregated again from their rows."""
        given = _given(rel)
        columns = "".join(f"{name}, " for name in positions(rel.input))
        lost = f"SELECT DISTINCT {hash_sql(group_key(state))} AS _h FROM {groups} WHERE _again"
        touching = (
            f"SELECT _h, {columns}_w FROM (SELECT {hash_sql(given.key)} AS _h, * FROM {net}) "
            f"LEFT SEMI JOIN ({lost}) USING (_h)"
        )
        exposed = builder.sql(rel, "exposed", touching, (net, groups))
        rows = builder.gather(rel, "exposed_rows", exposed, given)
        present = f"(SELECT {columns}_new AS _w FROM {rows} WHERE _new > 0)"
        text = state.partial(weighted_input(rel.input, present))
        return builder.sql(rel, "again", text, (rows,))


def _given(rel: Aggregate) -> Arrangement:
    """The rows of each group."""
    return contents(rel.input, key_texts(rel.input, tuple(key.expr for key in rel.keys)))


def _exposed(state: GroupState) -> str:
    """Whether a group may have lost one of its extremes."""
    first = len(state.rel.keys)
    parts = [
        one.exposed(f"o.s{first + n}", f"k{first + n}", f"d{n}")
        for n, one in enumerate(state.accumulators)
        if one.lost
    ]
    return f"(o IS NOT NULL AND ({' OR '.join(parts)}))"


def _settled(state: GroupState, groups: str, again: str) -> str:
    """All touched groups, with the values found again as a0, a1, ... where that was needed."""
    found = ", ".join(f"k{n} AS a{n}" for n in range(len(state.types)))
    same = same_group(state, "a", "k")
    return f"{groups} LEFT JOIN (SELECT {found} FROM {again}) ON _again AND {same}"


def _values(state: GroupState) -> list[str]:
    values = []
    for n, one in enumerate(state.accumulators, start=len(state.rel.keys)):
        merged = one.merged(f"o.s{n}", f"k{n}")
        values.append(f"CASE WHEN _again THEN a{n} ELSE {merged} END" if one.lost else merged)
    return values
