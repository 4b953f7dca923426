"""Keeps the errors of expressions where DuckDB would rewrite them into others that have none.

DuckDB turns `a + 1 > 5` into `a > 4` and compares what a cast was made of instead of its result.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlglot import exp

from slackwater.runtime.local.forms.base import Typed

_FAILING = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs, exp.Cast, exp.Sum, exp.Avg)


def may_fail(node: exp.Expression, failing: Collection[str] = ()) -> bool:
    """Whether there are values for which an expression has no result but an error.

    The columns named in `failing` are such expressions themselves.
    """
    if any(column.parts[0].name in failing for column in node.find_all(exp.Column)):
        return True
    return any(not _is_written_out(each) for each in node.find_all(*_FAILING))


def failing_columns(source: exp.Expression) -> set[str]:
    """The columns of a subquery that may fail: what is asked of them is computed below it."""
    query: Any = source.unnest()
    if isinstance(query, exp.Union):
        # Only the names of the first branch count, and any of them may be what the second fails at.
        second = failing_columns(query.expression)
        return set(query.named_selects) if second else failing_columns(query.this)
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return set()
    below, found = failing_columns(query.args["from_"].this), set()
    for item in query.expressions:
        if isinstance(item, exp.Star):
            found |= below
        elif may_fail(item, below):
            found.add(item.alias_or_name)
    return found


def operands(node: Any) -> list[Any]:
    """The parts of a chain of ANDs or of ORs in their order, however they are nested.

    Anything else is its own only part.
    """
    whole = node.unnest()
    if not isinstance(whole, exp.Connector):
        return [whole]
    parts: list[Any] = []
    for side in (whole.this, whole.expression):
        inner = side.unnest()
        parts += operands(inner) if type(inner) is type(whole) else [inner]
    return parts


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
