"""Compiles expressions to functions of a row: tables for the functions, a line each."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

from slackwater.compiler.duckdb.few import arithmetic, conditions, containers
from slackwater.compiler.duckdb.few.bindings import Bindings, CallCompiler, Evaluator, unknown
from slackwater.compiler.duckdb.few.containers import compile_field, compile_variable
from slackwater.compiler.duckdb.few.conversions import compile_cast, compile_literal
from slackwater.expr.nodes import (
    Call,
    Cast,
    ColumnRef,
    Expr,
    FieldAccess,
    LambdaVariable,
    Literal,
)

CALLS: Mapping[str, CallCompiler] = {
    **conditions.CALLS,
    **arithmetic.CALLS,
    **containers.CALLS,
}


def compile_expression(expr: Expr, bindings: Bindings) -> Evaluator:
    """Compile an expression to a function that gives Spark's value, or raise NotLocalError."""
    match expr:
        case Literal():
            return compile_literal(expr)
        case ColumnRef():
            return itemgetter(bindings.columns[expr.id])
        case Cast():
            return compile_cast(expr, bindings)
        case FieldAccess():
            return compile_field(expr, bindings)
        case LambdaVariable():
            return compile_variable(expr, bindings)
        case Call(function=function) if function in CALLS:
            return CALLS[function](expr, bindings)
        case _:
            raise unknown(f"such an expression: {type(expr).__name__}")
