"""Typed expressions and statements over small tables, executed in DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.statements import DuckdbStatement, Part, print_duckdb
from slackwater.compiler.duckdb.types import arrow_type
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.nodes import ColumnId, ColumnRef, Expr, Literal
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT, INTEGER, STRING, DataType

Row = tuple[object, ...]
FEW_VALUES = (
    pytest.param(0, id="by DuckDB"),
    pytest.param(10**9, id="in Python where that is possible"),
)
"""How many values an engine takes for few: none, or all that tests have."""


class Table:
    """A frame with columns of given types; `columns` by name are what expressions read."""

    def __init__(self, name: str, first: int = 1, /, **types: DataType) -> None:
        self.name = name
        self.columns = {
            each: Column(ColumnId(first + n), each, dtype)
            for n, (each, dtype) in enumerate(types.items())
        }

    @property
    def scan(self) -> Scan:
        return Scan(self.name, tuple(self.columns.values()))

    def __getitem__(self, name: str) -> ColumnRef:
        return self.columns[name].ref()

    def of(self, *rows: Row) -> pa.Table:
        arrays = [
            pa.array([row[at] for row in rows], arrow_type(column.dtype))
            for at, column in enumerate(self.columns.values())
        ]
        return pa.table(arrays, names=list(self.columns))


def integer(value: int) -> Literal:
    return Literal(str(value), INTEGER)


def bigint(value: int) -> Literal:
    return Literal(str(value), BIGINT)


def string(value: str) -> Literal:
    return Literal(value, STRING)


def project(rel: Rel, *exprs: Expr, first: int = 101) -> Project:
    """The values of expressions, as columns numbered from `first` on."""
    outputs = (
        Output(Column(ColumnId(first + n), f"x{n}", expr.dtype, expr.nullable), expr)
        for n, expr in enumerate(exprs)
    )
    return Project(rel, tuple(outputs))


def named(rel: Rel) -> Statement:
    """A statement whose columns are called k0, k1, ..."""
    return Statement(rel, tuple(f"k{n}" for n in range(len(rel.columns))))


def run(
    engine: LocalEngine, rel: Rel, tables: Mapping[str, pa.Table], parts: tuple[Part, ...] = ()
) -> list[Row]:
    """The rows of a relation, in order."""
    return rows_of(engine, print_duckdb(named(rel), parts), tables)


def rows_of(
    engine: LocalEngine, statement: DuckdbStatement, tables: Mapping[str, pa.Table]
) -> list[Row]:
    found = engine.execute(replace(statement, direct=None), tables)
    return sorted((tuple(row.values()) for row in found.to_pylist()), key=repr)


def values(engine: LocalEngine, table: Table, expr: Expr, *rows: Row) -> list[object]:
    """The value of an expression for each row, in the order of the rows."""
    wide = Table(table.name, row=BIGINT, **{n: c.dtype for n, c in table.columns.items()})
    place = Column(ColumnId(1000), "row", BIGINT)
    scan = Scan(wide.name, (place, *table.columns.values()))
    data = wide.of(*((n, *row) for n, row in enumerate(rows)))
    statement = print_duckdb(named(project(scan, place.ref(), expr)))
    assert statement.columns["k1"] == expr.dtype
    found = rows_of(engine, statement, {table.name: data})
    return [value for _, value in sorted(found, key=lambda row: int(str(row[0])))]


def value_of(engine: LocalEngine, expr: Expr) -> object:
    """The value of an expression that reads nothing."""
    (found,) = values(engine, Table("t", a=BIGINT), expr, (1,))
    return found
