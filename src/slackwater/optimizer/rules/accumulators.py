"""How aggregates are remembered: running values that take changes, and what finishes them.

Only accumulators that stay exact under deletion are used. Whole numbers and decimals add up
to the last digit; sums of floating-point numbers do not survive a deletion (1e20 + 1 - 1e20
is 0), so those aggregates are left to rules that keep the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operators import Aggregate
from slackwater.expr.nodes import AggregateCall, Expr, Literal
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.base import PRINTER
from slackwater.types import BIGINT, DataType, DecimalType, is_integral

_SUM_DIGITS = 27
"""Sums of decimals of up to this many digits fit into 37, and two of those add up exactly."""
_WIDE_SUM_SCALE = 6
"""Wider ones add up exactly too while Spark's addition keeps all digits behind the point."""
_AVERAGE_DIGITS = 15
"""Up to here a quotient has digits enough to round as Spark's own average does."""
_SIGNED_DIGITS = 34
"""Where Spark changes the sign of a longer decimal, it drops the digits behind these."""
_QUOTIENT_DIGITS = 34
"""A dividend this wide gives a quotient of 4 digits more behind the point, as averages have."""


@dataclass(frozen=True, slots=True)
class Accumulator:
    """One running value of a group."""

    dtype: DataType
    change: str
    """What the changes add to it: an aggregate over the input's columns and `_w`."""
    merge: str = "sum"
    """How old and change combine: sum, least or greatest."""
    lost: str = ""
    """What the changes take away from it, where that can leave it without a value."""

    def merged(self, old: str, change: str) -> str:
        """The value after the run; `old` is NULL for a group that was not there."""
        if self.merge == "sum":
            return f"CAST(coalesce({old}, 0) + {change} AS {self.dtype.sql()})"
        return f"{self.merge}({old}, {change})"

    def exposed(self, old: str, change: str, lost: str) -> str:
        """Whether the value may have been taken away, and nothing as extreme came instead."""
        beyond = "<=" if self.merge == "least" else ">="
        replaced = f"coalesce({change} {beyond} {old}, FALSE)"
        return f"(coalesce({lost} {beyond} {old}, FALSE) AND NOT {replaced})"


@dataclass(frozen=True, slots=True)
class Remembered:
    """An aggregate as accumulators and the expression that finishes it.

    The expression names its accumulators {0}, {1}, ... and the group's rows {n}.
    """

    accumulators: tuple[Accumulator, ...]
    finish: str


def remember(call: Expr, *, grows: bool, facts: Facts) -> Remembered | str:
    """How to remember an aggregate, or why it cannot be; `grows` says that rows never leave."""
    if not isinstance(call, AggregateCall):
        return "not an aggregate"
    if call.function in ("min", "max"):
        return _extreme(call) if grows else f"{call.function} needs the group's rows under deletes"
    if call.distinct:
        return f"{call.function}(DISTINCT) needs the values of its group"
    if call.function == "count":
        return _count(call)
    if call.function in ("sum", "avg"):
        return _sum_or_average(call, facts.widest_sum)
    return f"{call.function} needs the rows of its group"


def _count(call: AggregateCall) -> Remembered:
    counted = [arg for arg in call.args if arg.nullable and not isinstance(arg, Literal)]
    if not counted and call.where is None and not _counts_null(call):
        return Remembered((), "{n}")
    condition = _condition(call, call.args)
    change = f"coalesce(sum(_w) FILTER (WHERE {condition}), 0)"
    return Remembered((Accumulator(BIGINT, change),), "{0}")


def _counts_null(call: AggregateCall) -> bool:
    return any(isinstance(arg, Literal) and arg.value is None for arg in call.args)


def _sum_or_average(call: AggregateCall, widest: int) -> Remembered | str:
    (arg,) = call.args
    kept = _total_type(arg.dtype, widest)
    value = None
    if kept is not None:
        value = _finish_sum(call) if call.function == "sum" else _finish_average(call, arg)
    if kept is None or value is None:
        return f"{call.function} of {arg.dtype} is not exact when values are taken away again"
    text = PRINTER.text(arg)
    whole = is_integral(arg.dtype)
    term = f"CAST({text} AS DECIMAL(20,0)) * _w" if whole else _decimal_term(text, arg.dtype)
    condition = _condition(call, (arg,))
    total = f"coalesce(sum({term}) FILTER (WHERE {condition}), 0)"
    accumulators = [Accumulator(kept, f"CAST({total} AS {kept.sql()})")]
    counted = "{n}"
    if arg.nullable or call.where is not None:
        change = f"coalesce(sum(_w) FILTER (WHERE {condition}), 0)"
        accumulators.append(Accumulator(BIGINT, change))
        counted = "{1}"
    finished = value.replace("{counted}", counted)
    return Remembered(tuple(accumulators), f"CASE WHEN {counted} > 0 THEN {finished} END")


def _total_type(dtype: DataType, widest: int) -> DecimalType | None:
    """A type whose sums, and sums of sums, are exact; None if there is none."""
    if is_integral(dtype):
        return DecimalType(38, 0)
    if not isinstance(dtype, DecimalType):
        return None
    if dtype.precision <= _SUM_DIGITS:
        return DecimalType(37, dtype.scale)
    if dtype.precision > widest or dtype.scale > _WIDE_SUM_SCALE:
        return None
    return DecimalType(38, dtype.scale)


def _decimal_term(text: str, dtype: DataType) -> str:
    """A decimal times its weight; the common weights spare the multiplication."""
    wide = isinstance(dtype, DecimalType) and dtype.precision > _SIGNED_DIGITS
    negative = f"0 - {text}" if wide else f"-{text}"
    product = f"{text} * CAST(_w AS DECIMAL(10,0))"
    return f"CASE _w WHEN 1 THEN {text} WHEN -1 THEN {negative} ELSE {product} END"


def _finish_sum(call: AggregateCall) -> str:
    return f"CAST({{0}} AS {call.dtype.sql()})"


def _finish_average(call: AggregateCall, arg: Expr) -> str | None:
    if not isinstance(arg.dtype, DecimalType):
        return "CAST({0} AS DOUBLE) / {counted}"
    digits = arg.dtype.precision + 10
    if arg.dtype.precision > _AVERAGE_DIGITS:
        digits = max(digits, _QUOTIENT_DIGITS)
        if digits > 38 or _quotient_scale(digits, arg.dtype.scale) != arg.dtype.scale + 4:
            return None
    total = DecimalType(digits, arg.dtype.scale)
    quotient = f"CAST({{0}} AS {total.sql()}) / CAST({{counted}} AS DECIMAL(20,0))"
    return f"CAST({quotient} AS {call.dtype.sql()})"


def _quotient_scale(digits: int, scale: int) -> int:
    """How many digits behind the point Spark gives a decimal divided by a DECIMAL(20,0)."""
    return max(38 - (digits - scale), 6)


def _extreme(call: AggregateCall) -> Remembered:
    (arg,) = call.args
    merge = "least" if call.function == "min" else "greatest"
    where = "" if call.where is None else f" AND {PRINTER.text(call.where)}"
    value = f"{call.function}({PRINTER.text(arg)})"
    arrived, left = (f"{value} FILTER (WHERE _w {sign} 0{where})" for sign in (">", "<"))
    return Remembered((Accumulator(arg.dtype, arrived, merge, left),), "{0}")


def _condition(call: AggregateCall, args: tuple[Expr, ...]) -> str:
    parts = [f"{PRINTER.text(arg)} IS NOT NULL" for arg in args if arg.nullable or _is_null(arg)]
    if call.where is not None:
        parts.append(PRINTER.text(call.where))
    return " AND ".join(parts) or "TRUE"


def _is_null(arg: Expr) -> bool:
    return isinstance(arg, Literal) and arg.value is None


@dataclass(frozen=True, slots=True)
class GroupState:
    """The stored row of a group: keys k0 ..., accumulators, and the number of rows last."""

    rel: Aggregate
    remembered: tuple[Remembered, ...]

    @property
    def accumulators(self) -> tuple[Accumulator, ...]:
        """All running values, the number of rows last."""
        each = tuple(one for aggregate in self.remembered for one in aggregate.accumulators)
        return (*each, Accumulator(BIGINT, "coalesce(sum(_w), 0)"))

    @property
    def types(self) -> tuple[DataType, ...]:
        """The types of the stored columns."""
        keys = tuple(key.column.dtype for key in self.rel.keys)
        return (*keys, *(one.dtype for one in self.accumulators))

    def finished(self, name: str) -> list[str]:
        """The operator's columns as SQL over the stored columns `name`0, `name`1, ..."""
        position = len(self.rel.keys)
        rows = f"{name}{len(self.types) - 1}"
        texts = [f"{name}{n}" for n in range(position)]
        for aggregate in self.remembered:
            own = [f"{name}{position + n}" for n in range(len(aggregate.accumulators))]
            texts.append(aggregate.finish.format(*own, n=rows))
            position += len(own)
        return texts

    def partial(self, table: str, *, losses: bool = False) -> str:
        """The changes of all groups: one row per group that `table` (with `_w`) touches.

        With `losses` also what is taken away from running values, as d0, d1, ...
        """
        keys = [PRINTER.text(key.expr) for key in self.rel.keys]
        items = [f"{text} AS k{n}" for n, text in enumerate(keys)]
        first = len(keys)
        items += [f"{one.change} AS k{first + n}" for n, one in enumerate(self.accumulators)]
        if losses:
            lost = (one.lost for one in self.accumulators)
            items += [f"{text} AS d{n}" for n, text in enumerate(lost) if text]
        by = ", ".join(map(PRINTER.group_key, (key.expr for key in self.rel.keys)))
        grouping = f" GROUP BY {by}" if by else ""
        return f"SELECT {', '.join(items)} FROM {table}{grouping}"


def group_state(rel: Aggregate, *, grows: bool, facts: Facts) -> GroupState | str:
    """What to store of each group, or why rows must be stored instead."""
    remembered = []
    for output in rel.aggregates:
        found = remember(output.expr, grows=grows, facts=facts)
        if isinstance(found, str):
            return found
        remembered.append(found)
    return GroupState(rel, tuple(remembered))
