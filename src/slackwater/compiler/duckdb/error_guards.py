"""Keeps the errors of expressions where DuckDB would rewrite them into others that have none.

DuckDB turns `a + 1 > 5` into `a > 4` and compares what a cast was made of instead of its result.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.expr.nodes import (
    AggregateCall,
    Call,
    ColumnId,
    ColumnRef,
    Expr,
    LambdaVariable,
    walk,
)
from slackwater.expr.properties import may_raise, referenced_columns
from slackwater.types import is_floating

_OVERFLOWING = frozenset(("sum", "avg", "single_value"))


def may_fail(expr: Expr, failing: frozenset[ColumnId] = frozenset()) -> bool:
    """True if there are values for which an expression has no result but an error.

    The columns in `failing` are such expressions themselves.
    """
    if failing & referenced_columns(expr) or may_raise(expr):
        return True
    return any(
        isinstance(each, AggregateCall) and each.function in _OVERFLOWING for each in walk(expr)
    )


def operands(call: Call) -> tuple[Expr, ...]:
    """The parts of a chain of ANDs or of ORs in their order, however they are nested."""
    found: list[Expr] = []
    for each in call.args:
        same = isinstance(each, Call) and each.function == call.function
        found += operands(each) if isinstance(each, Call) and same else (each,)
    return tuple(found)


def shielded(
    exprs: Sequence[Expr], texts: Sequence[str], failing: frozenset[ColumnId]
) -> list[str]:
    """Values that are compared; DuckDB sees no arithmetic and no cast beside a constant.

    Nor does it see columns of floating-point numbers (`float_keys.py`).
    """
    constant = any(map(_is_constant, exprs))
    return [
        f"coalesce({text}, NULL)"
        if is_floating(expr.dtype) or (constant and may_fail(expr, failing))
        else text
        for expr, text in zip(exprs, texts, strict=True)
    ]


def _is_constant(expr: Expr) -> bool:
    rows = ColumnRef | AggregateCall | LambdaVariable
    return not any(isinstance(each, rows) for each in walk(expr))
