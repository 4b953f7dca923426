"""Keeps the errors of expressions where DuckDB would rewrite them into others that have none.

DuckDB turns `a + 1 > 5` into `a > 4` and compares what a cast was made of instead of its result.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from slackwater.runtime.local.forms.base import Typed

_FAILING = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs, exp.Cast, exp.Sum, exp.Avg)


def may_fail(node: exp.Expression) -> bool:
    """Whether there are values for which an expression has no result but an error."""
    return any(not _is_written_out(each) for each in node.find_all(*_FAILING))


def shielded(nodes: Sequence[exp.Expression], values: Sequence[Typed]) -> list[Typed]:
    """Values that are compared; DuckDB sees no arithmetic and no cast beside a constant."""
    if not any(_is_constant(node) for node in nodes):
        return list(values)
    return [
        Typed(f"coalesce({value.sql}, NULL)", value.dtype) if may_fail(node) else value
        for node, value in zip(nodes, values, strict=True)
    ]


def _is_constant(node: exp.Expression) -> bool:
    return node.find(exp.Identifier, exp.AggFunc) is None


def _is_written_out(node: exp.Condition) -> bool:
    """Whether it is a number with a sign or of a type, not something computed."""
    inner = node.this
    while isinstance(inner, exp.Paren | exp.Neg):
        inner = inner.this
    return isinstance(node, exp.Cast | exp.Neg) and isinstance(inner, exp.Literal)
