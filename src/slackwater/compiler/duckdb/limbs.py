"""Exact sums of floating-point numbers; the runtime implements what concerns far numbers."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.expr.limbs import NUMBER_PARTS, WIDTH, LimbTexts
from slackwater.expr.moments import Comoment
from slackwater.expr.nodes import AggregateCall, Call
from slackwater.types import DOUBLE

DUCKDB = LimbTexts(
    double="CAST({!r} AS DOUBLE)",
    truncated="trunc({})",
    carry=f"({{}} >> {WIDTH})",
    digit=f"({{}} & {2**WIDTH - 1})",
)


def write_far_limbs(call: AggregateCall, scope: Scope) -> str:
    """The limbs of a group's far numbers; groups without any cost no call from DuckDB to Python."""
    value, weight = scope.texts(call.args)
    terms = f"list(struct_pack(x := {value}, w := {weight})) FILTER (WHERE {value} IS NOT NULL)"
    return f"(CASE WHEN {terms} IS NULL THEN NULL ELSE far_limbs({terms}) END)"


def _part(call: Call, scope: Scope) -> str:
    return DUCKDB.part(call.function, *_doubles(call, scope))


def _near_digit(call: Call, scope: Scope) -> str:
    (value,) = _doubles(call, scope)
    place, highest = map(int, call.params)
    return DUCKDB.near_digit(value, place, highest)


def _doubles(call: Call, scope: Scope) -> list[str]:
    if any(value.dtype != DOUBLE for value in call.args):
        raise refused(call, "limbs of something else than doubles")
    return scope.texts(call.args)


def _add_limbs(call: Call, scope: Scope) -> str:
    one, other = scope.texts(call.args)
    both = f"add_limbs({one}, {other})"
    return f"(CASE WHEN {one} IS NULL THEN {other} WHEN {other} IS NULL THEN {one} ELSE {both} END)"


def _limbs_value(call: Call, scope: Scope) -> str:
    far, *limbs = scope.texts(call.args)
    mixed = f"limbs_value({far}, [{', '.join(limbs)}])"
    return f"(CASE WHEN {far} IS NULL THEN {DUCKDB.near_sum(limbs)} ELSE {mixed} END)"


def _comoment(call: Call, scope: Scope) -> str:
    given = Comoment.of(scope.texts(call.args))
    near = (f"[{', '.join(each)}]" for each in (given.left, given.right, given.products))
    return f"comoment({given.rows}, [{', '.join(given.far)}], [{', '.join(near)}])"


FORMS: Mapping[str, Form] = {
    **dict.fromkeys(NUMBER_PARTS, _part),
    "near_digit": _near_digit,
    "add_limbs": _add_limbs,
    "limbs_value": _limbs_value,
    "comoment": _comoment,
}
