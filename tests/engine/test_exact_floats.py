"""Running sums of floating-point numbers: exact after any history, on either engine."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.executors.places import arrow_layout
from slackwater.state.matching import Arrangement
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.types import BIGINT, ArrayType, DataType

from .harness import Way
from .histories import Changes, Tables, check_history

in_both = pytest.mark.parametrize("engine", ["spark", "driver"], ids=["in Spark", "on the driver"])
NAN, INF = math.nan, math.inf
HARD = (1e20, 1.0, -1e20, 1e308, -1e308, 5e-324, -0.0, 0.1, 1e-12, -3.25, NAN, INF, -INF, None)
SUMS = "SELECT g, sum(x) AS s, avg(x) AS m, count(*) AS n FROM t GROUP BY g"
TYPES: tuple[DataType, ...] = (
    BIGINT,
    *(ArrayType(BIGINT), *[BIGINT] * 6),
    BIGINT,
)
"""A group's stored row: its key, limbs and count for both the sum and the average, its rows."""

Row = tuple[int, float | None, int]


def opened(spark: SparkSession, folder: Path, engine: str) -> Session:
    session = sw.open(folder, spark, engine=engine)
    session.create_source("t", "g BIGINT, x DOUBLE")
    session.create_view("v", SUMS, refresh="incremental")
    return session


def take(session: Session, rows: Sequence[Row]) -> None:
    groups, values, weights = zip(*rows, strict=True)
    columns = {"g": groups, "x": pa.array(values, pa.float64()), "_w": weights}
    session.ingest("t", pa.table(columns))
    session.refresh()


def stored_rows(session: Session, folder: Path) -> list[tuple[object, ...]]:
    """The rows that are kept of the groups, added up."""
    catalog = session._keeper.home.catalog()
    (found,) = (
        each.id
        for each in catalog.state.arrangements.values()
        if json.loads(each.definition)["role"] == "accumulators"
    )
    stored = Arrangement(str(folder), catalog.files(found), arrow_layout(TYPES))
    batches = ReadSegments(stored, even_ranges(1), net=True)(
        iter([pa.record_batch({"range": [0]})])
    )
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    return sorted(rows, key=str)


def net(history: Sequence[Sequence[Row]]) -> list[Row]:
    """The rows that are left; zeros of either sign are different rows."""
    total: Counter[tuple[int, str]] = Counter()
    for batch in history:
        for group, value, weight in batch:
            total[group, str(value)] += weight
    left = ((g, None if x == "None" else float(x), w) for (g, x), w in total.items() if w)
    return list(left)


@st.composite
def histories(draw: st.DrawFn) -> list[list[Row]]:
    """Batches of inserts and of deletes of rows that are there, which may come back later."""
    row = st.tuples(st.integers(0, 2), st.sampled_from(HARD))
    present: Counter[tuple[int, str]] = Counter()
    found = []
    for _ in range(draw(st.integers(2, 4))):
        batch: list[Row] = []
        for group, value in draw(st.lists(row, min_size=1, max_size=6)):
            times = draw(st.integers(1, 3))
            batch.append((group, value, times))
            present[group, str(value)] += times
        for (group, text), count in sorted(present.items()):
            gone = draw(st.integers(0, count)) if draw(st.booleans()) else 0
            if gone:
                batch.append((group, None if text == "None" else float(text), -gone))
                present[group, text] -= gone
        found.append(batch)
    return found


@in_both
@pytest.mark.spark
def test_stored_rows_are_those_of_a_fresh_load(spark: SparkSession, engine: str) -> None:
    @settings(
        max_examples=6 if engine == "driver" else 3,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(histories())
    def check(history: list[list[Row]]) -> None:
        left = net(history) or [(9, 1.0, 1)]
        with TemporaryDirectory() as one, TemporaryDirectory() as other:
            with opened(spark, Path(one), engine) as session:
                for batch in history:
                    take(session, batch)
                if not net(history):
                    take(session, left)
                kept, answer = stored_rows(session, Path(one)), answers(session)
            with opened(spark, Path(other), "driver") as session:
                take(session, left)
                assert kept == stored_rows(session, Path(other))
                assert answer == answers(session)

    check()


def answers(session: Session) -> list[str]:
    """The view's rows to the last bit."""
    return sorted(str(tuple(row)) for row in session.view("v").read().collect())


@in_both
@pytest.mark.spark
def test_large_numbers_leave_no_bit_behind(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    with opened(spark, tmp_path, engine) as session:
        take(session, [(1, 0.1, 1), (1, 0.2, 3), (1, 1e20, 1), (2, 1e308, 2), (2, 1.0, 1)])
        take(session, [(1, 1e20, -1), (1, 1e-12, 1), (2, 1e308, -2), (2, NAN, 1), (2, INF, 1)])
        take(session, [(2, NAN, -1), (2, INF, -1)])
        found = {row.g: row.s for row in session.view("v").read().collect()}
        assert found == {1: math.fsum((0.1, 0.2, 0.2, 0.2, 1e-12)), 2: 1.0}


_TABLES = Tables(
    {
        "t": pa.schema(
            [("id", pa.int64()), ("g", pa.int64()), ("x", pa.float64()), ("f", pa.float32())]
        )
    }
)
_VIEWS = {
    "by_key": SUMS,
    "of_all": "SELECT sum(x) AS s, avg(x) AS m, sum(f) AS t FROM t",
    "filtered": "SELECT g, sum(x) FILTER (WHERE id > 3) AS s, avg(f) FILTER (WHERE x > 0) AS m "
    "FROM t GROUP BY g",
    "computed": "SELECT g, sum(x * 2 + id) AS s, avg(f * x) AS m FROM t GROUP BY g",
    "beside_others": "SELECT g, sum(x) AS s, sum(id) AS i, count(f) AS c FROM t GROUP BY g",
    "beside_extremes": "SELECT g, sum(x) AS s, min(id) AS lo, max(id) AS hi FROM t GROUP BY g",
}
_MOMENTS = (
    *("var_pop(x)", "var_samp(x)", "stddev_pop(f)", "stddev_samp(x)", "covar_pop(x, f)"),
    *("covar_samp(x, f)", "regr_slope(x, f)", "regr_intercept(x, f)", "regr_r2(x, f)"),
    *("regr_sxx(x, f)", "regr_syy(x, f)", "regr_sxy(x, f)", "regr_count(x, f)"),
    *("regr_avgx(x, f)", "regr_avgy(x, f)", "var_pop(x) FILTER (WHERE id > 2)", "avg(x)"),
)
_SPREADS = {
    "moments": f"SELECT g, {', '.join(f'{each} AS m{n}' for n, each in enumerate(_MOMENTS))} "
    "FROM t GROUP BY g",
    "of_all": "SELECT stddev(x) AS s, covar_pop(f, x) AS c FROM t",
    "correlation": "SELECT g, corr(x, f) AS c FROM t WHERE g = 1 GROUP BY g",
    "beside_others": "SELECT g, stddev(x) AS s, min(id) AS lo, sum(id) AS i FROM t GROUP BY g",
}
_SPREAD: dict[str, Changes] = {
    "ordinary": {"t": [(1, 1, 0.5, 1.5, 1), (2, 1, 0.1, 0.1, 2), (3, 1, -7.0, 2.5, 1)]},
    "alone": {"t": [(4, 2, 3.5, 1.0, 1), (5, 3, None, 1.0, 1), (6, 4, 2.0, None, 1)]},
    "constant": {"t": [(7, 5, 0.1, 0.2, 3), (8, 6, 1.0, 0.2, 1), (9, 6, 2.0, 0.2, 1)]},
    "far": {"t": [(10, 7, 1e-40, 1e-30, 1), (11, 7, 3e-40, 2e-30, 2), (12, 8, 1e25, 1e20, 1)]},
    "more": {"t": [(13, 8, 3e25, -2e20, 1), (14, 1, 1e3, 4.0, 1), (15, 2, 3.25, 7.0, 1)]},
    "not finite": {"t": [(16, 5, INF, 0.5, 1), (17, 4, NAN, 1.0, 1), (18, 4, 1.0, 2.0, 1)]},
    "fewer": {"t": [(16, 5, INF, 0.5, -1), (17, 4, NAN, 1.0, -1), (14, 1, 1e3, 4.0, -1)]},
    "gone": {"t": [(12, 8, 1e25, 1e20, -1), (11, 7, 3e-40, 2e-30, -1), (4, 2, 3.5, 1.0, -1)]},
}
_HISTORY: dict[str, Changes] = {
    "ordinary": {"t": [(1, 1, 0.5, 1.5, 1), (2, 1, 0.1, 0.1, 2), (3, 2, -7.0, None, 1)]},
    "far apart": {"t": [(4, 2, 1e19, 1.0, 1), (5, 3, 1e-300, 1e-40, 3), (6, 3, 5e-324, 0.0, 1)]},
    "not finite": {"t": [(7, 4, INF, INF, 1), (8, 5, NAN, NAN, 1), (9, 6, -INF, 1.0, 2)]},
    "all of it": {"t": [(10, 7, 1e308, 1.0, 3), (11, 7, 1e300, 2.0, 1), (12, 8, None, None, 1)]},
    "zeros": {"t": [(13, 9, -0.0, -0.0, 2), (14, 9, 0.0, 0.0, 1), (15, 8, None, None, 1)]},
    "fewer": {"t": [(4, 2, 1e19, 1.0, -1), (7, 4, INF, INF, -1), (8, 5, NAN, NAN, -1)]},
    "again": {"t": [(7, 4, 2.5, INF, 1), (10, 7, 1e308, 1.0, -2), (9, 6, -INF, 1.0, -1)]},
    "both infinities": {"t": [(9, 6, INF, 1.0, 1), (1, 1, 0.5, 1.5, -1), (1, 1, 0.25, 1.5, 1)]},
    "only NULL": {"t": [(13, 9, -0.0, -0.0, -2), (14, 9, 0.0, 0.0, -1), (14, 9, None, 0.0, 1)]},
}


@pytest.mark.parametrize("way", [Way.DRIVER, Way.INDEX], ids=lambda way: way.value)
@pytest.mark.spark
def test_sums_are_sparks(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _TABLES, _VIEWS, _HISTORY, way=way)


@pytest.mark.spark
def test_moments_are_sparks(spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _TABLES, _SPREADS, _SPREAD)


@pytest.mark.spark
def test_moments_are_sparks_in_spark(spark: SparkSession, tmp_path: Path) -> None:
    views = {"few": "SELECT g, var_samp(x) AS v, regr_slope(x, f) AS s FROM t GROUP BY g"}
    titles = ("ordinary", "far", "more", "not finite", "fewer")
    history = {title: _SPREAD[title] for title in titles}
    check_history(spark, tmp_path, _TABLES, views, history, way=Way.INDEX)


@in_both
@pytest.mark.spark
def test_deviations_small_beside_their_mean(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    values = [1e9 + n * n % 17 * 1e-3 for n in range(100)]
    rows = [(1, value, 1) for value in values]
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", "g BIGINT, x DOUBLE")
        session.create_view(
            "v", "SELECT g, var_pop(x) AS s FROM t GROUP BY g", refresh="incremental"
        )
        take(session, [*rows, (1, 1e15, 1), (1, 1e-300, 1)])
        take(session, [(1, 1e15, -1), (1, 1e-300, -1)])
        assert "aggregate_sums" in str(session.view("v").explain("why"))
        (found,) = session.view("v").read().collect()
    mean = sum(map(Fraction, values)) / len(values)
    exact = sum((Fraction(value) - mean) ** 2 for value in values) / len(values)
    assert found.s == pytest.approx(float(exact), rel=1e-15)
