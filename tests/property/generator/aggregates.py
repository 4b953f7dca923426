"""Aggregates by the kind they give; none depends on the order of rows.

Integers and decimals are added only where the sum cannot overflow, doubles only where every
order of addition gives the same digits. Spread measures are the exception: their last digits
may differ, so that they are made only as outputs of the outermost query.
"""

from __future__ import annotations

from collections.abc import Callable

from .conditions import COMPARABLE, any_value
from .core import Kind, Maker, Scope, Value, expression

_ROWS = 1e5
"""More rows than any generated query aggregates."""
_SUM_LIMITS = {Kind.INT: 1e9, Kind.LONG: 1e13, Kind.DECIMAL: 1e16}
_EXTREMES = tuple(kind for kind in COMPARABLE if kind is not Kind.BOOL)


def aggregate(make: Maker, scope: Scope, kind: Kind, depth: int) -> Value:
    """An aggregate that gives the kind, now and then only over some of the rows."""
    value = make.pick(_AGGREGATES[kind])(make, scope, depth, kind)
    if not make.chance(15) or value.sql.startswith("sort_array"):
        return value
    condition = expression(make, scope, Kind.BOOL, 1)
    sql = f"{value.sql} FILTER (WHERE {condition.sql})"
    return Value(sql, kind, value.bound, value.exact)


def spread(make: Maker, scope: Scope) -> Value:
    """A standard deviation or variance of small integers."""
    function = make.pick(["stddev", "var_pop", "stddev_pop", "var_samp"])
    number = expression(make, scope, Kind.INT, 0)
    return Value(f"{function}({number.sql} % 1000)", Kind.DOUBLE, exact=False)


def extreme(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """min or max."""
    value = expression(make, scope, kind, depth)
    sql = f"{make.pick(['max', 'min'])}({value.sql})"
    return Value(sql, kind, value.bound, value.exact)


def count_rows(_make: Maker, _scope: Scope, _depth: int, _kind: Kind) -> Value:
    """count(*)."""
    return Value("count(*)", Kind.LONG, _ROWS)


def count_values(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """count of the values that are not NULL, or of the different ones."""
    values = [any_value(make, scope, depth).sql for _ in range(make.weighted((4, 1), (1, 2)))]
    distinct = "DISTINCT " if make.chance(50) else ""
    return Value(f"count({distinct}{', '.join(values)})", Kind.LONG, _ROWS)


def count_if(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """How often a condition holds."""
    condition = expression(make, scope, Kind.BOOL, depth)
    return Value(f"count_if({condition.sql})", Kind.LONG, _ROWS)


def sum_of_integers(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """sum of INT or BIGINT."""
    number = _summable(expression(make, scope, make.pick([Kind.INT, Kind.LONG]), depth))
    function = make.weighted((4, "sum"), (1, "try_sum"))
    sql = f"{function}({_distinct(make)}{number.sql})"
    return Value(sql, Kind.LONG, number.bound * _ROWS)


def sum_of_decimals(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """sum or avg of decimals."""
    number = _summable(expression(make, scope, Kind.DECIMAL, depth))
    function = make.pick(["sum", "avg"])
    return Value(f"{function}({_distinct(make)}{number.sql})", Kind.DECIMAL, number.bound * _ROWS)


def sum_of_doubles(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """sum or avg of doubles that add exactly; the extreme of others."""
    number = expression(make, scope, Kind.DOUBLE, depth)
    if not number.exact or number.bound > 1e6:
        return extreme(make, scope, depth, kind)
    function = make.pick(["sum", "avg"])
    sql = f"{function}({_distinct(make)}{number.sql})"
    return Value(sql, Kind.DOUBLE, number.bound * _ROWS, exact=function == "sum")


def average_of_integers(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """avg, or the median, of integers small enough to add exactly as doubles."""
    number = expression(make, scope, Kind.INT, depth)
    form = make.weighted((3, "avg({0}{1})"), (1, "percentile({1}, 0.5)"))
    sql = form.format(_distinct(make), number.sql)
    return Value(sql, Kind.DOUBLE, number.bound, exact=False)


def all_or_any(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """bool_and or bool_or."""
    condition = expression(make, scope, Kind.BOOL, depth)
    return Value(f"{make.pick(['bool_and', 'bool_or', 'max'])}({condition.sql})", Kind.BOOL)


def listed_texts(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """listagg in the order of the texts; Spark fails on DISTINCT beside another DISTINCT."""
    text = expression(make, scope, Kind.STRING, depth)
    sql = f"listagg({text.sql}, ',') WITHIN GROUP (ORDER BY {text.sql})"
    return Value(sql, Kind.STRING)


def collected(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """All values in one sorted array."""
    element = Kind.INT if kind is Kind.INTS else Kind.STRING
    value = expression(make, scope, element, depth)
    function = make.pick(["collect_list", "collect_set"])
    return Value(f"sort_array({function}({value.sql}))", kind)


def _distinct(make: Maker) -> str:
    return "DISTINCT " if make.chance(20) else ""


def _summable(number: Value) -> Value:
    """The number, or its remainder where the sum of so many might overflow."""
    if number.bound <= _SUM_LIMITS[number.kind]:
        return number
    sql = f"({number.sql} % 1000)"
    return Value(sql, number.kind, 1000)


AggregateMaker = Callable[[Maker, Scope, int, Kind], Value]
_AGGREGATES: dict[Kind, list[AggregateMaker]] = {kind: [extreme] for kind in _EXTREMES}
_AGGREGATES[Kind.LONG] = [count_rows, count_values, sum_of_integers, sum_of_integers, count_if]
_AGGREGATES[Kind.LONG] += [extreme, count_values]
_AGGREGATES[Kind.DECIMAL] += [sum_of_decimals, sum_of_decimals]
_AGGREGATES[Kind.DOUBLE] += [sum_of_doubles, average_of_integers]
_AGGREGATES[Kind.STRING] += [extreme, listed_texts]
_AGGREGATES[Kind.BOOL] = [all_or_any]
_AGGREGATES[Kind.INTS] += [collected]
_AGGREGATES[Kind.STRINGS] += [collected]
AGGREGATED_KINDS = (Kind.LONG, Kind.INT, Kind.DECIMAL, Kind.STRING, Kind.DOUBLE, Kind.BOOL)
"""Kinds of aggregates that make sense over any scope."""
