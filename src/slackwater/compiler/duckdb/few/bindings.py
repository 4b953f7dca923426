"""Names bound to places in a row, and what evaluates expressions over it.

A row is a tuple of Python values: whole numbers, dates and timestamps are integers, decimals
the integers of their digits, texts are `str`, structs tuples, arrays lists, and NULL is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.expr.nodes import Call, ColumnId, Expr

Value = Any
Row = tuple[Value, ...]
Evaluator = Callable[[Row], Value]
"""The value of an expression in a row."""
Compiler = Callable[[Expr, "Bindings"], Evaluator]


class UnfitError(ArithmeticError):
    """A value that does not fit its type; whether that is an error is for an engine to say."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The places of columns and variables in a row, and what compiles parts of expressions."""

    compile: Compiler
    columns: Mapping[ColumnId, int]
    width: int
    """Values in a row; variables of lambdas come after the columns."""
    variables: Mapping[str, int] = field(default_factory=dict)

    def evaluator(self, expr: Expr) -> Evaluator:
        """The function that evaluates an expression."""
        return self.compile(expr, self)

    def evaluators(self, exprs: Iterable[Expr]) -> tuple[Evaluator, ...]:
        """Compile several expressions to functions of a row."""
        return tuple(self.compile(expr, self) for expr in exprs)

    def with_variable(self, name: str) -> Bindings:
        """The bindings inside a lambda, whose variable is the last value of the row."""
        inner = {**self.variables, name: self.width}
        return replace(self, width=self.width + 1, variables=inner)


CallCompiler = Callable[[Call, Bindings], Evaluator]
"""Compiles calls of one function; raises NotLocalError where its meaning is not known."""


def unknown(what: str) -> NotLocalError:
    """The error for what is not compiled: another engine computes it."""
    return NotLocalError(f"no Python form of {what}")
