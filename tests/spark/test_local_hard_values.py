"""Every form that the driver takes means what it means in Spark, on the values that are hardest.

An error on the driver decides nothing, as Spark is asked then; but where the driver has an answer,
Spark must have the same one, and no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from slackwater.runtime.local.statements import translate_statement

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.runtime.local.engine import LocalEngine
from slackwater.runtime.local.spark_statements import SparkStatements
from slackwater.types import DecimalType

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
    hard_rows,
)

Row = tuple[object, ...]
Answers = dict[str, dict[int, object]]
"""Values of expressions by row."""

_VALUE = "SELECT id, {} AS x FROM t"
_FILTER = "SELECT id FROM t WHERE {}"
_AT_ONCE = 200
_SOME = slice(None, None, 11)
"""Of many of a kind; a step that is no multiple of how they are ordered."""


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return hard_rows()


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine()
    yield engine
    engine.close()


def test_expressions(spark: SparkSession, engine: LocalEngine, table: pa.Table) -> None:
    expressions = [*computed(), *conditions(), *[*combined(), *compared()][_SOME]]
    _check_expressions(spark, engine, table, expressions)


def test_conditions(spark: SparkSession, engine: LocalEngine, table: pa.Table) -> None:
    _check_conditions(spark, engine, table, [*conditions(), *[*compared()][_SOME]])


@pytest.mark.deep
def test_all_operands(spark: SparkSession, engine: LocalEngine, table: pa.Table) -> None:
    _check_expressions(spark, engine, table, [*combined(), *compared()])
    _check_conditions(spark, engine, table, [*compared()])


def test_aggregates(spark: SparkSession, engine: LocalEngine, table: pa.Table) -> None:
    _check_groups(spark, engine, table, "SELECT g, {} FROM t GROUP BY g", AGGREGATES)


def test_windows(spark: SparkSession, engine: LocalEngine, table: pa.Table) -> None:
    _check_groups(spark, engine, table, "SELECT g, id, {} FROM t", WINDOWS)


def test_statements(spark: SparkSession, engine: LocalEngine, table: pa.Table) -> None:
    in_spark = SparkStatements(spark)
    for sql in STATEMENTS:
        statement = translate_statement(sql, {"t": COLUMNS})
        found = engine.execute(statement, {"t": table})
        expected = in_spark.execute(sql, {"t": table}, {"t": COLUMNS})
        assert dict(statement.columns) == dict(in_spark.columns(sql, {"t": COLUMNS})), sql
        assert sorted(map(repr, _rows(found))) == sorted(map(repr, _rows(expected))), sql


def _check_expressions(
    spark: SparkSession, engine: LocalEngine, table: pa.Table, expressions: list[str]
) -> None:
    in_spark, answers = SparkStatements(spark), {}
    taken = _taken(expressions, _VALUE)
    for text in taken:
        found = _answers(engine, _VALUE.format(text), table, "id", range(ROWS))
        answers[text] = {row: rows[0][1] for row, rows in found.items()}
    assert _differences(in_spark, table, answers) == []
    for start in range(0, len(taken), _AT_ONCE):
        part = taken[start : start + _AT_ONCE]
        sql = f"SELECT {_named(part)} FROM t"
        types = in_spark.columns(sql, {"t": COLUMNS})
        local = translate_statement(sql, {"t": COLUMNS}).columns
        assert [part[int(name[1:])] for name in types if types[name] != local[name]] == []


def _check_conditions(
    spark: SparkSession, engine: LocalEngine, table: pa.Table, texts: list[str]
) -> None:
    """A condition in WHERE keeps the rows for which it is true, and fails where it fails."""
    answers: Answers = {}
    for text in _taken(texts, _FILTER):
        found = _answers(engine, _FILTER.format(text), table, "id", range(ROWS))
        kept = {row: repr(bool(rows)) for row, rows in found.items()}
        answers[f"coalesce({text}, FALSE)"] = kept
    assert _differences(SparkStatements(spark), table, answers) == []


def _check_groups(
    spark: SparkSession, engine: LocalEngine, table: pa.Table, form: str, texts: list[str]
) -> None:
    """Compare what the driver answers by group; Spark is asked once for the same groups."""
    in_spark, asked = SparkStatements(spark), {}
    for text in _taken(texts, form):
        found = _answers(engine, form.format(f"{text} AS x"), table, "g", range(ROWS // 3))
        steady = [group for group in found if not _order_decides(table, text, group)]
        assert steady, text
        values = {row[:-1]: row[-1] for group in steady for row in found[group]}
        asked.setdefault(tuple(steady), {})[text] = values
    for groups, answers in asked.items():
        sql, part = form.format(_named(answers)), _part(table, "g", groups)
        expected = _rows(in_spark.execute(sql, {"t": part}, {"t": COLUMNS}))
        for at, (text, values) in enumerate(answers.items(), -len(answers)):
            assert values == {row[: -len(answers)]: row[at] for row in expected}, text
        local = translate_statement(sql, {"t": COLUMNS}).columns
        assert dict(local) == dict(in_spark.columns(sql, {"t": COLUMNS}))


def _differences(spark: SparkStatements, table: pa.Table, answers: Answers) -> list[str]:
    """Answers that are not Spark's."""
    asked = [(text, rows) for text, rows in answers.items() if rows]
    bad: list[str] = []
    for start in range(0, len(asked), _AT_ONCE):
        part = dict(asked[start : start + _AT_ONCE])
        try:
            expected = _in_spark(spark, table, part)
        except NotLocalError as problem:
            if len(part) == 1:
                return [f"{[*part]} fails in Spark: {problem}"]
            each = ({text: rows} for text, rows in part.items())
            bad += [line for one in each for line in _differences(spark, table, one)]
            continue
        bad += [
            f"{text} in row {row}: {value}, in Spark {expected[text][row]}"
            for text, rows in part.items()
            for row, value in rows.items()
            if value != expected[text][row]
        ]
    return bad


def _in_spark(spark: SparkStatements, table: pa.Table, answers: Answers) -> Answers:
    """Spark's values of expressions, computed only for the rows that have an answer."""
    items = _named(
        f"CASE WHEN id IN ({', '.join(map(str, rows))}) THEN {text} END"
        for text, rows in answers.items()
    )
    found = spark.execute(f"SELECT id, {items} FROM t", {"t": table}, {"t": COLUMNS})
    columns = [dict(zip(found["id"].to_pylist(), _plain(c), strict=True)) for c in found.columns]
    return dict(zip(answers, columns[1:], strict=True))


def _answers(
    engine: LocalEngine, sql: str, table: pa.Table, key: str, keys: Iterable[int]
) -> dict[int, list[Row]]:
    """What the driver answers to a statement for as many keys as it can, by key."""
    wanted = list(keys)
    statement = translate_statement(sql, {"t": COLUMNS})
    try:
        found = engine.execute(statement, {"t": _part(table, key, wanted)})
    except NotLocalError:
        if len(wanted) == 1:
            return {}
        halves = wanted[::2], wanted[1::2]
        both = [_answers(engine, sql, table, key, half) for half in halves]
        return {**both[0], **both[1]}
    answers: dict[int, list[Row]] = {each: [] for each in wanted}
    for each, row in zip(found[key].to_pylist(), _rows(found), strict=True):
        answers[each].append(row)
    return answers


def _taken(texts: Iterable[str], form: str) -> list[str]:
    """Those expressions that the driver takes."""
    found = []
    for text in texts:
        try:
            translate_statement(form.format(text), {"t": COLUMNS})
        except NotLocalError:
            continue
        found.append(text)
    return found


def _order_decides(table: pa.Table, text: str, group: int) -> bool:
    """Whether a sum overflows on its way or not, by the order in which Spark adds."""
    summed = re.match(r"(?:sum|avg)\((\w)", text)
    if summed is None:
        return False
    name = summed.group(1)
    values = [value for value in _part(table, "g", [group])[name].to_pylist() if value is not None]
    dtype = COLUMNS[name]
    most = 10 ** (38 - dtype.scale) if isinstance(dtype, DecimalType) else 2**63
    added = len(values) if "+ 1" in text else 0
    return sum(map(abs, values)) + added >= most


def _named(texts: Iterable[str]) -> str:
    return ", ".join(f"{text} AS c{at}" for at, text in enumerate(texts))


def _part(table: pa.Table, key: str, keys: Iterable[int]) -> pa.Table:
    return table.filter(pc.is_in(table[key], pa.array([*keys], table[key].type)))


def _rows(table: pa.Table) -> list[Row]:
    return list(zip(*map(_plain, table.columns), strict=True))


def _plain(column: pa.ChunkedArray) -> list[object]:
    """Values that can be compared; Python has no dates before the year 1."""
    if pa.types.is_date(column.type):
        return list(column.cast(pa.int32()).to_pylist())
    if pa.types.is_timestamp(column.type):
        return list(column.cast(pa.int64()).to_pylist())
    if pa.types.is_string(column.type):
        return [value for chunk in column.chunks for value in _bytes(chunk)]
    if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
        return [row.values and _bytes(row.values) for row in column]
    return list(map(repr, column.to_pylist()))


def _bytes(texts: pa.Array) -> list[object]:
    """Texts that need not be valid."""
    return list(texts.view(pa.binary()).to_pylist())
