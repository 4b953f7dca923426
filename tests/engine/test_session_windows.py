"""Groups by session_window: changes that join, split, shorten and move sessions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.workloads.rows import Row

from .harness import Way
from .histories import Changes, Tables, check_history

_each_way = pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
_TABLES = Tables(
    {
        "e": pa.schema(
            [
                ("k", pa.string()),
                ("ts", pa.timestamp("us", tz="UTC")),
                ("nt", pa.timestamp("us")),
                ("n", pa.int32()),
                ("x", pa.float64()),
            ]
        ),
        "names": pa.schema([("k", pa.string()), ("title", pa.string())]),
    }
)
_GAP = "session_window(ts, '10 minutes')"
_VIEWS = {
    "by_key": f"""SELECT k, session_window.start AS s, session_window.end AS e, count(*) AS c,
        sum(n) AS t, avg(x) AS m FROM e GROUP BY k, {_GAP}""",
    "of_all": f"SELECT session_window, count(n) AS c FROM e GROUP BY {_GAP}",
    "starts": f"SELECT session_window.start AS s, max(n) AS hi FROM e GROUP BY {_GAP}, x",
    "local": """SELECT k, session_window AS w, min(x) AS lo FROM e
        GROUP BY session_window(nt, '10 minutes'), k""",
    "distinct": f"""SELECT k, session_window.end AS e, count(DISTINCT n) AS c,
        sort_array(collect_list(n)) AS l FROM e GROUP BY k, {_GAP}""",
    "two_distinct": f"""SELECT k, session_window.end AS e, count(DISTINCT n) AS c,
        count(DISTINCT x) AS d FROM e GROUP BY k, {_GAP}""",
    "estimated": f"""SELECT k, session_window.start AS s, approx_count_distinct(n) AS c,
        count(*) AS r FROM e GROUP BY k, {_GAP}""",
    "no_aggregate": f"SELECT session_window.end AS e FROM e GROUP BY k, {_GAP}",
    "own_gaps": """SELECT k, session_window.start AS s, session_window.end AS e, count(*) AS c
        FROM e GROUP BY k, session_window(ts, concat(n, ' minutes'))""",
    "months": """SELECT k, session_window.end AS e, count(*) AS c FROM e
        GROUP BY k, session_window(ts, '1 month')""",
    "having": f"""SELECT session_window.start AS s, count(*) AS c FROM e GROUP BY {_GAP}, k
        HAVING count(*) > 1 AND sum(n) > 3""",
    "joined": f"""SELECT g.s, g.c, names.title FROM (SELECT k, session_window.start AS s,
        count(*) AS c FROM e GROUP BY k, {_GAP}) g JOIN names ON names.k <=> g.k""",
    "of_sessions": f"""SELECT session_window.start AS s, session_window.end AS e, sum(c) AS c
        FROM (SELECT session_window AS w, count(*) AS c FROM e GROUP BY k, {_GAP})
        GROUP BY session_window(w, '20 minutes')""",
    "grouped_twice": f"""SELECT w, count(*) AS c FROM (SELECT session_window AS w, k FROM e
        GROUP BY k, {_GAP}) GROUP BY w""",
    "ranked": f"""SELECT k, session_window.start AS s, sum(n) AS t, rank() OVER (
        PARTITION BY k ORDER BY sum(n)) AS r FROM e GROUP BY k, {_GAP}""",
}


def _at(minute: float) -> datetime:
    return datetime(2024, 3, 31, 0, 30, tzinfo=UTC) + timedelta(minutes=minute)


def _event(key: str | None, minute: float | None, n: int | None, weight: int = 1) -> Row:
    at = None if minute is None else _at(minute)
    local = None if at is None else at.replace(tzinfo=None)
    x = None if n is None else (-0.0, 0.0, 1.5)[n % 3]
    return (key, at, local, n, x, weight)


_MOMENT = 1 / 60_000_000
_HISTORY: dict[str, Changes] = {
    "events at exactly the gap go on, a microsecond later they do not": {
        "e": [
            _event("a", 0, 1),
            _event("a", 10, 2),
            _event("a", 20 + _MOMENT, 3),
            _event("b", 5, 4, 2),
            _event(None, 7, 5),
            _event("a", None, 6),
            _event(None, None, None),
        ],
        "names": [("a", "first", 1), (None, "none", 1)],
    },
    "out of order: an event before all, one between two sessions, one like another": {
        "e": [
            _event("a", -8, 7),
            _event("a", 15, 2),
            _event("b", 5, 4),
            _event("b", 40, 12),
            _event(None, 12, None),
        ]
    },
    "the event between two sessions goes": {"e": [_event("a", 15, 2, -1), _event("a", 10, 2, -1)]},
    "the first event goes, the last one moves": {
        "e": [_event("a", -8, 7, -1), _event("b", 40, 12, -1), _event("b", 12, 12)]
    },
    "gaps of no length, and none": {
        "e": [_event("c", 3, 0), _event("c", 4, -5), _event("c", 5, None), _event("c", 6, 30)]
    },
    "a long chain arrives, its links in any order": {
        "e": [_event("d", 9 * (7 * each % 11), each) for each in range(11)]
    },
    "the chain breaks in two places": {
        "e": [_event("d", 9 * (7 * each % 11), each, -1) for each in (3, 8)]
    },
    "all of a key goes, its name too": {
        "e": [_event("a", 0, 1, -1), _event("a", 20 + _MOMENT, 3, -1), _event("a", None, 6, -1)],
        "names": [("a", "first", -1)],
    },
}


@_each_way
def test_sessions_are_sparks(way: Way, spark: SparkSession, tmp_path: Path) -> None:
    check_history(spark, tmp_path, _TABLES, _VIEWS, _HISTORY, way=way)
