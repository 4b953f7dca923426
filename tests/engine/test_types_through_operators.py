"""Every type through every kind of operator, with its extreme values, on both engines.

All operators of a type are views of one home. One history inserts, updates, deletes and inserts
again; after each run every view is held against plain Spark over the same rows. What Spark itself
refuses is listed with the type, and refused by us as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.errors import SlackwaterError
from slackwater.workloads.rows import Row

from .hard_types import TYPES, HardType
from .harness import Kept, Law, Plain, Way, made
from .histories import Changes, Tables

_ENGINES = (Way.DRIVER, Way.INDEX)
_ORDERED = "sort_limit"
_EVERY = 12
"""One in so many operators of every second type is in the sample, others of the next type."""


def _tables(kind: HardType) -> Tables:
    """Two tables whose rows name their value by its number."""
    columns = pa.schema(
        [("id", pa.int32()), ("g", pa.int32()), made("v", pa.int32(), kind.value("v"))]
    )
    return Tables({"t": columns, "u": columns})


def _rows(numbers: list[int | None], weight: int, start: int = 1) -> list[Row]:
    return [(start + at, at % 3, number, weight) for at, number in enumerate(numbers)]


def _history(kind: HardType) -> dict[str, Changes]:
    every: list[int | None] = [*range(1, len(kind.values) + 1), None]
    half = every[::2]
    moved = [*every[1:], every[0]]
    return {
        "every value, some twice": {
            "t": [*_rows(every, 1), *_rows(every, 2, start=40)],
            "u": [*_rows(half, 1), *_rows([None], 1, start=60)],
        },
        "every row takes the value of the next": {
            "t": [*_rows(every, -1), *_rows(moved, 1)],
            "u": [*_rows(half, -1), *_rows(moved[::2], 1)],
        },
        "each value loses a row, the other side its NULL": {
            "t": [*_rows(every, -1, start=40), *_rows(half, 1, start=80)],
            "u": _rows([None], -1, start=60),
        },
        "most go": {
            "t": [*_rows(moved, -1), *_rows(every, -1, start=40)],
            "u": _rows(moved[::2], -1),
        },
        "and come back": {"t": _rows(moved, 2), "u": _rows(every, 1)},
    }


def _accepted(plain: Plain, kind: HardType, queries: Mapping[str, str]) -> list[Kept]:
    """The queries that plain Spark plans; what it refuses must be what is listed."""
    views = []
    for name, sql in queries.items():
        try:
            plain.query(sql)._jdf.queryExecution().executedPlan()
        except (PySparkException, Py4JJavaError):
            assert name in kind.refused, f"Spark refuses {name}"
        else:
            assert name not in kind.refused, f"Spark does not refuse {name}"
            if name not in kind.failing:
                views.append(Kept(name, sql, ordered=name == _ORDERED))
    return views


def _check(
    spark: SparkSession,
    folder: Path,
    kind: HardType,
    queries: Mapping[str, str],
    *,
    ways: Sequence[Way],
    batches: int,
) -> None:
    """Keep the queries through the history each way; all are held against one plain Spark."""
    tables = _tables(kind)
    plain = Plain(spark, folder / "plain", tables.schemas, shared=True, settings=kind.settings)
    views = _accepted(plain, kind, queries)
    with ExitStack() as stack:
        laws = []
        for way in ways:
            home = folder / way.value
            law = Law(spark, home, tables.schemas, way=way, beside=plain, settings=kind.settings)
            stack.callback(law.close)
            laws.append(law)
            for view in views:
                law.add(view)
            for name in queries.keys() & kind.refused:
                with pytest.raises(SlackwaterError):
                    law.session.create_view(name, queries[name])
            law.refresh()
        for title, changes in list(_history(kind).items())[:batches]:
            plain.take(tables.batch(changes))
            for law in laws:
                law.take(tables.batch(changes))
                law.refresh()
                found = [f"after {title!r}: {each}" for each in law.broken()]
                assert not found, "\n".join(found)
        for law in laws:
            law.require_incremental()
        for name in queries.keys() & kind.failing:
            with pytest.raises((PySparkException, Py4JJavaError)):
                plain.query(queries[name]).collect()


def _named(kind: HardType) -> str:
    return kind.name.replace(" ", "_")


@pytest.mark.parametrize("number", range(0, len(TYPES), 2), ids=lambda at: _named(TYPES[at]))
def test_sample_stays_exact(number: int, spark: SparkSession, tmp_path: Path) -> None:
    kind = TYPES[number]
    queries = {
        name: sql
        for at, (name, sql) in enumerate(kind.views().items())
        if (at + number) % _EVERY == 0
    }
    ways = [_ENGINES[number // 2 % len(_ENGINES)]]
    _check(spark, tmp_path, kind, queries, ways=ways, batches=2)


@pytest.mark.deep
@pytest.mark.parametrize("kind", TYPES, ids=_named)
def test_types_stay_exact(kind: HardType, spark: SparkSession, tmp_path: Path) -> None:
    _check(spark, tmp_path, kind, kind.views(), ways=_ENGINES, batches=5)
