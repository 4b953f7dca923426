"""Windows whose ranks a filter bounds: a partition is read again only when it loses a first row.

The histories lose first rows in most batches, among ties, NULLs and NaN, empty the table and fill
it again.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from .harness import Kept, Law, Way
from .histories import Changes, Tables, check_history, each_way
from .random_rows import random_history, random_schemas

_ALL = "v, id, k, g, d, x"


def _ranked(function: str, over: str, where: str, columns: str = "*", table: str = "a") -> str:
    ranked = f"SELECT *, {function} OVER ({over}) AS n FROM {table}"
    return f"SELECT {columns} FROM ({ranked}) WHERE {where}"


_VIEWS = {
    "latest": _ranked("row_number()", f"PARTITION BY k ORDER BY v DESC, {_ALL}", "n = 1"),
    "top": _ranked("row_number()", f"PARTITION BY k ORDER BY {_ALL}", "n <= 3"),
    "second": _ranked("row_number()", f"PARTITION BY g, k ORDER BY {_ALL}", "2 = n", "id, x"),
    "few": _ranked("rank()", "PARTITION BY g ORDER BY v NULLS LAST", "n < 3 AND id > 2"),
    "best": _ranked("rank()", "PARTITION BY k ORDER BY x DESC NULLS FIRST", "1 >= n"),
    "values": _ranked("dense_rank()", "PARTITION BY k ORDER BY d DESC, g", "n <= 2"),
    "places": _ranked("rank()", "PARTITION BY x ORDER BY id % 3", "n BETWEEN 2 AND 3", "id, x, n"),
    "none": _ranked("row_number()", f"PARTITION BY k ORDER BY {_ALL}", "n <= 0"),
    "first": _ranked("row_number()", f"ORDER BY {_ALL}", "n <= 4"),
    "lowest": _ranked("dense_rank()", "ORDER BY v DESC NULLS LAST", "n <= 2"),
    "running": "SELECT id, r, c, s FROM (SELECT *, rank() OVER w r, count(v) OVER w c, "
    "sum(x) OVER w s FROM a WINDOW w AS (PARTITION BY k ORDER BY v)) WHERE r <= 2",
    "summed": "SELECT id, n, s FROM (SELECT *, row_number() OVER w n, "
    f"sum(v) OVER (PARTITION BY k ORDER BY {_ALL} ROWS UNBOUNDED PRECEDING) s "
    f"FROM a WINDOW w AS (PARTITION BY k ORDER BY {_ALL})) WHERE n <= 2",
    "behind": "SELECT id, n, m, l FROM (SELECT *, row_number() OVER w n, lag(v, 2) OVER w l, "
    f"min(v) OVER (PARTITION BY k ORDER BY {_ALL} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) m "
    f"FROM a WINDOW w AS (PARTITION BY k ORDER BY {_ALL})) WHERE n <= 3",
    "ahead": "SELECT id, n, l FROM (SELECT *, row_number() OVER w n, lead(id) OVER w l FROM a "
    f"WINDOW w AS (PARTITION BY k ORDER BY {_ALL})) WHERE n <= 2",
    "counted": "SELECT k, count(*) c, sum(v) s FROM ("
    + _ranked("rank()", "PARTITION BY k, g ORDER BY v", "n = 1")
    + ") GROUP BY k",
    "joined": "SELECT b.id, f.id AS other FROM b JOIN ("
    + _ranked("row_number()", f"PARTITION BY k ORDER BY {_ALL}", "n = 1")
    + ") f ON b.k <=> f.k",
}
_METHODS = {"ahead": "window"} | {
    name: "group_prefix" for name in _VIEWS if name not in ("ahead", "none")
}


def _check(spark: SparkSession, folder: Path, seed: int, batches: int, way: Way) -> None:
    law = Law(spark, folder, random_schemas(), way=way)
    try:
        for name, sql in _VIEWS.items():
            law.add(Kept(name, sql))
        base = _ranked("rank()", "PARTITION BY g ORDER BY v", "n <= 2", f"{_ALL}, n AS place")
        law.add_for_others(Kept("base", base))
        over = f"PARTITION BY k ORDER BY id DESC, place, {_ALL}"
        law.add(Kept("above", _ranked("row_number()", over, "n = 1", "id, k, n", "base")))
        for batch in random_history(seed, batches):
            law.take(batch)
            law.refresh()
            found = [str(each) for each in law.broken()]
            assert not found, "\n".join(found)
        law.require_incremental()
        for name, method in _METHODS.items():
            assert f"{method}:" in str(law.session.view(name).explain("plan")), name
    finally:
        law.close()


@each_way
def test_history_that_loses_first_rows_stays_exact(
    way: Way, spark: SparkSession, tmp_path: Path
) -> None:
    _check(spark, tmp_path, seed=3, batches=7, way=way)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(100, 115))
def test_many_histories_stay_exact(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    _check(spark, tmp_path, seed, batches=12, way=Way.DRIVER)


_READINGS = Tables({"r": pa.schema([("s", pa.float64()), ("x", pa.float32()), ("m", pa.int64())])})
_ZERO, _MINUS, _NAN = 0.0, -0.0, float("nan")
_HISTORY: dict[str, Changes] = {
    "both zeros are one sensor": {
        "r": [(_ZERO, 1.0, 1, 1), (_MINUS, 1.0, 2, 1), (1.0, _NAN, 3, 2)]
    },
    "zeros as values": {"r": [(1.0, _MINUS, 4, 1), (1.0, _ZERO, 4, 1), (None, None, 5, 3)]},
    "one zero goes": {"r": [(1.0, _ZERO, 4, -1), (_NAN, _NAN, 6, 1)]},
    "a zero turns its sign": {"r": [(_ZERO, 1.0, 1, -1), (_MINUS, 1.0, 1, 1)]},
    "a copy goes": {"r": [(1.0, _NAN, 3, -1), (None, None, 5, -2)]},
    "nothing is left": {
        "r": [
            (_MINUS, 1.0, 1, -1),
            (_MINUS, 1.0, 2, -1),
            (1.0, _NAN, 3, -1),
            (1.0, _MINUS, 4, -1),
            (None, None, 5, -1),
            (_NAN, _NAN, 6, -1),
        ]
    },
    "and all begins again": {"r": [(_ZERO, _ZERO, 7, 4), (_MINUS, _NAN, 8, 1)]},
}


@each_way
def test_zeros_nan_and_copies(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    views = {
        "least": _ranked("row_number()", "PARTITION BY s ORDER BY x, m", "n <= 2", table="r"),
        "greatest": _ranked("rank()", "PARTITION BY s ORDER BY x DESC", "n = 1", table="r"),
        "of_all": _ranked("dense_rank()", "ORDER BY x NULLS LAST", "n < 3", table="r"),
    }
    check_history(spark, tmp_path, _READINGS, views, _HISTORY, way=way)


@each_way
def test_which_of_ties_is_kept_stays_so(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    """The rows of ties are open, their places are not; what reads them sees them come and go."""
    law = Law(spark, tmp_path, random_schemas(), way=way)
    try:
        sql = _ranked("row_number()", "PARTITION BY k ORDER BY v", "n <= 2")
        law.session.create_view("open", sql, refresh="incremental")
        law.plain.define("open", sql)
        law.add(Kept("places", "SELECT k, v, n FROM open"))
        law.add(Kept("sizes", "SELECT k, count(*) c, sum(v) s, max(n) m FROM open GROUP BY k"))
        for batch in random_history(seed=5, batches=6):
            law.take(batch)
            law.refresh()
            found = [str(each) for each in law.broken()]
            assert not found, "\n".join(found)
            kept = Counter(map(str, law.session.view("open").read().drop("n").collect()))
            assert kept <= Counter(map(str, law.plain.query("SELECT * FROM a").collect()))
    finally:
        law.close()
