"""Aggregates, also filtered ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb import group_values, percentiles
from slackwater.compiler.duckdb.functions import Division
from slackwater.compiler.duckdb.group_values import (
    GroupForm,
    only_where,
    write_count_of_several,
)
from slackwater.compiler.duckdb.limbs import write_far_limbs
from slackwater.compiler.duckdb.orders import comparable
from slackwater.compiler.duckdb.registers import write_count_by_registers
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.types import MAX_DIGITS, duckdb_type
from slackwater.expr.nodes import AggregateCall, Literal
from slackwater.expr.result_types import average_type, sum_type
from slackwater.types import DOUBLE, DecimalType, is_floating, is_integral

AggregateForm = Callable[[AggregateCall, Scope, str], str]
"""Writes calls of one aggregate; also takes what follows the call: FILTER or OVER."""
_MORE_DIGITS = 10
"""A sum has so many digits more than what is summed."""
_COUNT = DecimalType(20, 0)


def write_aggregate(call: AggregateCall, scope: Scope) -> str:
    """An aggregate over a group."""
    if call.function == "far_limbs":
        return write_far_limbs(call, scope)
    if call.function in _OF_GROUPS:
        return _OF_GROUPS[call.function](call, scope)
    if call.function == "count" and len(call.args) > 1:
        return write_count_of_several(call, scope)
    return write_over(call, scope, only_where(call, scope))


def write_over(call: AggregateCall, scope: Scope, after: str) -> str:
    """An aggregate with what follows it: FILTER or OVER."""
    form = _AGGREGATES.get(call.function)
    if form is None or call.order or call.params or len(call.args) != 1:
        raise refused(call, f"such a use of {call.function}")
    return form(call, scope, after)


def _argument(call: AggregateCall, scope: Scope) -> str:
    """The argument of an aggregate; DISTINCT only where both engines equate values alike."""
    (value,) = call.args
    return f"DISTINCT {comparable(value, scope)}" if call.distinct else scope.text(value)


def _sum(call: AggregateCall, scope: Scope, after: str) -> str:
    (value,) = call.args
    dtype = value.dtype
    if call.dtype != sum_type(call.args):
        raise refused(call, "a sum of another type")
    if is_integral(dtype):
        return f"CAST(sum({_argument(call, scope)}){after} AS BIGINT)"
    if is_floating(dtype):
        return _double_total(call, scope, after)
    if not isinstance(dtype, DecimalType):
        raise refused(call, "a sum of such values")
    total = _total(_argument(call, scope), dtype, after)
    if dtype.precision + _MORE_DIGITS < MAX_DIGITS:
        return f"CAST({total} AS {duckdb_type(call.dtype)})"
    return total


def _total(text: str, dtype: DecimalType, after: str) -> str:
    """The sum, as a decimal of 38 digits; DuckDB counts them when it adds, not when it sums."""
    total = f"sum({text}){after}"
    if dtype.precision + _MORE_DIGITS < MAX_DIGITS:
        return total
    return f"({total} + CAST(0 AS DECIMAL({MAX_DIGITS},{dtype.scale})))"


def _double_total(call: AggregateCall, scope: Scope, after: str) -> str:
    """A sum of doubles; in which order rows of a group are added is open in Spark too."""
    (value,) = call.args
    text = comparable(value, scope) if call.distinct else scope.text(value)
    distinct = "DISTINCT " if call.distinct else ""
    return f"sum({distinct}CAST({text} AS DOUBLE)){after}"


def _average(call: AggregateCall, scope: Scope, after: str) -> str:
    (value,) = call.args
    dtype, result = value.dtype, call.dtype
    if (is_integral(dtype) or is_floating(dtype)) and result == DOUBLE:
        return f"({_double_total(call, scope, after)} / count({_argument(call, scope)}){after})"
    if not isinstance(dtype, DecimalType) or not isinstance(result, DecimalType):
        raise refused(call, "an average of such values")
    if result != average_type(call.args):
        raise refused(call, "an average of another type")
    text = _argument(call, scope)
    count = f"CAST(nullif(count({text}){after}, 0) AS {duckdb_type(_COUNT)})"
    division = Division(MAX_DIGITS, dtype.scale, _COUNT.precision, _COUNT.scale, result.scale)
    quotient = f"{division.name}(({_total(text, dtype, after)}), {count})"
    return f"CAST({quotient} AS {duckdb_type(result)})"


def _count(call: AggregateCall, scope: Scope, after: str) -> str:
    (value,) = call.args
    if isinstance(value, Literal) and value.value is not None and not call.distinct:
        return f"count(*){after}"
    distinct = "DISTINCT " if call.distinct else ""
    return f"count({distinct}{comparable(value, scope)}){after}"


def _extreme(function: str) -> AggregateForm:
    def form(call: AggregateCall, scope: Scope, after: str) -> str:
        (value,) = call.args
        return f"{function}({comparable(value, scope)}){after}"

    return form


_OF_GROUPS: Mapping[str, GroupForm] = {
    **group_values.FORMS,
    **percentiles.FORMS,
    "count_by_registers": write_count_by_registers,
}
_AGGREGATES: Mapping[str, AggregateForm] = {
    "sum": _sum,
    "avg": _average,
    "count": _count,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "bit_and": _extreme("bit_and"),
    "bit_or": _extreme("bit_or"),
    "bit_xor": _extreme("bit_xor"),
}
