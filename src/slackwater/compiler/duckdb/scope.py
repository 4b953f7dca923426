"""The names an expression may use: columns of a SELECT and variables of lambdas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.select_parts import Texts
from slackwater.expr.nodes import Call, ColumnId, Expr
from slackwater.expr.sql import ExpressionPrinter

Writer = Callable[[Expr, "Scope"], str]


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns and variables that an expression may name, and what writes its parts."""

    write: Writer
    columns: Texts
    failing: frozenset[ColumnId] = frozenset()
    """Columns that are computed below and may fail there."""
    variables: tuple[tuple[str, str], ...] = ()
    """The variables of the lambdas around it, the innermost first, each with its text."""

    def text(self, expr: Expr) -> str:
        """A value in DuckDB's SQL."""
        return self.write(expr, self)

    def texts(self, exprs: Iterable[Expr]) -> list[str]:
        """Several values."""
        return [self.text(expr) for expr in exprs]

    def with_variable(self, name: str, form: str = "{}") -> tuple[Scope, str]:
        """The scope inside a lambda, and the text of its variable; a form says how it is used."""
        # No column and no table of ours has such a name, and no lambda around this one.
        text = f"item{len(self.variables)}"
        return replace(self, variables=((name, form.format(text)), *self.variables)), text


Form = Callable[[Call, Scope], str]
"""Writes calls of one function; raises NotLocalError where engines may not agree."""


def refused(expr: Expr, reason: str) -> NotLocalError:
    """The error for an expression that is left to Spark."""
    return NotLocalError(f"{reason}: {ExpressionPrinter().text(expr)} of type {expr.dtype}")
