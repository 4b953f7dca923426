"""A batch has the same effect, or the same fault, whether the driver or Spark takes it in."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.errors import DataError
from slackwater.executors.written import NotHere
from slackwater.ingest import ingestion
from slackwater.ingest.quick_ingestion import Taken, take_quickly
from slackwater.reading.compare import compare_bags
from slackwater.reading.reader import Reader

from ..spark.hard_batches import HARD_BATCHES
from ..spark.value_bits import bits

COLUMNS = (
    "id BIGINT, name STRING, price DECIMAL(12,2), wide DECIMAL(30,4), rate DOUBLE, part FLOAT, "
    "raw BINARY, day DATE, at TIMESTAMP, tags ARRAY<DOUBLE>, place STRUCT<x: INT, y: STRING>"
)
_SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("name", pa.string()),
        ("price", pa.decimal128(12, 2)),
        ("wide", pa.decimal128(30, 4)),
        ("rate", pa.float64()),
        ("part", pa.float32()),
        ("raw", pa.binary()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("tags", pa.list_(pa.float64())),
        ("place", pa.struct([("x", pa.int32()), ("y", pa.string())])),
    ]
)


def rows(*keys: int, shift: int = 0, **more: list[object]) -> pa.Table:
    """Rows of these keys, the same ones each time unless they are shifted."""
    found = pa.Table.from_pylist([_row(key, key + shift) for key in keys], schema=_SCHEMA)
    for name, values in more.items():
        kind = pa.string() if name == "_change_type" else pa.int64()
        found = found.append_column(name, pa.array(values, kind))
    return found


def _row(key: int, number: int) -> dict[str, Any]:
    if number % 5 == 4:
        return {"id": key}
    return {
        "id": key,
        "name": ["", "a", "\u00e1", "long " * 9][number % 4],
        "price": Decimal(number) / 4,
        "wide": Decimal("9" * 20) + number,
        "rate": [0.0, -0.0, math.nan, math.inf, 0.1][number % 5],
        "part": [-0.0, math.nan, 1.5][number % 3],
        "raw": bytes([number % 256, 0]),
        "day": dt.date(2026, 1, 1 + number % 28),
        "at": dt.datetime(2026, 1, 1, 0, 0, 0, number, tzinfo=dt.UTC),
        "tags": [0.5, None, float(number)],
        "place": {"x": number, "y": None},
    }


def narrow(table: pa.Table) -> pa.Table:
    """The same rows with keys of another type, as pandas may give them."""
    return table.set_column(0, "id", table["id"].cast(pa.int16()))


Batch = tuple[pa.Table, str | None]
HISTORY: dict[str, Batch] = {
    "first rows": (rows(*range(50)), None),
    "further rows": (rows(*range(50, 60)), "insert"),
    "new and old keys": (rows(5, 6, 60, 61, shift=1), "upsert"),
    "the same rows again": (rows(7, 8, 9), "upsert"),
    "whole rows go": (rows(10, 11), "delete"),
    "keys go": (rows(12, 13).select(["id"]), "delete"),
    "keys go and come back": (rows(12, 13, shift=3), "upsert"),
    "weights": (pa.concat_tables([rows(14, 15, _w=[-1, -1]), rows(14, shift=1, _w=[1])]), None),
    "a change feed": (rows(16, 62, _change_type=["delete", "insert"]), None),
    "narrower numbers": (narrow(rows(17, 64)), "upsert"),
    "nothing": (rows(), None),
    "nothing but a row that comes and goes": (
        pa.concat_tables([rows(63, _w=[1]), rows(63, _w=[-1])]),
        None,
    ),
}
FAULTS: dict[str, Batch] = {
    "a key that is there": (rows(1, shift=1), None),
    "a row that is not there": (rows(1, shift=1), "delete"),
    "a row that is not there any more": (rows(10), "delete"),
    "a key that is not there": (rows(1, 99).select(["id"]), "delete"),
    "a key twice": (rows(70, 70), "upsert"),
    "a weight for a missing row": (rows(99, _w=[-1]), None),
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Taken]:
    """What the driver took in."""
    taken: list[Taken] = []

    def noted(*arguments: Any) -> Taken | NotHere:
        found = take_quickly(*arguments)
        if isinstance(found, Taken):
            taken.append(found)
        return found

    monkeypatch.setattr(ingestion, "take_quickly", noted)
    return taken


def homes(spark: SparkSession, folder: Path, **source: Any) -> tuple[Session, Session]:
    """Two homes with one source and a view of all its rows: on the driver, and in Spark."""
    found = []
    for name, engine in (("driver", "auto"), ("spark", "spark")):
        session = sw.open(folder / name, spark, engine=engine)
        session.create_source("item", COLUMNS, **source)
        session.create_view("all_items", "SELECT * FROM item")
        found.append(session)
    return found[0], found[1]


def answer(session: Session) -> DataFrame:
    session.refresh()
    return session.view("all_items").read()


def test_what_a_batch_does(spark: SparkSession, tmp_path: Path, quick: list[Taken]) -> None:
    here, there = homes(spark, tmp_path, key="id")
    with here, there:
        for number, (what, (batch, op)) in enumerate(HISTORY.items(), start=1):
            mine = here.ingest("item", batch, op=op)
            assert len(quick) == number, what
            theirs = there.ingest("item", batch, op=op)
            assert (mine.inserted, mine.deleted) == (theirs.inserted, theirs.deleted), what
            del quick[number:]
            if number % 4 == 0:
                assert compare_bags(answer(here), answer(there)) is None, what
        for what, (batch, op) in FAULTS.items():
            assert refusal(here, batch, op) == refusal(there, batch, op), what
        assert len(quick) == len(HISTORY)
        assert compare_bags(answer(here), answer(there)) is None
        assert here.verify("all_items").equal


def test_missing_rows_may_be_ignored(
    spark: SparkSession, tmp_path: Path, quick: list[Taken]
) -> None:
    here, there = homes(spark, tmp_path, key="id", on_missing="ignore")
    batches: list[Batch] = [
        (rows(1, 2, 3), None),
        (rows(2, 9, _w=[-1, -1]), None),
        (rows(3, 4).select(["id"]), "delete"),
        (rows(1, shift=1), "delete"),
    ]
    with here, there:
        for batch, op in batches:
            mine, theirs = (session.ingest("item", batch, op=op) for session in (here, there))
            assert (mine.inserted, mine.deleted) == (theirs.inserted, theirs.deleted)
        assert len(quick) == len(batches)
        assert compare_bags(answer(here), answer(there)) is None


@pytest.mark.parametrize("columns", ["a BIGINT, b STRING", "a BIGINT, b STRING, c DOUBLE"])
def test_rows_without_a_key_are_a_bag(
    columns: str, spark: SparkSession, tmp_path: Path, quick: list[Taken]
) -> None:
    def bag(*values: int, **more: list[object]) -> pa.Table:
        data = {"a": list(values), "b": [str(v % 2) for v in values], **more}
        if "DOUBLE" in columns:
            data["c"] = [[-0.0, 0.0, math.nan][v % 3] for v in values]
        return pa.table(data)

    steps: list[Callable[[Session], object]] = [
        lambda session: session.ingest("bag", bag(1, 1, 2, 3)),
        lambda session: session.ingest("bag", bag(1, 4)),
        lambda session: session.ingest("bag", bag(1, 1, 3), op="delete"),
        lambda session: session.ingest("bag", bag(2, 5, _w=[2, 3])),
    ]
    found = []
    for name, engine in (("driver", "auto"), ("spark", "spark")):
        with sw.open(tmp_path / name, spark, engine=engine) as session:
            session.create_source("bag", columns)
            view = session.create_view("copy", "SELECT * FROM bag")
            for step in steps:
                step(session)
            session.refresh()
            with pytest.raises(DataError, match="does not hold"):
                session.ingest("bag", bag(3), op="delete")
            found.append(view.read().toArrow())
    frames = [spark.createDataFrame(each) for each in found]
    assert compare_bags(*frames) is None
    assert len(quick) == len(steps)


@pytest.fixture(scope="module")
def hard_homes(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Session, Session]]:
    """Two homes for a source of each hard batch: on the driver, and in Spark."""
    folder = tmp_path_factory.mktemp("homes")
    berlin = spark.newSession()
    berlin.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    with (
        sw.open(folder / "driver", berlin, engine="auto") as here,
        sw.open(folder / "spark", berlin, engine="spark") as there,
    ):
        yield here, there


@pytest.mark.parametrize("case", HARD_BATCHES)
def test_hard_batches_have_one_effect(hard_homes: tuple[Session, Session], case: str) -> None:
    mine, theirs = (_effect(session, case) for session in hard_homes)
    assert mine == theirs


def _effect(session: Session, case: str) -> tuple[object, list[object]]:
    """What comes of a hard batch, and all bits of the rows that its source then holds."""
    hard, name = HARD_BATCHES[case], case.replace(" ", "_").replace("'", "")
    session.create_source(
        name,
        hard.schema,
        key=hard.key,
        append_only=hard.append_only,
        on_missing=hard.on_missing,
    )
    if hard.held is not None:
        session.ingest(name, hard.held)
    outcome: object
    try:
        result = session.ingest(name, hard.rows, op=hard.op)
        outcome = (result.inserted, result.deleted)
    except DataError as refused:
        outcome = refused.render()
    keeper = session.keeper
    catalog = keeper.catalog()
    held = Reader(keeper.home, keeper.spark).source(catalog.source(name), catalog, None).toArrow()
    rows = zip(*(bits(column.combine_chunks()) for column in held.columns), strict=True)
    return outcome, sorted(rows, key=repr)


def refusal(session: Session, batch: pa.Table, op: str | None) -> str:
    with pytest.raises(DataError) as refused:
        session.ingest("item", batch, op=op)
    return refused.value.render()
