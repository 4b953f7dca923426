"""Hand-written histories: named batches of rows with weights, over small tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.rows import Row, table_from_rows

from .harness import Kept, Law, Way

_LONG = [pytest.param(way, marks=pytest.mark.deep) for way in (Way.INDEX, Way.SCAN)]
each_way = pytest.mark.parametrize("way", [Way.DRIVER, *_LONG], ids=lambda way: way.value)
"""The driver, and in the long version Spark that searches in state or joins with it."""

Changes = Mapping[str, Sequence[Row]]
"""Rows by table, the weight as each row's last value."""


@dataclass(frozen=True)
class Tables:
    """The tables of a case."""

    schemas: Mapping[str, pa.Schema]

    def batch(self, changes: Changes) -> ChangeBatch:
        """The changes as a batch that can be ingested."""
        return {name: self._table(name, rows) for name, rows in changes.items()}

    def _table(self, name: str, rows: Sequence[Row]) -> pa.Table:
        schema = self.schemas[name].append(pa.field(WEIGHT, pa.int64()))
        return table_from_rows(schema, rows)


@contextmanager
def opened(
    spark: SparkSession,
    folder: Path,
    tables: Tables,
    views: Mapping[str, str],
    *,
    way: Way = Way.DRIVER,
) -> Iterator[Law]:
    """A home with these sources and views."""
    law = Law(spark, folder, tables.schemas, way=way)
    try:
        for name, sql in views.items():
            law.add(Kept(name, sql))
        yield law
    finally:
        law.close()


def check_history(
    spark: SparkSession,
    folder: Path,
    tables: Tables,
    views: Mapping[str, str],
    history: Mapping[str, Changes],
    *,
    way: Way = Way.DRIVER,
    by_rules: bool = True,
) -> None:
    """Keep views through named batches; each must leave all of them exact.

    The views are filled while all tables are empty. Unless they are left to Spark on purpose,
    most work on them must be done `by_rules`.
    """
    with opened(spark, folder, tables, views, way=way) as law:
        law.refresh()
        for title, changes in history.items():
            law.take(tables.batch(changes))
            law.refresh()
            found = [f"after {title!r}: {each}" for each in law.broken()]
            assert not found, "\n".join(found)
        if by_rules:
            law.require_incremental()
