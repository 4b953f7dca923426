"""Percentiles, from the sorted values of a group by Spark's own formula."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.group_values import GroupForm, only_where
from slackwater.compiler.duckdb.orders import comparable
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.types import duckdb_type
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.expr.shares import written_shares
from slackwater.types import DOUBLE, ArrayType, DecimalType, is_floating, is_numeric


def _percentile(call: AggregateCall, scope: Scope) -> str:
    value, shares, *frequency = call.args
    if any(not isinstance(each, Literal) or each.value != "1" for each in frequency):
        raise refused(call, "a percentile of counted values")
    return _each_share(call, shares, _Sorted(call, value, "ASC", scope), "continuous")


def _within(kind: str) -> GroupForm:
    def form(call: AggregateCall, scope: Scope) -> str:
        if len(call.order) != 1 or len(call.args) != 1:
            raise refused(call, "such a percentile")
        (key,) = call.order
        direction = "ASC" if key.ascending else "DESC"
        return _each_share(call, call.args[0], _Sorted(call, key.expr, direction, scope), kind)

    return form


class _Sorted:
    """The values of a group in order, as DuckDB's texts."""

    def __init__(self, call: AggregateCall, value: Expr, direction: str, scope: Scope) -> None:
        if call.distinct or not is_numeric(value.dtype):
            raise refused(call, "such a percentile")
        text = comparable(value, scope)
        only = only_where(call, scope, f"{text} IS NOT NULL")
        self._values = f"(list({text} ORDER BY {text} {direction}){only})"
        if is_floating(value.dtype):
            # Which of both zeros Spark shows depends on which it met first.
            zeros = f"bool_or({text} = 0 AND signbit({text})){only}"
            fails = f"CAST(error('a zero with a sign') AS {duckdb_type(value.dtype)}[])"
            self._values = f"(CASE WHEN {zeros} THEN {fails} ELSE {self._values} END)"
        self._dtype = value.dtype
        self._count = f"CAST(len({self._values}) AS DOUBLE)"

    def continuous(self, share: str) -> str:
        """The value at a share of the way from the first to the last, between two if need be."""
        place = f"(({self._count} - 1) * {share})"
        low, high = self._at(f"floor({place})"), self._at(f"ceil({place})")
        below = f"((ceil({place}) - {place}) * {self._double(low)})"
        above = f"(({place} - floor({place})) * {self._double(high)})"
        return f"(CASE WHEN {low} = {high} THEN {self._double(low)} ELSE {below} + {above} END)"

    def discrete(self, share: str) -> str:
        """The first value that is not before a share of all."""
        place = f"greatest(ceil({self._count} * {share}) - 1, 0)"
        return self._double(self._at(place))

    def _at(self, place: str) -> str:
        return f"({self._values})[CAST({place} AS BIGINT) + 1]"

    def _double(self, text: str) -> str:
        """The double next to a number; of decimals, DuckDB finds it by their text."""
        if isinstance(self._dtype, DecimalType):
            return f"CAST(CAST({text} AS VARCHAR) AS DOUBLE)"
        return f"CAST({text} AS DOUBLE)"


def _each_share(call: AggregateCall, shares: Expr, values: _Sorted, kind: str) -> str:
    write = values.continuous if kind == "continuous" else values.discrete
    each = [write(f"CAST('{text}' AS DOUBLE)") for text in written_shares(shares)]
    if not each:
        raise refused(call, "a percentile that is not written out")
    if call.dtype == DOUBLE and shares.dtype == DOUBLE:
        return each[0]
    if call.dtype != ArrayType(DOUBLE, False):
        raise refused(call, "such percentiles")
    return f"(CASE WHEN {each[0]} IS NULL THEN NULL ELSE [{', '.join(each)}] END)"


FORMS: Mapping[str, GroupForm] = {
    "percentile": _percentile,
    "percentile_cont": _within("continuous"),
    "percentile_disc": _within("discrete"),
}
