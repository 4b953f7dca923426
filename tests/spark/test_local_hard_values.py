"""Every form that the driver takes means what it means in Spark, on the values that are hardest.

The front end reads the text into a typed statement, and the driver computes it; Spark runs the
text as it is. An error on the driver decides nothing, as Spark is asked then; but where the driver
has an answer, Spark must have the same one, and no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.algebra.operators import Project, Union
from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.pruning import prune
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.expr.nodes import Literal
from slackwater.plan.statements import Statement
from slackwater.state.columns import widened
from slackwater.types import DecimalType, ddl

from .hard_values import (
    AGGREGATES,
    COLUMNS,
    ONLY_SPARK,
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
    Row,
    answers_by_key,
    plain_rows,
    plain_values,
    plan_text,
    planner_over,
    rows_with,
)

Answers = dict[str, dict[int, object]]
"""Values of expressions by row."""
Taken = dict[str, DuckdbStatement]
"""The statements of those expressions that the driver takes."""

_AT_ONCE = 200
_FILTERS_AT_ONCE = 40
_SOME = slice(None, None, 11)
"""Of many of a kind; a step that is no multiple of how they are ordered."""


class Bench:
    """The driver and Spark over the same hard rows."""

    def __init__(self, spark: SparkSession, few_values: int):
        self.planner = planner_over(spark, COLUMNS)
        self.engine = LocalEngine(few_values=few_values)
        self.table = hard_rows()
        self._statements = SparkStatements(spark)
        schema = ", ".join(f"{name} {ddl(dtype)}" for name, dtype in COLUMNS.items())
        rows = spark.createDataFrame(widened(self.table), schema)
        # Of rows that are part of the plan, Spark computes values before it simplifies anything.
        self._rows = rows.coalesce(1).localCheckpoint()

    def plan(self, sql: str) -> Statement:
        return plan_text(self.planner, sql)

    def in_spark(self, sql: str, groups: Iterable[int] | None = None) -> pa.Table:
        """Spark's answer over all rows, or over those of some groups."""
        some = self._rows if groups is None else self._rows.where(self._rows.g.isin(*groups))
        some.createOrReplaceTempView("t")
        return self._statements.execute(sql, {}, {})


@pytest.fixture(scope="module", params=FEW_VALUES)
def bench(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[Bench]:
    bench = Bench(spark, request.param)
    yield bench
    bench.engine.close()


def test_expressions(bench: Bench) -> None:
    known = [*computed(), *conditions()]
    taken = _check_expressions(bench, [*known, *[*combined(), *compared()][_SOME]])
    assert set(known) - taken == ONLY_SPARK


def test_conditions(spark: SparkSession, bench: Bench) -> None:
    _compute_conditions_in_order(spark)
    known = [*conditions()]
    taken = _check_conditions(bench, [*known, *[*compared()][_SOME]])
    assert taken.issuperset(known)


@pytest.mark.deep
def test_all_operands(spark: SparkSession, bench: Bench) -> None:
    taken = _check_expressions(bench, [*combined(), *compared()])
    assert len(taken) >= 1540
    _compute_conditions_in_order(spark)
    _check_conditions(bench, [*compared()])


def test_aggregates(bench: Bench) -> None:
    form = "SELECT g, {} FROM t GROUP BY g"
    for part in groups_of(AGGREGATES, _AT_ONCE):
        taken = _taken(bench.plan(form.format(_named(part))), "g", part)
        assert {*part} == {*taken}
        _check_groups(bench, form, taken)


def test_windows(bench: Bench) -> None:
    form = "SELECT g, id, {} FROM t"
    taken = _local({text: bench.plan(form.format(f"{text} AS x")) for text in WINDOWS})
    assert {*WINDOWS} == {*taken}
    _check_groups(bench, form, taken)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_statements(bench: Bench, sql: str) -> None:
    found = bench.engine.execute(print_duckdb(bench.plan(sql)), {"t": bench.table})
    expected = bench.in_spark(sql)
    assert sorted(map(repr, plain_rows(found))) == sorted(map(repr, plain_rows(expected)))


def _check_expressions(bench: Bench, texts: list[str]) -> set[str]:
    """Compare values; gives the expressions that the driver takes."""
    found: Answers = {}
    for part in _parts(texts, _AT_ONCE):
        statement = bench.plan(f"SELECT id, {_named(part)} FROM t")
        for text, single in _taken(statement, "id", part).items():
            by_row = answers_by_key(bench.engine, single, bench.table, "id", range(ROWS))
            found[text] = {row: rows[0][1] for row, rows in by_row.items()}
    assert _differences(bench, found) == []
    return set(found)


def _check_conditions(bench: Bench, texts: list[str]) -> set[str]:
    """Compare the rows that conditions keep; gives the conditions that the driver takes."""
    taken: set[str] = set()
    for part in _parts(texts, _FILTERS_AT_ONCE):
        found: Answers = {}
        for text, single in _filters(bench, part).items():
            by_row = answers_by_key(bench.engine, single, bench.table, "id", range(ROWS))
            found[text] = {row: bool(rows) for row, rows in by_row.items()}
        assert found == _kept_in_spark(bench, found)
        taken |= set(found)
    return taken


def _compute_conditions_in_order(spark: SparkSession) -> None:
    """Let Spark compute the parts of a condition in the order of its plan until the test ends.

    The plan has tests for NULL of all columns before the other parts. Code for a whole stage makes
    such a test only where the column is first needed, so that other parts fail on more rows.
    """
    spark.conf.set("spark.sql.codegen.wholeStage", "false")


def _kept_in_spark(bench: Bench, found: Answers) -> Answers:
    """Whether Spark keeps a row, for the rows that have an answer."""
    # Spark leaves a condition above a limit, where it sees no other rows.
    some = f"SELECT * FROM t WHERE id IN ({{}}) LIMIT {ROWS}"
    branches = (
        f"SELECT id, {n} AS n FROM ({some.format(_listed(rows))}) WHERE {text}"
        for n, (text, rows) in enumerate(found.items())
    )
    table = bench.in_spark(" UNION ALL ".join(branches))
    kept = set(zip(table["n"].to_pylist(), table["id"].to_pylist(), strict=True))
    return {
        text: {row: (n, row) in kept for row in rows}
        for n, (text, rows) in enumerate(found.items())
    }


def _filters(bench: Bench, texts: list[str]) -> Taken:
    """The statements that keep the rows of each condition; one query plans almost all."""
    branches = (f"SELECT id, {n} AS n FROM t WHERE {text}" for n, text in enumerate(texts))
    rel = bench.plan(" UNION ALL ".join(branches)).rel
    assert isinstance(rel, Union)
    planned: dict[str, Statement] = {}
    for branch in rel.branches:
        assert isinstance(branch, Project)
        number = branch.outputs[1].expr
        assert isinstance(number, Literal)
        text = texts[int(number.value or 0)]
        planned[text] = prune(Statement(branch, ("id", "n")), ("id",))
    # A union has no branch for a condition that is never true.
    for text in texts:
        if text not in planned:
            planned[text] = bench.plan(f"SELECT id FROM t WHERE {text}")
    return _local(planned)


def _check_groups(bench: Bench, form: str, taken: Taken) -> None:
    """Compare answers by group; Spark is asked once for the same groups."""
    asked: dict[tuple[int, ...], dict[str, dict[Row, object]]] = {}
    for text, statement in taken.items():
        found = answers_by_key(bench.engine, statement, bench.table, "g", range(ROWS // 3))
        steady = [group for group in found if not _order_decides(bench.table, text, group)]
        assert steady, text
        values = {row[:-1]: row[-1] for group in steady for row in found[group]}
        asked.setdefault(tuple(steady), {})[text] = values
    for groups, by_text in asked.items():
        expected = plain_rows(bench.in_spark(form.format(_named(by_text)), groups))
        for at, (text, values) in enumerate(by_text.items(), -len(by_text)):
            assert values == {row[: -len(by_text)]: row[at] for row in expected}, text


def _taken(statement: Statement, key: str, texts: Iterable[str]) -> Taken:
    """The columns of a statement, each with the key in a statement of its own."""
    return _local({text: prune(statement, (key, f"c{n}")) for n, text in enumerate(texts)})


def _local(statements: Mapping[str, Statement]) -> Taken:
    """Those of the statements that the driver takes."""
    found: Taken = {}
    for text, statement in statements.items():
        with suppress(NotLocalError):
            found[text] = print_duckdb(statement)
    return found


def _differences(bench: Bench, found: Answers) -> list[str]:
    """Answers that are not Spark's."""
    asked = [text for text, rows in found.items() if rows]
    bad: list[str] = []
    for texts in _parts(asked, _AT_ONCE):
        part = {text: found[text] for text in texts}
        try:
            expected = _in_spark(bench, part)
        except NotLocalError as problem:
            if len(part) == 1:
                return [f"{texts} fails in Spark: {problem}"]
            bad += [line for text in texts for line in _differences(bench, {text: part[text]})]
            continue
        bad += [
            f"{text} in row {row}: {value}, in Spark {expected[text][row]}"
            for text, rows in part.items()
            for row, value in rows.items()
            if value != expected[text][row]
        ]
    return bad


def _in_spark(bench: Bench, found: Answers) -> Answers:
    """Spark's values of expressions, computed only for the rows that have an answer."""
    items = _named(
        f"CASE WHEN id IN ({_listed(rows)}) THEN {text} END" for text, rows in found.items()
    )
    table = bench.in_spark(f"SELECT id, {items} FROM t")
    ids = table["id"].to_pylist()
    columns = [dict(zip(ids, plain_values(each), strict=True)) for each in table.columns[1:]]
    return dict(zip(found, columns, strict=True))


def _order_decides(table: pa.Table, text: str, group: int) -> bool:
    """Whether a sum overflows on its way or not, by the order in which Spark adds."""
    summed = re.match(r"(?:sum|avg)\((\w)\W", text)
    if summed is None:
        return False
    name = summed.group(1)
    found = rows_with(table, "g", [group])[name].to_pylist()
    values = [value for value in found if value is not None]
    dtype = COLUMNS[name]
    most = 10 ** (38 - dtype.scale) if isinstance(dtype, DecimalType) else 2**63
    added = len(values) if "+ 1" in text else 0
    return bool(sum(map(abs, values)) + added >= most)


def _listed(rows: Iterable[int]) -> str:
    return ", ".join(map(str, (-1, *rows)))


def _named(texts: Iterable[str]) -> str:
    return ", ".join(f"{text} AS c{at}" for at, text in enumerate(texts))


def _parts(texts: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
