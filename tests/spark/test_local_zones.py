"""Dates and timestamps are computed alike in every time zone, also where clocks jump."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.pruning import prune
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.spark_statements import SparkStatements
from slackwater.executors.driver.zones import UTC, Zone, zone_of
from slackwater.spark.zone_rules import read_zone_rules
from slackwater.state.columns import widened
from slackwater.types import ddl

from .hard_times import COLUMNS, computed_times, rows_around, time_conditions
from .planned_text import answers_by_key, plain_values, plan_text, planner_over

_SETTING = "spark.sql.session.timeZone"
_JUMPS: dict[str, tuple[int, ...]] = {
    # Summer time begins and ends, also by the rules for all years to come; a jump of 53:28.
    "Europe/Berlin": (1_711_846_800, 1_729_990_800, 253_392_454_800, -2_422_054_408),
    # A day began at half past midnight.
    "America/Toronto": (-1_601_753_400, 1_710_054_000, 1_730_613_600),
    # Midnight came twice, or not at all.
    "America/Sao_Paulo": (1_518_920_400 - 5400, 1_541_300_400, -3_000_000_000),
    # A whole day was left out.
    "Pacific/Apia": (1_325_239_200, 1_325_152_800),
    # Half an hour only.
    "Australia/Lord_Howe": (1_712_415_600, 1_728_142_200),
    "Asia/Kathmandu": (504_901_800,),
    "+05:30": (1_711_846_800,),
    "UTC": (1_711_846_800, -1),
}
"""Time zones, and seconds beside which their clocks jump."""


@pytest.fixture(params=_JUMPS)
def zone(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    """A time zone, which the session has until the test ends."""
    name = str(request.param)
    spark.conf.set(_SETTING, name)
    return name


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0, zone=lambda: zone_of(read_zone_rules(spark)))
    yield engine
    engine.close()


def test_expressions_beside_jumps(spark: SparkSession, engine: LocalEngine, zone: str) -> None:
    table = rows_around(_JUMPS[zone])
    statements = _printed(spark, [*computed_times(), *time_conditions()])
    rows = range(table.num_rows)
    found = {
        text: {
            row: answer[0][1]
            for row, answer in answers_by_key(engine, single, table, "id", rows).items()
        }
        for text, single in statements.items()
    }
    assert _differences(found, _in_spark(spark, found, table)) == []


def test_reads_one_offset_without_transitions(spark: SparkSession) -> None:
    spark.conf.set(_SETTING, "-03:30")
    assert zone_of(read_zone_rules(spark)) == Zone(-12_600)
    spark.conf.set(_SETTING, "UTC")
    assert zone_of(read_zone_rules(spark)) == UTC


def test_refuses_transitions_that_overlap(spark: SparkSession) -> None:
    spark.conf.set(_SETTING, "Europe/Berlin")
    found = zone_of(read_zone_rules(spark))
    with pytest.raises(ValueError, match="overlap"):
        Zone(found.offset, found.transitions[::-1])


def _printed(spark: SparkSession, texts: list[str]) -> dict[str, DuckdbStatement]:
    """Statements of one expression each; none is left to Spark."""
    items = ", ".join(f"{text} AS c{n}" for n, text in enumerate(texts))
    statement = plan_text(planner_over(spark, COLUMNS), f"SELECT id, {items} FROM t")
    return {text: print_duckdb(prune(statement, ("id", f"c{n}"))) for n, text in enumerate(texts)}


def _in_spark(
    spark: SparkSession, found: dict[str, dict[int, object]], table: pa.Table
) -> dict[str, dict[int, object]]:
    """Spark's values of expressions, computed only for the rows that have an answer."""
    items = ", ".join(
        f"CASE WHEN id IN ({', '.join(map(str, (-1, *rows)))}) THEN {text} END AS c{n}"
        for n, (text, rows) in enumerate(found.items())
    )
    schema = ", ".join(f"{name} {ddl(dtype)}" for name, dtype in COLUMNS.items())
    spark.createDataFrame(widened(table), schema).createOrReplaceTempView("t")
    answer = SparkStatements(spark).execute(f"SELECT id, {items} FROM t", {}, {})
    ids = answer["id"].to_pylist()
    columns = [dict(zip(ids, plain_values(each), strict=True)) for each in answer.columns[1:]]
    return dict(zip(found, columns, strict=True))


def _differences(
    found: dict[str, dict[int, object]], expected: dict[str, dict[int, object]]
) -> list[str]:
    return [
        f"{text} in row {row}: {value}, in Spark {expected[text][row]}"
        for text, rows in found.items()
        for row, value in rows.items()
        if value != expected[text][row]
    ]
