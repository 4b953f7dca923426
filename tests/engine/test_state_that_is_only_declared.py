"""A view that is declared but not filled lends no state to others that need the same."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from .harness import Kept, Law, Way
from .histories import Tables

_TABLES = Tables({"f": pa.schema([("x", pa.int64()), ("y", pa.int64())])})
_FIRST = {
    "greatest": "SELECT max(x) AS m FROM f",
    "by_value": "SELECT x, max(x) AS m FROM f GROUP BY x",
    "least": "SELECT x, y, min(x) AS m FROM f GROUP BY x, y",
}
_LATER = {"values": "SELECT x FROM f", "pairs": "SELECT x, y FROM f"}


@pytest.mark.parametrize("way", [Way.DRIVER, Way.INDEX], ids=lambda way: way.value)
def test_a_source_loses_its_first_row(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    law = Law(spark, tmp_path, _TABLES.schemas, way=way)
    try:
        for name, sql in _FIRST.items():
            law.add(Kept(name, sql), refresh="auto")
        law.take(_TABLES.batch({"f": [(1, 1, 1), (2, 1, 1), (3, 2, 1)]}))
        law.refresh()
        for name, sql in _LATER.items():
            law.add(Kept(name, sql), refresh="auto")
        for row in ((3, 2), (2, 1), (1, 1)):
            law.take(_TABLES.batch({"f": [(*row, -1)]}))
            law.refresh()
            assert [str(each) for each in law.broken()] == []
    finally:
        law.close()
