"""Forms that name their arguments several times, each of which is computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slackwater.compiler.duckdb.scope import Scope
from slackwater.expr.nodes import ColumnRef, Expr, LambdaVariable, Literal


def once(exprs: Sequence[Expr], scope: Scope, write: Callable[..., str]) -> str:
    """The text that `write` makes of the texts of some values, none of which is computed twice."""
    given: list[str] = []
    wrapped: list[tuple[str, str]] = []
    for expr in exprs:
        if isinstance(expr, ColumnRef | LambdaVariable | Literal):
            given.append(scope.text(expr))
            continue
        # It has no name by which a query could ask for it.
        inner, variable = scope.with_variable("")
        wrapped.append((variable, scope.text(expr)))
        given.append(variable)
        scope = inner
    text = write(*given)
    for variable, value in reversed(wrapped):
        text = bound(variable, value, text)
    return text


def bound(variable: str, value: str, body: str) -> str:
    """The text of a body in which a variable stands for a value.

    >>> bound("v", "a + b", "v * v")
    '(list_transform([a + b], lambda v: v * v)[1])'
    """
    # A part of a CASE is computed wherever it is written, but the elements of a list once.
    return f"(list_transform([{value}], lambda {variable}: {body})[1])"
