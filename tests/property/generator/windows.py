"""Window functions over rows in a total order: rows that tie are equal in every column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .aggregates import aggregate
from .core import Kind, Maker, Scope, Value, expression, leaf

_FRAMES = (
    "",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)


def window_values(make: Maker, scope: Scope) -> tuple[Value, ...]:
    """One to three window functions over the same rows."""
    return tuple(make.pick(_FUNCTIONS)(make, scope) for _ in range(make.number(1, 3)))


def rank_function(make: Maker, scope: Scope) -> Value:
    """The place of a row among those of its partition."""
    name = make.pick(["row_number()", "rank()", "dense_rank()", "ntile(3)"])
    return Value(f"{name} OVER ({_total(make, scope)})", Kind.INT, 1e5)


def relative_rank(make: Maker, scope: Scope) -> Value:
    """The place as a fraction."""
    name = make.pick(["percent_rank()", "cume_dist()"])
    return Value(f"{name} OVER ({_total(make, scope)})", Kind.DOUBLE, 1, exact=False)


def rank_with_ties(make: Maker, scope: Scope) -> Value:
    """Ranks that do not tell ties apart, so that any order will do."""
    name = make.pick(["rank()", "dense_rank()"])
    key = make.pick(scope.values)
    return Value(f"{name} OVER ({_partition(make, scope)}ORDER BY {key.sql} DESC)", Kind.INT, 1e5)


def neighbour(make: Maker, scope: Scope) -> Value:
    """A value of another row of the partition."""
    value = leaf(make, scope, make.pick(scope.kinds()))
    forms = ["lag({})", "lead({})", "lag({}, 2)", "first_value({})", "nth_value({}, 2)"]
    forms += ["last_value({})", "first_value({}) IGNORE NULLS", "lag({}) IGNORE NULLS"]
    sql = f"{make.pick(forms).format(value.sql)} OVER ({_total(make, scope)})"
    return replace(value, sql=sql, samples=())


def running_aggregate(make: Maker, scope: Scope) -> Value:
    """An aggregate over a frame."""
    kind = make.pick([Kind.LONG, Kind.INT, Kind.DECIMAL, Kind.BOOL])
    value = _plain_aggregate(make, scope, kind)
    sql = f"{value.sql} OVER ({_total(make, scope)}{make.pick(_FRAMES)})"
    return Value(sql, kind, value.bound)


def partition_aggregate(make: Maker, scope: Scope) -> Value:
    """An aggregate over the whole partition, without an order."""
    value = _plain_aggregate(make, scope, make.pick([Kind.LONG, Kind.INT, Kind.STRING]))
    partition = _partition(make, scope).strip()
    return Value(f"{value.sql} OVER ({partition})", value.kind, value.bound)


def _plain_aggregate(make: Maker, scope: Scope, kind: Kind) -> Value:
    """An aggregate that windows allow: without DISTINCT and without an order of its own."""
    value = aggregate(make, scope, kind, 0)
    if "DISTINCT" not in value.sql and "WITHIN" not in value.sql:
        return value
    argument = expression(make, scope, kind, 0)
    return Value(f"max({argument.sql})", kind, argument.bound, argument.exact)


def _total(make: Maker, scope: Scope) -> str:
    """An order by every column; NULLs and directions vary."""
    directions = ("", " DESC", " NULLS LAST", " DESC NULLS FIRST")
    keys = [f"{column.sql}{make.pick(directions)}" for column in scope.values]
    return f"{_partition(make, scope)}ORDER BY {', '.join(keys)}"


def _partition(make: Maker, scope: Scope) -> str:
    keys = make.some(scope.values, 0, 2)
    return f"PARTITION BY {', '.join(key.sql for key in keys)} " if keys else ""


_FUNCTIONS: list[Callable[[Maker, Scope], Value]] = [
    rank_function,
    running_aggregate,
    neighbour,
    partition_aggregate,
    rank_with_ties,
    relative_rank,
]
