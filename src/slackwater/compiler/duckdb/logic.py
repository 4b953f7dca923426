"""Conditions, comparisons and choices between values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.compiler.duckdb.casts import together, under
from slackwater.compiler.duckdb.error_guards import may_fail, operands, shielded
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import is_simple
from slackwater.expr.nodes import Call, Expr
from slackwater.types import BIGINT, BOOLEAN, FLOAT, VOID, ArrayType

_LIMBS = ArrayType(BIGINT)


def condition(expr: Expr, scope: Scope) -> str:
    """A value that is true, false or NULL."""
    if expr.dtype not in (BOOLEAN, VOID):
        raise refused(expr, "a condition that is none")
    return scope.text(expr)


def compared(exprs: tuple[Expr, ...], scope: Scope) -> list[str]:
    """Values that are compared with one another."""
    return shielded(exprs, together(exprs, scope), scope.failing)


def _connective(sign: str, decided: str) -> Form:
    """AND or OR; `decided` is the value of a part that leaves nothing to those behind it.

    Spark computes the next part for any other value, also for NULL, and the first one always.
    DuckDB would pass over rows that a filter drops anyway, and begin with any part.
    """

    def form(call: Call, scope: Scope) -> str:
        exprs = operands(call)
        parts = [condition(each, scope) for each in exprs]
        text = f"({f' {sign} '.join(parts)})"
        if any(may_fail(each, scope.failing) for each in exprs):
            whens = " ".join(f"WHEN {part} IS {decided} THEN {decided}" for part in parts[:-1])
            text = f"(CASE {whens} ELSE {text} END)"
        return text

    return form


def _not(call: Call, scope: Scope) -> str:
    (inner,) = call.args
    return f"(NOT {condition(inner, scope)})"


def _null_test(test: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        (value,) = call.args
        return f"({scope.text(value)} {test})"

    return form


def _comparison(sign: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        left, right = compared(call.args, scope)
        return f"({left} {sign} {right})"

    return form


def _sameness(call: Call, scope: Scope) -> str:
    """Equality in which NULL equals NULL; also of limbs, which are arrays."""
    if any(each.dtype != _LIMBS for each in call.args):
        return _comparison("IS NOT DISTINCT FROM")(call, scope)
    left, right = scope.texts(call.args)
    return f"({left} IS NOT DISTINCT FROM {right})"


def _in(call: Call, scope: Scope) -> str:
    value, *options = compared(call.args, scope)
    if not options:
        raise refused(call, "IN without values")
    return f"({value} IN ({', '.join(options)}))"


def _case(call: Call, scope: Scope) -> str:
    args = call.args
    branches = zip(args[::2], args[1::2], strict=False)
    return _choice(call, branches, args[-1] if len(args) % 2 else None, scope)


def _if(call: Call, scope: Scope) -> str:
    when, then, otherwise = call.args
    return _choice(call, [(when, then)], otherwise, scope)


def _choice(
    call: Call, branches: Iterable[tuple[Expr, Expr]], otherwise: Expr | None, scope: Scope
) -> str:
    parts = [
        f"WHEN {condition(when, scope)} THEN {under(then, call.dtype, scope)}"
        for when, then in branches
    ]
    if otherwise is not None:
        parts.append(f"ELSE {under(otherwise, call.dtype, scope)}")
    return f"(CASE {' '.join(parts)} END)"


def _coalesce(call: Call, scope: Scope) -> str:
    return f"coalesce({', '.join(under(each, call.dtype, scope) for each in call.args)})"


def _extreme(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        if not is_simple(call.dtype):
            raise refused(call, "comparing values")
        texts = [under(each, call.dtype, scope) for each in call.args]
        if call.dtype == FLOAT:
            # Of single floats DuckDB gives 0.0 for -0.0; of doubles both engines give the first.
            doubles = ", ".join(f"CAST({text} AS DOUBLE)" for text in texts)
            return f"CAST({function}({doubles}) AS FLOAT)"
        return f"{function}({', '.join(texts)})"

    return form


FORMS: Mapping[str, Form] = {
    "and": _connective("AND", "FALSE"),
    "or": _connective("OR", "TRUE"),
    "not": _not,
    "isnull": _null_test("IS NULL"),
    "isnotnull": _null_test("IS NOT NULL"),
    "=": _comparison("="),
    "<": _comparison("<"),
    "<=": _comparison("<="),
    ">": _comparison(">"),
    ">=": _comparison(">="),
    "<=>": _sameness,
    "in": _in,
    "case": _case,
    "if": _if,
    "coalesce": _coalesce,
    "greatest": _extreme("greatest"),
    "least": _extreme("least"),
}
