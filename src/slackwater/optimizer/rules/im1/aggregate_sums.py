"""Aggregates that are sums: changed groups are adjusted, their rows never read again."""

from __future__ import annotations

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Aggregate
from slackwater.errors import InvariantError
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.accumulators import GroupState, group_state
from slackwater.optimizer.rules.base import (
    WEIGHT,
    Builder,
    Need,
    Rule,
    comparable,
    plain_input,
    settled_changes,
    weighted_input,
)
from slackwater.plan.arrangements import Arrangement, Role, hash_sql, hashable
from slackwater.types import is_collated


class AdjustSums(Rule[Aggregate]):
    """D(aggregate(R)): each touched group is taken out as it was and put back as it is.

    State is one row per group: keys, exact running values, the number of rows. The changes
    are aggregated first, then the stored row of each touched group is looked up and moved. A
    group whose rows run out disappears; without keys the one row stays, over nothing too.
    min and max are kept this way only while their input never loses a row.
    """

    name = "aggregate_sums"
    operator = Aggregate

    def refuses(self, rel: Aggregate, facts: Facts) -> str | None:
        """Every aggregate must have exact running values, and every group one key."""
        if any(is_collated(key.column.dtype) for key in rel.keys):
            return "of keys that a collation calls equal a group shows one that its rows have"
        state = self.group_state(rel, facts)
        return state if isinstance(state, str) else None

    def needs(self, rel: Aggregate, facts: Facts) -> tuple[Need, ...]:
        """One row per group."""
        return (Need(stored_groups(self.state(rel, facts)), rel),)

    def delta(self, rel: Aggregate, builder: Builder) -> str | None:
        """The finished columns of the groups that moved, before and after."""
        moved = self.moved(rel, builder)
        if moved is None:
            return None
        state = self.state(rel, builder.facts)
        builder.append(stored_groups(state), moved)
        return builder.sql(rel, "delta", _finished(state, moved, WEIGHT), (moved,))

    def rows(self, rel: Aggregate, builder: Builder) -> str:
        """The finished columns of all groups, finished just as changes are."""
        groups = self.state_rows(rel, builder)
        text = _finished(self.state(rel, builder.facts), groups)
        return builder.sql(rel, "rows", text, (groups,))

    def state_rows(self, rel: Aggregate, builder: Builder) -> str:
        """The stored row of every group, from scratch."""
        state = self.state(rel, builder.facts)
        source = builder.rows(rel.input)
        table = f"(SELECT *, CAST(1 AS BIGINT) AS _w FROM {plain_input(rel.input, source)})"
        return builder.sql(rel, "groups", state.partial(table), (source,))

    def group_state(self, rel: Aggregate, facts: Facts) -> GroupState | str:
        """What is stored of a group, or why that is not enough."""
        return group_state(rel, grows=facts.never_retracts(rel.input), facts=facts)

    def state(self, rel: Aggregate, facts: Facts) -> GroupState:
        """What is stored of a group, for an aggregate that the rule fits."""
        state = self.group_state(rel, facts)
        if isinstance(state, str):
            raise InvariantError(f"no running values for this aggregate: {state}")
        return state

    def moved(self, rel: Aggregate, builder: Builder) -> str | None:
        """The stored rows of the touched groups, taken out with -1 and put back with +1."""
        changes = settled_changes(rel, builder)
        if changes is None:
            return None
        state = self.state(rel, builder.facts)
        table = weighted_input(rel.input, changes)
        partial = f"SELECT {hash_sql(group_key(state))} AS _h, * FROM ({state.partial(table)})"
        touched = builder.sql(rel, "touched", partial, (changes,))
        found = builder.look_up_nested(rel, "found", touched, stored_groups(state))
        values = [
            one.merged(f"o.s{n}", f"k{n}")
            for n, one in enumerate(state.accumulators, start=len(state.rel.keys))
        ]
        return builder.sql(rel, "moved", move(state, with_stored(state, found), values), (found,))


def group_key(state: GroupState) -> tuple[str, ...]:
    """What stored groups are found by."""
    texts = (hashable(key.column.dtype, f"k{n}") for n, key in enumerate(state.rel.keys))
    return tuple(text for text in texts if text is not None)


def stored_groups(state: GroupState) -> Arrangement:
    """The arrangement with one row per group."""
    return Arrangement(fingerprint(state.rel), Role.ACCUMULATORS, state.types, group_key(state))


def with_stored(state: GroupState, found: str) -> str:
    """Touched groups, each with its stored row as the struct `o`; NULL if it is new."""
    same = same_group(state, "m.s", "k")
    return f"(SELECT *, get(filter(_matches, m -> {same}), 0) AS o FROM {found})"


def same_group(state: GroupState, one: str, other: str) -> str:
    """The condition that two rows with keys `one`0, ... and `other`0, ... are of one group."""
    parts = []
    for n, key in enumerate(state.rel.keys):
        left, right = (comparable(key.column.dtype, f"{name}{n}") for name in (one, other))
        parts.append(f"{left} <=> {right}")
    return " AND ".join(parts) or "TRUE"


def move(state: GroupState, table: str, values: list[str]) -> str:
    """Takes each group of `table` out as it was stored, `o`, and puts it back with `values`."""
    keys = range(len(state.rel.keys))
    after = [f"CASE WHEN o IS NULL THEN k{n} ELSE o.s{n} END" for n in keys] + values
    old = _struct([f"o.s{n}" for n in range(len(after))], -1)
    new = _struct(after, 1)
    stays = f"({values[-1]}) > 0" if keys else "TRUE"
    running = enumerate(values, start=len(keys))
    unmoved = " AND ".join(f"(o.s{n} <=> {value})" for n, value in running)
    pair = (
        f"filter(array(CASE WHEN o IS NOT NULL THEN {old} END, "
        f"CASE WHEN {stays} THEN {new} END), r -> r IS NOT NULL)"
    )
    names = ", ".join([*(f"r.k{n} AS k{n}" for n in range(len(after))), "r._w AS _w"])
    moved = f"SELECT explode({pair}) AS r FROM {table} WHERE o IS NULL OR NOT ({unmoved})"
    return f"SELECT {names} FROM ({moved})"


def _struct(values: list[str], weight: int) -> str:
    fields = "".join(f"'k{n}', {value}, " for n, value in enumerate(values))
    return f"named_struct({fields}'_w', CAST({weight} AS BIGINT))"


def _finished(state: GroupState, frame: str, *extra: str) -> str:
    texts = [f"{text} AS k{n}" for n, text in enumerate(state.finished("k"))]
    selected = ", ".join([*texts, *extra]) or "TRUE AS no_columns"
    return f"SELECT {selected} FROM {frame}"
