"""Estimates of how many values differ, from the registers of a sketch."""

from __future__ import annotations

from collections.abc import Mapping

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


def _estimate(call: Call, scope: Scope) -> str:
    total, registers = scope.texts(call.args)
    return DUCKDB.estimate(Sketch.of(call.params), total, registers)


def write_count_by_registers(call: AggregateCall, scope: Scope) -> str:
    """The estimate over a group of registers."""
    (digits,) = scope.texts(call.args)
    total = f"coalesce(CAST(sum(CAST(1 AS BIGINT) << {digits}) AS DOUBLE), CAST(0 AS DOUBLE))"
    return DUCKDB.estimate(Sketch.of(call.params), total, f"count({digits})")


FORMS: Mapping[str, Form] = {"registers_estimate": _estimate}
