"""Running sums of the widest decimals: kept while they fit, given up for good when one does not."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import ExecutionError

HUGE = Decimal("9e31")
OTHERS = [("b", Decimal(n), 1) for n in range(10)]


def change(*rows: tuple[str, Decimal, int]) -> pa.Table:
    groups, values, weights = zip(*rows, strict=True)
    return pa.table(
        {"g": list(groups), "v": pa.array(values, pa.decimal128(38, 6)), "_w": list(weights)}
    )


def kept(spark: SparkSession, home: Path, engine: str) -> Session:
    session = sw.open(home, spark, engine=engine)
    session.create_source("item", "g STRING, v DECIMAL(38,6)")
    # Under `auto` the few rows here would be cheaper to group anew.
    sums = "SELECT g, sum(v) AS s FROM item GROUP BY g"
    session.create_view("totals", sums, refresh="incremental")
    return session


@pytest.mark.parametrize("engine", ["spark", "driver"], ids=["spark", "driver"])
def test_a_sum_that_fits_only_in_the_end(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    with kept(spark, tmp_path, engine) as session:
        session.ingest("item", change(("a", -HUGE, 1), *OTHERS))
        session.refresh()
        assert "aggregate_sums" in str(session.view("totals").explain("why"))
        # The sum fits before and after; what it changes by does not.
        session.ingest("item", change(("a", -HUGE, -1), ("a", HUGE, 1)))
        (run,) = session.refresh().views
        assert (run.action, run.reason) == (
            "rebuilt",
            "a sum does not fit its type, so that the view needs other state",
        )
        assert session.verify("totals").equal
        assert "aggregate_groups" in str(session.view("totals").explain("why"))
        session.ingest("item", change(("b", Decimal(1), -1)))
        assert session.refresh().views[0].action == "incremental"
        assert session.verify("totals").equal


def test_a_sum_that_plain_spark_cannot_give_either(spark: SparkSession, tmp_path: Path) -> None:
    with kept(spark, tmp_path, "driver") as session:
        session.ingest("item", change(("a", HUGE, 1), *OTHERS))
        session.refresh()
        session.ingest("item", change(("a", HUGE, 1)))
        with pytest.raises(ExecutionError, match=r"OUT_OF_RANGE|OVERFLOW"):
            session.refresh()
        session.ingest("item", change(("a", HUGE, -1)))
        assert session.refresh().views[0].action == "incremental"
        assert session.verify("totals").equal


def test_another_failure_leaves_sums_as_they_are(spark: SparkSession, tmp_path: Path) -> None:
    with kept(spark, tmp_path, "spark") as session:
        session.create_view("quotients", "SELECT 1 / (v - 1) AS q FROM item WHERE g = 'b'")
        session.ingest("item", change(("b", Decimal(3), 1), ("b", Decimal(5), 1)))
        session.refresh()
        session.ingest("item", change(("b", Decimal(1), 1)))
        with pytest.raises(ExecutionError, match="DIVIDE_BY_ZERO"):
            session.refresh()
        session.ingest("item", change(("b", Decimal(1), -1)))
        session.refresh()
        assert "aggregate_sums" in str(session.view("totals").explain("why"))
        assert session.verify("totals").equal
