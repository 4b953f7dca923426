"""Aggregates that are sums: changed groups are adjusted, their rows never read again."""

from __future__ import annotations

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Aggregate
from slackwater.errors import InvariantError
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.accumulators import GroupState, group_state
from slackwater.optimizer.rules.base import (
    Builder,
    Need,
    Rule,
    comparable,
    plain_input,
    weighted_input,
)
from slackwater.plan.arrangements import Arrangement, Role, hash_sql, hashable


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
        """Every aggregate must have exact running values."""
        state = group_state(rel, facts)
        return state if isinstance(state, str) else None

    def needs(self, rel: Aggregate, facts: Facts) -> tuple[Need, ...]:
        """One row per group."""
        return (Need(_arrangement(_state(rel, facts)), rel),)

    def delta(self, rel: Aggregate, builder: Builder) -> str | None:
        """The finished columns of the groups that moved, before and after."""
        moved = self._moved(rel, builder)
        if moved is None:
            return None
        state = _state(rel, builder.facts)
        builder.append(_arrangement(state), moved)
        return builder.sql(rel, "delta", _finished(state, moved, ", _w"), (moved,))

    def rows(self, rel: Aggregate, builder: Builder) -> str:
        """The finished columns of all groups, finished just as changes are."""
        groups = self.state_rows(rel, builder)
        text = _finished(_state(rel, builder.facts), groups, "")
        return builder.sql(rel, "rows", text, (groups,))

    def state_rows(self, rel: Aggregate, builder: Builder) -> str:
        """The stored row of every group, from scratch."""
        state = _state(rel, builder.facts)
        source = builder.rows(rel.input)
        table = f"(SELECT *, CAST(1 AS BIGINT) AS _w FROM {plain_input(rel.input, source)})"
        return builder.sql(rel, "groups", state.partial(table), (source,))

    def _moved(self, rel: Aggregate, builder: Builder) -> str | None:
        changes = builder.delta(rel.input)
        if changes is None:
            return None
        state = _state(rel, builder.facts)
        table = weighted_input(rel.input, changes)
        hashed = hash_sql(_key(state))
        partial = f"SELECT {hashed} AS _h, * FROM ({state.partial(table)})"
        touched = builder.sql(rel, "touched", partial, (changes,))
        found = builder.look_up_nested(rel, "found", touched, _arrangement(state))
        return builder.sql(rel, "moved", _move(state, found), (found,))


def _state(rel: Aggregate, facts: Facts) -> GroupState:
    state = group_state(rel, facts)
    if isinstance(state, str):
        raise InvariantError(f"no running values for this aggregate: {state}")
    return state


def _key(state: GroupState) -> tuple[str, ...]:
    texts = (hashable(key.column.dtype, f"k{n}") for n, key in enumerate(state.rel.keys))
    return tuple(text for text in texts if text is not None)


def _arrangement(state: GroupState) -> Arrangement:
    return Arrangement(fingerprint(state.rel), Role.ACCUMULATORS, state.types, _key(state))


def _move(state: GroupState, found: str) -> str:
    """Takes each touched group out as it was stored and puts it back with its changes."""
    keys = range(len(state.rel.keys))
    same = " AND ".join(_same_key(state, n) for n in keys) or "TRUE"
    old = f"(SELECT *, get(filter(_matches, m -> {same}), 0) AS o FROM {found})"
    values = [f"CASE WHEN o IS NULL THEN k{n} ELSE o.s{n} END" for n in keys]
    for n, one in enumerate(state.accumulators, start=len(keys)):
        values.append(one.merged(f"o.s{n}", f"k{n}"))
    before = _struct([f"o.s{n}" for n in range(len(values))], -1)
    after = _struct(values, 1)
    stays = f"({values[-1]}) > 0" if state.rel.keys else "TRUE"
    running = list(enumerate(values))[len(keys) :]
    unmoved = " AND ".join(f"(o.s{n} <=> {value})" for n, value in running)
    pair = (
        f"filter(array(CASE WHEN o IS NOT NULL THEN {before} END, "
        f"CASE WHEN {stays} THEN {after} END), r -> r IS NOT NULL)"
    )
    names = ", ".join([*(f"r.k{n} AS k{n}" for n in range(len(values))), "r._w AS _w"])
    moved = f"SELECT explode({pair}) AS r FROM {old} WHERE o IS NULL OR NOT ({unmoved})"
    return f"SELECT {names} FROM ({moved})"


def _same_key(state: GroupState, n: int) -> str:
    dtype = state.rel.keys[n].column.dtype
    return f"{comparable(dtype, f'm.s{n}')} <=> {comparable(dtype, f'k{n}')}"


def _struct(values: list[str], weight: int) -> str:
    fields = "".join(f"'k{n}', {value}, " for n, value in enumerate(values))
    return f"named_struct({fields}'_w', CAST({weight} AS BIGINT))"


def _finished(state: GroupState, frame: str, extra: str) -> str:
    texts = [f"{text} AS k{n}" for n, text in enumerate(state.finished("k"))]
    selected = ", ".join(texts) + extra
    return f"SELECT {selected or 'TRUE AS no_columns'} FROM {frame}"
