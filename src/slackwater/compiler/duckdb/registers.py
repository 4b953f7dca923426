"""Estimates of how many values differ, from the registers of a sketch."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.once import bound
from slackwater.compiler.duckdb.scope import Form, Scope
from slackwater.expr.nodes import AggregateCall, Call
from slackwater.expr.registers import EstimateTexts, Sketch

DUCKDB = EstimateTexts(
    double="CAST({!r} AS DOUBLE)",
    array="CAST([{}] AS DOUBLE[])",
    counted="len(list_filter({}, lambda bound: {}))",
    element="({})[1 + {}]",
    bound="(list_transform([struct_pack(raw := {}, counted := {})], lambda found: {})[1])",
)


_DIGIT_BITS = 6
_DIGITS = 1 << _DIGIT_BITS
"""More digits than the rest of a hash can have."""


def _estimate(call: Call, scope: Scope) -> str:
    total, registers = scope.texts(call.args)
    return DUCKDB.estimate(Sketch.of(call.params), total, registers)


def write_count_by_registers(call: AggregateCall, scope: Scope) -> str:
    """The estimate over a group of registers."""
    (digits,) = scope.texts(call.args)
    total = f"coalesce(CAST(sum(CAST(1 AS BIGINT) << {digits}) AS DOUBLE), CAST(0 AS DOUBLE))"
    return DUCKDB.estimate(Sketch.of(call.params), total, f"count({digits})")


def write_estimate_of_hashes(sketch: Sketch, hashed: str, only: str) -> str:
    """The estimate over a group of hashes, whose registers are found inside of the group.

    A register and its digits are one number, so that the least number of each register is the
    first of several in their order.
    """
    rest = f"(hashed & {sketch.rest_mask})"
    digits = f"CASE WHEN {rest} = 0 THEN 0 ELSE length(bin({rest})) END"
    number = f"(hashed >> {sketch.address_shift}) * {_DIGITS} + {digits}"
    numbers = f"list(DISTINCT {bound('hashed', hashed, number)}){only}"
    before = f"(numbers[nth - 1] >> {_DIGIT_BITS})"
    other = f"nth = 1 OR (number >> {_DIGIT_BITS}) <> {before}"
    least = f"list_filter(numbers, lambda number, nth: {other})"
    found = bound("numbers", f"list_sort(coalesce({numbers}, CAST([] AS BIGINT[])))", least)
    terms = f"list_transform({found}, lambda number: CAST(1 AS BIGINT) << (number & {_DIGITS - 1}))"
    total = f"coalesce(CAST(list_sum({terms}) AS DOUBLE), CAST(0 AS DOUBLE))"
    return DUCKDB.estimate(sketch, total, f"len({terms})")


FORMS: Mapping[str, Form] = {"registers_estimate": _estimate}
