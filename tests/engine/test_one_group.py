"""Operators without a key: all rows are one group, which need not fit into memory at once."""

from __future__ import annotations

import os
from math import nan
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.errors import DataError
from slackwater.state import columns, snapshot, sorting

from .harness import Kept, Law, Way
from .histories import Changes, Tables, check_history, opened

_each_way = pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
_TABLES = Tables(
    {
        "t": pa.schema([("g", pa.string()), ("v", pa.int32()), ("x", pa.float64())]),
        "maps": pa.schema([("id", pa.int32()), ("m", pa.map_(pa.string(), pa.int32()))]),
    }
)
_VIEWS = {
    "middle": "SELECT percentile(v, 0.5) p, sort_array(collect_list(g)) l, max(x) hi FROM t",
    "shares": "SELECT g, v, x, sum(v) OVER () s, count(*) OVER () n FROM t",
    "firsts": "SELECT g, count(*) n FROM (SELECT * FROM t ORDER BY v, g, x LIMIT 3) GROUP BY g",
    "last_maps": "SELECT count(*) n FROM (SELECT m FROM maps ORDER BY m['a'] LIMIT 2)",
    "numbered_maps": "SELECT m, count(*) OVER () n FROM maps",
    "parsed": "SELECT parse_json(concat('[', v, ']')) p, count(*) OVER () n FROM t",
    "alike": "SELECT g COLLATE UTF8_LCASE AS g, sum(v) OVER () s FROM t",
}
_HISTORY: dict[str, Changes] = {
    "values that are like no other, rows that count twice": {
        "t": [("a", 1, 0.0, 1), ("a", 1, -0.0, 2), (None, None, nan, 2), ("b", 5, None, 1)],
        "maps": [(1, [("a", 1), ("b", 2)], 2), (2, [], 1), (3, None, 1)],
    },
    "one of two equal rows goes, and a zero of the other sign": {
        "t": [("a", 1, 0.0, -1), (None, None, nan, -1), ("c", 3, 2.5, 3)],
        "maps": [(1, [("a", 1), ("b", 2)], -1), (4, [("b", 2), ("a", 1)], 1), (5, [("a", 0)], 1)],
    },
    "a row that Spark's text of another collation calls equal takes the place of one": {
        "t": [("b", 5, None, -1), ("B", 5, None, 1)]
    },
    "all rows go": {
        "t": [("a", 1, -0.0, -2), (None, None, nan, -1), ("B", 5, None, -1), ("c", 3, 2.5, -3)],
        "maps": [
            (1, [("a", 1), ("b", 2)], -1),
            (4, [("b", 2), ("a", 1)], -1),
            (2, [], -1),
            (3, None, -1),
            (5, [("a", 0)], -1),
        ],
    },
    "and some come back": {"t": [("a", 7, 1.0, 1)], "maps": [(1, [("z", 1)], 1)]},
}


@_each_way
def test_one_group_is_kept_exactly(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _TABLES, _VIEWS, _HISTORY, way=way)


@pytest.mark.skipif(
    "SLACKWATER_TEST_MASTER" in os.environ,
    reason="there all work is done by Spark's workers, which do not know of the bound",
)
def test_one_group_need_not_fit_into_a_batch(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow's own bound is gigabytes; here it is less than half of the rows."""
    join = columns.join_batches

    def bounded(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        if len(batches) > 1 and sum(batch.num_rows for batch in batches) > 300:
            raise DataError("too many rows for one batch")
        return join(batches)

    for module in (columns, snapshot, sorting):
        monkeypatch.setattr(module, "join_batches", bounded)
    monkeypatch.setattr(columns, "MAX_BATCH_ROWS", 10)
    monkeypatch.setattr(columns, "FILE_BATCH_ROWS", 160)
    monkeypatch.setattr(snapshot, "_PORTIONS_AT_ONCE", 10)
    monkeypatch.setattr(sorting, "_PIECE_ROWS", 20)
    monkeypatch.setattr(sorting, "_RUN_ROWS", 50)
    tables = Tables({"t": pa.schema([("g", pa.string()), ("v", pa.int32())])})
    views = {
        "middle": "SELECT percentile_approx(v, 0.5) p, max(g) hi FROM t",
        "shares": "SELECT g, v, sum(v) OVER () s FROM t",
        "firsts": "SELECT sum(v) s FROM (SELECT * FROM t ORDER BY v DESC, g LIMIT 400)",
    }
    with opened(spark, tmp_path, tables, views) as law:
        for start in range(0, 750, 150):
            rows = [(f"g{n}", n, 1) for n in range(start, start + 150)]
            gone = [(f"g{n}", n, -1) for n in range(start - 9, start) if n >= 0]
            law.take(tables.batch({"t": [*rows, *gone]}))
            phases = law.refresh().metrics.phases
            assert "computing" not in phases, "Spark's workers do not know of the bound"
        law.session.compact()
        assert not [str(each) for each in law.broken()]


def test_an_answer_that_is_also_state_tells_its_changes_when_it_starts_over(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The answer of an unpartitioned window is the state that its rule keeps."""
    law = Law(spark, tmp_path, _TABLES.schemas)
    try:
        most = "SELECT g, max(v) m FROM t GROUP BY g"
        ranked = f"SELECT g, m, rank() OVER (ORDER BY m) r FROM ({most})"
        law.add(Kept("ranked", ranked))
        law.take(_TABLES.batch({"t": [("a", 1, 0.0, 1), ("b", 2, 0.0, 1), ("b", 3, 0.0, 1)]}))
        commit = law.refresh().commit
        law.take(_TABLES.batch({"t": [("b", 3, 0.0, -1), ("c", 9, 0.0, 1)]}))
        (run,) = law.refresh().views
        assert run.action == "rebuilt"
        assert not [str(each) for each in law.broken()]
        changes = law.session.view("ranked").changes(commit, zset=True).collect()
        found = sorted((row["g"], row["m"], row["r"], row["_w"]) for row in changes)
        assert found == [("b", 2, 2, 1), ("b", 3, 2, -1), ("c", 9, 3, 1)]
    finally:
        law.close()
