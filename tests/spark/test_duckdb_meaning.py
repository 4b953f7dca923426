"""A typed statement means in DuckDB what it means in Spark, on the values that are hardest.

Each case is SQL that the planner reads into a typed statement, which both dialects print. An
error in DuckDB decides nothing, as Spark is asked then; but where DuckDB has an answer, Spark must
have the same one, and no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Filter, Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.pruning import prune
from slackwater.compiler.spark_sql import print_spark
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId, ColumnRef, Expr, Literal, transform
from slackwater.frontend.sql.planner import Planner
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT

from .hard_values import (
    AGGREGATES,
    COLUMNS,
    ROWS,
    STATEMENTS,
    WINDOWS,
    combined,
    compared,
    computed,
    conditions,
    groups_of,
    hard_rows,
)
from .planned_text import (
    FEW_VALUES,
    answers_by_key,
    plain_rows,
    plain_values,
    plan_text,
    planner_over,
)

_EVERY = 3
_SAMPLED = [
    sql if at % _EVERY == 0 else pytest.param(sql, marks=pytest.mark.deep)
    for at, sql in enumerate(STATEMENTS)
]
"""The other suite of hard values has all of them."""
Answers = dict[str, dict[int, object]]
"""Values of expressions by row."""

_AT_ONCE = 60
_WINDOWS_AT_ONCE = 12
"""Each may be a subquery in the next, and DuckDB's planning time doubles with each."""
_SOME = slice(None, None, 23)
"""Of many of a kind; a step that is no multiple of how they are ordered."""
_OVERFLOWING = re.compile(r"[+-] 1|(sum|avg)\((DISTINCT )?[jwxz]|RANGE BETWEEN.*\d")
"""Aggregates that fail on these values, and distances that lead beyond them."""
_OPEN = re.compile(r"(collect_list|first|last|any_value|listagg)\([^,]*(, true)?\)( FILTER .*)?")
"""Aggregates that follow the order in which rows are met, which is open here."""


@pytest.fixture(scope="module")
def planner(spark: SparkSession) -> Planner:
    return planner_over(spark, COLUMNS)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return hard_rows()


@pytest.fixture(scope="module", params=FEW_VALUES)
def engine(request: pytest.FixtureRequest) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=request.param)
    yield engine
    engine.close()


def test_expressions(
    spark: SparkSession, planner: Planner, engine: LocalEngine, table: pa.Table
) -> None:
    texts = [*computed(), *conditions(), *[*combined(), *compared()][_SOME]]
    in_spark = SparkStatements(spark)
    for start in range(0, len(texts), _AT_ONCE):
        scan, exprs = _expressions(planner, texts[start : start + _AT_ONCE])
        answers: Answers = {}
        for text, expr in exprs.items():
            if statement := _printed(_with_id(scan, expr)):
                found = answers_by_key(engine, statement, table, "id", range(ROWS))
                answers[text] = {row: rows[0][1] for row, rows in found.items()}
        expected = _in_spark(in_spark, scan, exprs, answers, table)
        assert _differences(answers, expected) == []


def test_conditions(
    spark: SparkSession, planner: Planner, engine: LocalEngine, table: pa.Table
) -> None:
    scan, exprs = _expressions(planner, [*conditions()])
    answers: Answers = {}
    for text, expr in exprs.items():
        if statement := _printed(Project(Filter(scan, expr), (_id(scan),))):
            found = answers_by_key(engine, statement, table, "id", range(ROWS))
            answers[text] = {row: str(bool(rows)) for row, rows in found.items()}
    expected = _in_spark(SparkStatements(spark), scan, exprs, answers, table)
    held: Answers = {
        text: {row: str(value == "True") for row, value in rows.items()}
        for text, rows in expected.items()
    }
    assert _differences(answers, held) == []


@pytest.mark.parametrize("form", ["SELECT g, {} FROM t GROUP BY g", "SELECT g, id, {} FROM t"])
def test_groups(
    spark: SparkSession, planner: Planner, engine: LocalEngine, table: pa.Table, form: str
) -> None:
    texts = [each for each in (*AGGREGATES, *WINDOWS) if ("OVER" in each) == ("id" in form)]
    some = [t for t in texts if not _OVERFLOWING.search(t) and not _OPEN.fullmatch(t)]
    for part in groups_of(some, _AT_ONCE if "GROUP" in form else _WINDOWS_AT_ONCE):
        items = ", ".join(f"{text} AS x{at}" for at, text in enumerate(part))
        rel = plan_text(planner, form.format(items))
        expected = _expected(SparkStatements(spark), rel, table)
        assert _executed(engine, rel, table) == expected


@pytest.mark.parametrize("sql", _SAMPLED)
def test_statements(
    spark: SparkSession, planner: Planner, engine: LocalEngine, table: pa.Table, sql: str
) -> None:
    rel = plan_text(planner, sql)
    expected = _expected(SparkStatements(spark), rel, table)
    assert _executed(engine, rel, table) == expected


def _expressions(planner: Planner, texts: list[str]) -> tuple[Scan, dict[str, Expr]]:
    """Typed expressions over the columns of one scan, by their text."""
    items = ", ".join(f"{text} AS x{at}" for at, text in enumerate(texts))
    rel = plan_text(planner, f"SELECT {', '.join(COLUMNS)}, {items} FROM t").rel
    exprs: list[Expr] = [column.ref() for column in rel.columns[len(COLUMNS) :]]
    while isinstance(rel, Project):
        # What an expression computes twice, Spark computes below.
        defined = {each.column.id: each.expr for each in rel.outputs}
        exprs = [_with_definitions(expr, defined) for expr in exprs]
        rel = rel.input
    assert isinstance(rel, Scan)
    return rel, dict(zip(texts, exprs, strict=True))


def _with_definitions(expr: Expr, defined: dict[ColumnId, Expr]) -> Expr:
    return transform(expr, lambda node: defined[node.id] if isinstance(node, ColumnRef) else None)


def _id(scan: Scan) -> Output:
    return pass_through(next(column for column in scan.columns if column.name == "id"))


def _with_id(scan: Scan, *exprs: Expr) -> Project:
    values = (
        Output(Column(ColumnId(10_000 + n), f"x{n}", expr.dtype, expr.nullable), expr)
        for n, expr in enumerate(exprs)
    )
    return Project(scan, (_id(scan), *values))


def _printed(rel: Rel) -> DuckdbStatement | None:
    """The relation for DuckDB, if it can be."""
    try:
        found = print_duckdb(Statement(rel, tuple(column.name for column in rel.columns)))
    except NotLocalError:
        return None
    return replace(found, direct=None)


def _executed(engine: LocalEngine, statement: Statement, table: pa.Table) -> list[str]:
    printed = print_duckdb(prune(statement, statement.names))
    assert printed.reads == statement.needs
    found = engine.execute(replace(printed, direct=None), {"t": table})
    return sorted(map(repr, plain_rows(found)))


def _expected(spark: SparkStatements, statement: Statement, table: pa.Table) -> list[str]:
    found = spark.execute(print_spark(statement), {"t": table}, {"t": COLUMNS})
    return sorted(map(repr, plain_rows(found)))


def _in_spark(
    spark: SparkStatements, scan: Scan, exprs: dict[str, Expr], answers: Answers, table: pa.Table
) -> Answers:
    """Spark's values of expressions, computed only for the rows that have an answer."""
    asked = [
        call("if", _among(scan, rows), exprs[text], Literal(None, exprs[text].dtype))
        for text, rows in answers.items()
    ]
    rel = _with_id(scan, *asked)
    statement = Statement(rel, tuple(column.name for column in rel.columns))
    found = spark.execute(print_spark(statement), {"t": table}, {"t": COLUMNS})
    ids = found["id"].to_pylist()
    columns = [dict(zip(ids, plain_values(column), strict=True)) for column in found.columns[1:]]
    return dict(zip(answers, columns, strict=True))


def _among(scan: Scan, rows: Iterable[int]) -> Expr:
    return call("in", _id(scan).expr, *(Literal(str(row), BIGINT) for row in (-1, *rows)))


def _differences(answers: Answers, expected: Answers) -> list[str]:
    return [
        f"{text} in row {row}: {value}, in Spark {expected[text][row]}"
        for text, rows in answers.items()
        for row, value in rows.items()
        if value != expected[text][row]
    ]
