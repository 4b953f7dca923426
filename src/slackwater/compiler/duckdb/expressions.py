"""Prints expressions for DuckDB: tables for the many functions, a line a function."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb import (
    bits,
    dates,
    json_texts,
    limbs,
    lists,
    logic,
    nested,
    numbers,
    regexes,
    registers,
    rounding,
    texts,
)
from slackwater.compiler.duckdb.aggregates import write_aggregate
from slackwater.compiler.duckdb.casts import write_cast
from slackwater.compiler.duckdb.literals import write_literal
from slackwater.compiler.duckdb.nested import write_field, write_variable
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.expr.nodes import (
    UNKNOWN_TYPE,
    AggregateCall,
    Call,
    Cast,
    ColumnRef,
    Expr,
    FieldAccess,
    LambdaVariable,
    Literal,
)

FORMS: Mapping[str, Form] = {
    **logic.FORMS,
    **numbers.FORMS,
    **rounding.FORMS,
    **bits.FORMS,
    **texts.FORMS,
    **regexes.FORMS,
    **json_texts.FORMS,
    **nested.FORMS,
    **lists.FORMS,
    **limbs.FORMS,
    **registers.FORMS,
    **dates.FORMS,
    "+": dates.moved_or(numbers.FORMS["+"]),
}


def write(expr: Expr, scope: Scope) -> str:
    """A value in DuckDB's SQL, of exactly the type that Spark gives it."""
    match expr:
        case Literal():
            return write_literal(expr)
        case ColumnRef():
            return scope.columns[expr.id]
        case Cast():
            return write_cast(expr, scope)
        case FieldAccess():
            return write_field(expr, scope)
        case LambdaVariable():
            return write_variable(expr, scope)
        case Call():
            return _call(expr, scope)
        case AggregateCall():
            return write_aggregate(expr, scope)
        case _:
            raise refused(expr, "such an expression")


def _call(call: Call, scope: Scope) -> str:
    form = FORMS.get(call.function)
    if form is None:
        raise refused(call, f"the function {call.function}")
    if call.dtype == UNKNOWN_TYPE:
        raise refused(call, "a value of unknown type")
    return form(call, scope)
