"""The page that follows a change through TPC-H's question 17 names things as they are."""

from __future__ import annotations

import re
from pathlib import Path

from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "one-change-through-q17.md"
QUERY = ROOT / "tests" / "oracle" / "queries" / "tpch" / "q17.sql"


def test_every_name_on_the_page_is_real(spark: SparkSession, tmp_path: Path) -> None:
    tables = read_tpch(ensure_tpch(0.001))
    text = PAGE.read_text(encoding="utf-8")
    with sw.open(tmp_path / "home", spark=spark) as session:
        for name in ("lineitem", "part"):
            schema = spark.createDataFrame(tables[name].slice(0, 1)).schema
            session.create_source(name, schema, key=TPCH_KEYS[name].primary)
        view = session.create_view("q17", QUERY.read_text(encoding="utf-8"))
        known = view.explain("why") + view.explain("program")
        known += "".join(session.keeper.catalog().state.arrangements)
    states = set(re.findall(r"\ba[0-9a-f]{16}\b", text))
    frames = set(re.findall(r"\b(?:scan|project|aggregate|join|filter)\d+_\w+", text))
    assert len(states) == 8
    assert len(frames) > 10
    # The program on the page leaves out what changes of `part` add, so its numbers may differ.
    assert {name for name in states if name not in known} == set()
