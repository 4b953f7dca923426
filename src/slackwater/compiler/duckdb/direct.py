"""The commonest statements without any engine: columns of one table, renamed, with their hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.algebra.operators import Project, Scan
from slackwater.compiler.duckdb.types import NotLocalError, arrow_type
from slackwater.expr.nodes import Call, Cast, ColumnId, ColumnRef, Expr, Literal
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT, DATE, INTEGER, STRING, DataType, is_integral

_HASHED = (BIGINT, INTEGER, DATE, STRING)
"""The types whose values are hashed as they are stored."""


@dataclass(frozen=True, slots=True)
class HashedColumns:
    """The hash of some columns, each with its type; of none it is a constant."""

    columns: tuple[tuple[str, DataType], ...]


DirectOutput = str | int | HashedColumns


@dataclass(frozen=True, slots=True)
class Direct:
    """A SELECT of columns, hashes of columns and whole numbers from one table."""

    table: str
    outputs: tuple[tuple[str, DirectOutput], ...]


def read_direct(statement: Statement) -> Direct | None:
    """The statement in this form, if it has it and state can hold its columns."""
    rel = statement.rel
    exprs: tuple[Expr, ...] = tuple(column.ref() for column in rel.columns)
    if isinstance(rel, Project):
        exprs, rel = rel.expressions, rel.input
    if not isinstance(rel, Scan) or not exprs:
        return None
    outputs = []
    for name, expr in zip(statement.names, exprs, strict=True):
        output = _output(expr, rel)
        if output is None:
            return None
        outputs.append((name, output))
    return Direct(rel.source, tuple(outputs))


def peel_hashes(
    statement: Statement,
) -> tuple[Statement, tuple[tuple[str, HashedColumns], ...]]:
    """The statement without the hashes of columns that it also gives, and these hashes.

    A hash inside a statement is a call from DuckDB to Python, which costs more than a few rows do.
    """
    rel = statement.rel
    if not isinstance(rel, Project):
        return statement, ()
    named = list(zip(statement.names, rel.outputs, strict=True))
    given = {each.expr.id: name for name, each in named if isinstance(each.expr, ColumnRef)}
    hashes = {}
    for name, output in named:
        found = _hash_of_given(output.expr, given)
        if found is not None:
            hashes[name] = found
    kept = [(name, output) for name, output in named if name not in hashes]
    if not hashes or not kept:
        return statement, ()
    inner = Project(rel.input, tuple(output for _, output in kept))
    return Statement(inner, tuple(name for name, _ in kept)), tuple(hashes.items())


def _hash_of_given(expr: Expr, given: Mapping[ColumnId, str]) -> HashedColumns | None:
    if not isinstance(expr, Call) or expr.function != "xxhash64":
        return None
    columns = [
        (given[each.id], each.dtype)
        for each in expr.args
        if isinstance(each, ColumnRef) and each.id in given and each.dtype in _HASHED
    ]
    return HashedColumns(tuple(columns)) if len(columns) == len(expr.args) else None


def _output(expr: Expr, scan: Scan) -> DirectOutput | None:
    match expr:
        case ColumnRef() if _is_storable(expr.dtype):
            return scan.column(expr.id).name
        case Call(function="xxhash64", args=args):
            return _hashed(args, scan)
        case Cast(child=Literal() as number, target=target) if target == BIGINT:
            return _number(number)
        case Literal() if expr.dtype == BIGINT:
            return _number(expr)
    return None


def _number(literal: Literal) -> int | None:
    whole = is_integral(literal.dtype) and literal.value is not None
    return int(literal.value or 0) if whole else None


def _hashed(args: tuple[Expr, ...], scan: Scan) -> HashedColumns | None:
    columns = [each for each in args if isinstance(each, ColumnRef) and each.dtype in _HASHED]
    if len(columns) < len(args):
        return None
    return HashedColumns(tuple((scan.column(each.id).name, each.dtype) for each in columns))


def _is_storable(dtype: DataType) -> bool:
    try:
        return arrow_type(dtype) is not None
    except NotLocalError:
        return False
