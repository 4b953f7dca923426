"""What Spark means by a statement is what the driver computes, or it leaves the statement alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

import pyarrow as pa
import pytest
from slackwater.runtime.local.statements import translate_statement

from slackwater.compiler.duckdb.types import NotLocalError, arrow_type
from slackwater.runtime.local.engine import LocalEngine
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    INTEGER,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    StructType,
)

_MOST = 2**31 - 1
_WIDE = DecimalType(38, 6)


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine()
    yield engine
    engine.close()


def _run(
    engine: LocalEngine, sql: str, columns: Mapping[str, DataType], *rows: tuple[object, ...]
) -> list[tuple[object, ...]]:
    """The rows of a statement over a table t, in order."""
    arrays = [
        pa.array([row[at] for row in rows], arrow_type(dtype))
        for at, dtype in enumerate(columns.values())
    ]
    table = pa.table(arrays, names=list(columns))
    found = engine.execute(translate_statement(sql, {"t": columns}), {"t": table})
    return sorted((tuple(row.values()) for row in found.to_pylist()), key=repr)


def test_a_sequence_counts_down_to_a_smaller_number(engine: LocalEngine) -> None:
    sql = "SELECT id, v FROM t LATERAL VIEW explode(sequence(1, k)) copies AS v"
    columns = {"id": INTEGER, "k": BIGINT}
    rows = [(1, 1), (1, 0), (2, 1), (2, 0), (2, -1), (3, 1), (3, 2)]
    assert _run(engine, sql, columns, (1, 0), (2, -1), (3, 2), (4, None)) == sorted(rows, key=repr)


def test_an_outer_sequence_is_another_one() -> None:
    sql = "SELECT v FROM t LATERAL VIEW explode_outer(sequence(1, k)) copies AS v"
    with pytest.raises(NotLocalError, match="lateral view"):
        translate_statement(sql, {"t": {"k": BIGINT}})


@pytest.mark.parametrize(
    ("place", "value"), [(-3, None), (-2, None), (-1, None), (0, 7), (3, None)]
)
def test_get_counts_from_the_first_only(engine: LocalEngine, place: int, value: int | None) -> None:
    columns = {"a": ArrayType(INTEGER), "i": INTEGER}
    assert _run(engine, "SELECT get(a, i) AS v FROM t", columns, ([7, 8, 9], place)) == [(value,)]
    assert _run(engine, f"SELECT get(a, {place}) AS v FROM t", columns, ([7, 8, 9], 0)) == [
        (value,)
    ]


def _nested(*names: str) -> StructType:
    """Structs in one another, with a number in the innermost."""
    first, *rest = names
    return StructType((Field(first, _nested(*rest) if rest else INTEGER),))


@pytest.mark.parametrize(
    "path", ["c2.x", "c2.c1.x", "c2.c1.x.y.z", "c1.c2.c0", "c2.c2.c2.c2.c2.c2"]
)
def test_a_path_of_names_begins_with_a_column(engine: LocalEngine, path: str) -> None:
    names = path.split(".")
    value: object = 1
    for name in reversed(names):
        value = {name: value}
    others = sorted({"c1", "x", "y", *names} - {"c0"})
    columns = {"c0": _nested(*names), **{name: _nested(names[-1]) for name in others}}
    sql = f"SELECT c0.{'.'.join(f'`{name}`' for name in names)} AS v FROM t"
    assert _run(engine, sql, columns, (value, *[{names[-1]: 2}] * len(others))) == [(1,)]


def test_the_name_of_a_table_before_a_column_is_left_to_spark() -> None:
    columns = {"t": _nested("k0"), "k0": INTEGER}
    with pytest.raises(NotLocalError, match="name of a table"):
        translate_statement("SELECT t.k0 AS v FROM t", {"t": columns})


def test_a_stack_has_as_many_rows_as_it_says(engine: LocalEngine) -> None:
    columns = {"a": INTEGER, "b": INTEGER}
    sql = "SELECT v FROM t LATERAL VIEW stack(3, a, b) stacked AS v"
    assert _run(engine, sql, columns, (1, 2)) == [(1,), (2,), (None,)]
    sql = "SELECT v, w FROM t LATERAL VIEW stack(2, a, b, a) stacked AS v, w"
    assert _run(engine, sql, columns, (1, 2)) == [(1, 2), (1, None)]


def test_a_variable_of_a_lambda_hides_a_column_also_in_another_case(engine: LocalEngine) -> None:
    columns = {"a": ArrayType(INTEGER), "x": INTEGER}
    assert _run(engine, "SELECT filter(a, x -> x > 1) AS v FROM t", columns, ([1, 2], 0)) == [
        ([2],)
    ]
    with pytest.raises(NotLocalError, match="the column x"):
        translate_statement("SELECT filter(a, X -> x > 1) AS v FROM t", {"t": columns})
    nested = "SELECT filter(a, x -> get(filter(a, z -> z > x), 0) IS NOT NULL) AS v FROM t"
    assert _run(engine, nested, columns, ([1, 2, 3], 0)) == [([1, 2],)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT filter(a, (v, n) -> n > 0) AS k0 FROM t",
        "SELECT array() AS k0 FROM t",
        "SELECT CAST(i AS DECIMAL) AS k0 FROM t",
        "SELECT substring(s, 1.5, 2) AS k0 FROM t",
        "SELECT i FROM t NATURAL JOIN (SELECT j FROM t)",
        "SELECT i, j FROM t TABLESAMPLE (1 ROWS)",
        "SELECT i, j FROM t AS v(j, i)",
        "SELECT i, j FROM (SELECT i, j FROM t) AS v(j, i)",
        "(SELECT i FROM t) LIMIT 1",
        "SELECT i FROM t UNION ALL SELECT i FROM t LIMIT 1",
        "SELECT i, j FROM t UNION ALL BY NAME SELECT j, i FROM t",
        "SELECT i, j FROM t UNION SELECT j, i FROM t",
        "WITH v(j, i) AS (SELECT i, j FROM t) SELECT i, j FROM v",
        "WITH t AS (SELECT j AS i FROM t) SELECT i FROM t",
        "SELECT i FROM t GROUP BY 1",
        "SELECT * EXCEPT (i) FROM t",
        "SELECT i FROM t LATERAL VIEW stack(2, i, j) stacked AS i",
        "SELECT d * 2L AS k0 FROM t",
        "SELECT - w AS k0 FROM t",
        "SELECT abs(w) AS k0 FROM t",
    ],
)
def test_what_the_translation_does_not_know_is_left_to_spark(sql: str) -> None:
    columns = {"i": INTEGER, "j": INTEGER, "a": ArrayType(INTEGER), "s": STRING}
    with pytest.raises(NotLocalError):
        translate_statement(sql, {"t": {**columns, "d": DecimalType(9, 2), "w": _WIDE}})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(v) AS v FROM t",
        "SELECT sum(v) FILTER (WHERE v > 0.0BD) AS v FROM t",
        "SELECT sum(v) OVER (PARTITION BY v) AS v FROM t",
        "SELECT avg(v) AS v FROM t",
        "SELECT v FROM t GROUP BY v HAVING sum(v) > 0.0BD",
        "SELECT v + v AS v FROM t",
        "SELECT CAST(-1 AS DECIMAL(38,6)) - v - v AS v FROM t",
    ],
)
def test_more_than_38_digits_are_left_to_spark(engine: LocalEngine, sql: str) -> None:
    value = Decimal("6e31")
    with pytest.raises(NotLocalError):
        _run(engine, sql, {"v": _WIDE}, (value,), (value,))


def test_a_sum_may_have_all_38_digits(engine: LocalEngine) -> None:
    rows = [(Decimal("6e31"),), (Decimal("3e31"),), (None,)]
    assert _run(engine, "SELECT sum(v) AS v FROM t", {"v": _WIDE}, *rows) == [(Decimal("9e31"),)]
    assert _run(engine, "SELECT sum(v) AS v FROM t", {"v": _WIDE}, (None,)) == [(None,)]


_CONDITIONS = [
    "a + 1 > 5",
    "5 < a + 1",
    "a + 1 <=> 5",
    "a * 2 = 3",
    "CAST(a AS TINYINT) = CAST(5 AS TINYINT)",
    "CAST(a AS TINYINT) IN (CAST(5 AS TINYINT))",
    "CAST(a AS DECIMAL(9,0)) > CAST(5 AS DECIMAL(9,0))",
    "CAST(a + 1 AS BIGINT) > 5L",
    "a + 1 BETWEEN 0 AND 5",
]


@pytest.mark.parametrize("condition", [*_CONDITIONS, "a + 1 > 5 AND b", "a + 1 > 5 AND a < 0"])
def test_a_comparison_does_not_hide_an_overflow(engine: LocalEngine, condition: str) -> None:
    columns = {"a": INTEGER, "b": BOOLEAN}
    for sql in (f"SELECT {condition} AS v FROM t", f"SELECT a FROM t WHERE {condition}"):
        with pytest.raises(NotLocalError, match="fails here"):
            _run(engine, sql, columns, (1, True), (_MOST, False))
        _run(engine, sql, columns, (1, True), (4, False))


@pytest.mark.parametrize(
    "source",
    [
        "SELECT a + 1 AS v, b FROM t",
        "SELECT *, v AS w FROM (SELECT a + 1 AS v, b FROM t)",
        "SELECT a AS v, b FROM t WHERE b UNION ALL SELECT a + 1, b FROM t",
    ],
)
def test_what_a_subquery_computes_fails_before_the_next_condition(
    engine: LocalEngine, source: str
) -> None:
    sql, columns = f"SELECT b FROM ({source}) WHERE v > 3 AND b", {"a": INTEGER, "b": BOOLEAN}
    with pytest.raises(NotLocalError, match="fails here"):
        _run(engine, sql, columns, (1, True), (_MOST, False))
    sql = f"SELECT b FROM ({source}) WHERE b AND v > 3"
    assert _run(engine, sql, columns, (1, True), (_MOST, False)) == []


def test_a_condition_is_looked_at_from_left_to_right(engine: LocalEngine) -> None:
    sql = "SELECT a FROM t WHERE b AND a + 1 > 5"
    assert _run(engine, sql, {"a": INTEGER, "b": BOOLEAN}, (7, True), (_MOST, False)) == [(7,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(a + 1) AS v FROM t",
        "SELECT count(a + 1) AS v FROM t",
        "SELECT 1 AS v FROM t HAVING sum(CAST(a AS BIGINT) * 4294967296L) <> 0L",
    ],
)
def test_an_aggregate_does_not_hide_an_overflow(engine: LocalEngine, sql: str) -> None:
    with pytest.raises(NotLocalError, match="fails here"):
        _run(engine, sql, {"a": INTEGER}, (_MOST,), (_MOST,))


def test_an_aggregate_in_having_alone_makes_a_row_of_nothing(engine: LocalEngine) -> None:
    sql = "SELECT 'none' AS v FROM t HAVING count(*) = 0"
    assert _run(engine, sql, {"a": INTEGER}) == [("none",)]


def test_the_least_integer_is_a_literal_with_its_sign() -> None:
    found = translate_statement(
        "SELECT -2147483648 AS a, -2147483649 AS b FROM t", {"t": {"i": BIGINT}}
    )
    assert dict(found.columns) == {"a": INTEGER, "b": BIGINT}


def test_a_number_beside_a_decimal_has_as_many_digits_as_are_written() -> None:
    columns = {"d": DecimalType(5, 0)}
    found = translate_statement("SELECT d + 1 AS a, d * (-100) AS b FROM t", {"t": columns})
    assert dict(found.columns) == {"a": DecimalType(6, 0), "b": DecimalType(9, 0)}
