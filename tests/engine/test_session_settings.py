"""Views mean what they meant when their home was made, whatever the session is set to since.

What we print is read by the rules it is written for; the user's own text by the user's.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from sqlalchemy import delete

import slackwater as sw
from slackwater.spark.pinned_settings import PINNED_SETTINGS
from slackwater.state.metadata import schema
from slackwater.state.metadata.engine import writing
from slackwater.state.metadata.records import Transaction

in_both = pytest.mark.parametrize("engine", ["spark", "driver"], ids=["in Spark", "on the driver"])
_TEXTS = ["price ${spark.slackwater.test}", "a\\tb", "a\tb", "it's", "$", "5"]
_ROWS = pa.table({"id": range(len(_TEXTS)), "s": _TEXTS})
_LEFT_TO_SPARK = """
    WITH RECURSIVE up(n, s) AS (
        SELECT id, s FROM t WHERE s {}
        UNION ALL SELECT n + 10, s FROM up WHERE n < 10
    ) SELECT n, s FROM up"""


def _refreshed(session: sw.Session, *views: str) -> None:
    """Refresh after a first and a second batch, and hold every view against Spark's own answer."""
    for part in (_ROWS.slice(0, 4), _ROWS.slice(4)):
        session.ingest("t", part)
        session.refresh()
        for view in views:
            assert session.verify(view).difference is None


@in_both
def test_constants_are_not_substituted_twice(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    spark.conf.set("spark.slackwater.test", "5")
    spark.conf.set("spark.slackwater.pattern", "price")
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", "id BIGINT, s STRING")
        table = session.table("t")
        written = table.where(table.s == "price ${spark.slackwater.test}")
        session.create_view("written", written.groupBy("s").count())
        session.create_view("listed", written.orderBy("id").limit(2))
        session.create_view("said", "SELECT id, s FROM t WHERE s = '${spark.slackwater.test}'")
        said = _LEFT_TO_SPARK.format("LIKE '${spark.slackwater.pattern}%'")
        session.create_view("left_to_spark", said)
        _refreshed(session, "written", "listed", "said", "left_to_spark")
        assert session.view("written").read().collect() == [(_TEXTS[0], 1)]
        assert session.view("listed").read().collect() == [(0, _TEXTS[0])]
        assert session.view("said").read().collect() == [(5, "5")]
        found = session.view("left_to_spark").read().orderBy("n").collect()
        assert found == [(0, _TEXTS[0]), (10, _TEXTS[0])]


@in_both
def test_backslashes_of_users_and_of_ours(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    with sw.open(tmp_path, spark, engine=engine) as session:
        session.create_source("t", "id BIGINT, s STRING")
        session.create_view("plain", r"SELECT id FROM t WHERE s = 'a\tb'")
        session.create_view("quoted", r"SELECT count(*) AS n FROM t WHERE s > 'a\u'")
        session.create_view("left_to_spark", _LEFT_TO_SPARK.format(r"= 'a\tb'"))
        _refreshed(session, "plain", "quoted", "left_to_spark")
        assert session.view("plain").read().collect() == [(1,)]
        assert session.view("left_to_spark").read().count() == 2


@in_both
def test_instants_stay_instants(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    times = pa.array([0, 1_600_000_000_000_000, None, 2**50], pa.timestamp("us", "UTC"))
    rows = pa.table({"id": [1, 2, 3, 4], "at": times, "on": times.cast(pa.timestamp("us"))})
    with sw.open(tmp_path, spark, engine=engine) as session:
        columns = "id BIGINT, at TIMESTAMP_LTZ, on TIMESTAMP"
        session.create_source("t", columns, key=("id",))
        session.create_view("extremes", "SELECT max(at) AS a, max(on) AS b FROM t")
        session.create_view("nested", "SELECT struct(at, on) AS s, count(*) AS n FROM t GROUP BY 1")
        session.create_view("moved", "SELECT id, CAST(on AS TIMESTAMP_LTZ) AS x FROM t")
        session.create_view("read", "SELECT id, to_timestamp('2020-01-01') AS x FROM t")
        for part in (rows.slice(0, 2), rows.slice(2)):
            session.ingest("t", part)
            session.refresh()
            for view in session.views():
                assert session.verify(view).difference is None
        gone = spark.sql("SELECT 4L AS id")
        session.ingest("t", gone, op="delete")
        session.refresh()
        found = session.view("extremes").read()
        assert [kind for _, kind in found.dtypes] == ["timestamp", "timestamp_ntz"]
        assert session.verify("extremes").difference is None
        assert dict(session.view("read").read().dtypes)["x"] == "timestamp_ntz"


def test_a_home_keeps_the_settings_it_was_made_with(spark: SparkSession, tmp_path: Path) -> None:
    policy, dedup = "spark.sql.legacy.timeParserPolicy", "spark.sql.mapKeyDedupPolicy"
    sizes = "spark.sql.legacy.sizeOfNull"
    spark.conf.set(dedup, "LAST_WIN")
    spark.conf.set(sizes, "TRUE")
    spark.conf.set("spark.sql.caseSensitive", "FALSE")
    with sw.open(tmp_path, spark) as session:
        pinned = session.keeper.catalog().pinned
        assert (pinned[dedup], pinned[sizes]) == ("LAST_WIN", "true")
        assert pinned["spark.sql.caseSensitive"] == "false"
        assert pinned["spark.sql.timestampType"] == "TIMESTAMP_LTZ"
        session.create_source("t", "id BIGINT, s STRING")
        session.create_view("v", "SELECT id, map(1, s, 1, 'last') AS m FROM t")
    spark.conf.set(dedup, "EXCEPTION")
    spark.conf.set(sizes, "false")
    spark.conf.set(policy, "LEGACY")
    with sw.open(tmp_path, spark) as session:
        session.ingest("t", pa.table({"id": [1], "s": ["a"]}))
        session.refresh()
        assert session.view("v").read().collect() == [(1, {1: "last"})]
        assert session.verify("v").difference is None
        assert session.keeper.catalog().pinned == pinned
        settled = session.keeper._queries.session.conf
        assert (settled.get(dedup), settled.get(sizes)) == ("LAST_WIN", "true")
        assert settled.get(policy) == "CORRECTED"
    assert (spark.conf.get(policy), spark.conf.get(dedup)) == ("LEGACY", "EXCEPTION")


def test_a_home_that_kept_fewer_settings(spark: SparkSession, tmp_path: Path) -> None:
    with sw.open(tmp_path, spark) as session:
        home = session.keeper.home
        with writing(home.writer.engine) as connection:
            newer = schema.pinned_settings.c.name.in_(PINNED_SETTINGS[4:])
            connection.execute(delete(schema.pinned_settings).where(newer))
        home.commit(Transaction("compact", pinned={PINNED_SETTINGS[0]: "TRUE"}))
    policy = "spark.sql.legacy.timeParserPolicy"
    spark.conf.set(policy, "LEGACY")
    with sw.open(tmp_path, spark, read_only=True) as session:
        assert session.keeper._queries.session.conf.get(policy) == "LEGACY"
        assert session.keeper.catalog().pinned[PINNED_SETTINGS[0]] == "true"
    spark.conf.set(PINNED_SETTINGS[0], "false")
    with sw.open(tmp_path, spark) as session:
        pinned = session.keeper.catalog().pinned
        assert {*PINNED_SETTINGS, policy} <= pinned.keys()
        assert (pinned[PINNED_SETTINGS[0]], pinned[policy]) == ("true", "LEGACY")
