"""A thousand small refreshes on one home: what grows, and what stays.

Every refresh takes in as many rows as it takes out, so that nothing has a reason to grow: not
the files of the state, not the catalog, not the memory of any process, not the time of a run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from time import perf_counter

import pyarrow as pa
from pyspark.sql import SparkSession

from slackwater.api import Session, open_home
from slackwater.bench.machine import Machine, describe_machine
from slackwater.bench.memory import Memory, read_memory
from slackwater.state.metadata.collect import Retention

_ROWS = 20
"""Rows that come with a batch; as many leave."""
_LIVE_BATCHES = 20
"""A row leaves so many batches after it came."""
_GROUPS = 25
_RENAMED_EVERY = 5

_VIEWS = {
    "totals": "SELECT r.region, count(*) AS events, sum(e.amount) AS amount "
    "FROM events e JOIN regions r ON e.place = r.place GROUP BY r.region",
    "best": "SELECT place, min(amount) AS least, max(amount) AS most FROM events GROUP BY place",
    "ranked": "SELECT id, place, amount, "
    "row_number() OVER (PARTITION BY place ORDER BY amount DESC, id) AS rank FROM events",
}
_EVENTS = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("place", pa.int32()),
        pa.field("amount", pa.decimal128(12, 2)),
        pa.field("_w", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class SoakPlan:
    """The length of the soak, and how often it looks at itself."""

    refreshes: int = 1_000
    sample_every: int = 10
    retained: int = 20
    """So many commits stay readable."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The home and its processes after some refreshes; times are medians since the last sample."""

    refresh: int
    files: int
    """Files below the state folder."""
    state_bytes: int
    metadata_bytes: int
    driver_bytes: int
    """Resident memory of the driver's Python process."""
    heap_bytes: int
    """Bytes of Java's heap after a collection of garbage."""
    java_bytes: int
    """Resident memory of Java; it keeps what it once took."""
    workers_bytes: int
    """Resident memory of Spark's Python workers, all together."""
    ingest_seconds: float
    refresh_seconds: float


@dataclass(frozen=True, slots=True)
class SoakReport:
    """All samples of one soak, in order."""

    plan: SoakPlan
    samples: tuple[Sample, ...]
    exact: bool
    """True if every view was what Spark says in the end."""
    seconds: float
    machine: Machine

    def quarters(self, figure: str) -> tuple[float, float]:
        """The median of a figure over the first and over the last quarter of the samples."""
        values = [float(getattr(each, figure)) for each in self.samples]
        size = max(1, len(values) // 4)
        return median(values[:size]), median(values[-size:])


def measure_soak(
    spark: SparkSession, home: Path, plan: SoakPlan, on_sample: Callable[[Sample], None]
) -> SoakReport:
    """Refresh a new home again and again; `on_sample` hears every sample."""
    started, load_before = perf_counter(), os.getloadavg()
    retention = Retention(plan.retained, timedelta(0), history=plan.retained)
    with open_home(home, spark, retention=retention) as session:
        _declare(session)
        samples: list[Sample] = []
        times: list[tuple[float, float]] = []
        for number in range(1, plan.refreshes + 1):
            times.append(_step(session, number))
            if number % plan.sample_every == 0 or number == plan.refreshes:
                samples.append(_sample(spark, home, number, times))
                on_sample(samples[-1])
                times = []
        exact = all(session.verify(name).equal for name in session.views())
    machine = describe_machine(spark, load_before)
    return SoakReport(plan, tuple(samples), exact, perf_counter() - started, machine)


def _declare(session: Session) -> None:
    session.create_source("events", "id BIGINT, place INT, amount DECIMAL(12,2)")
    session.create_source("regions", "place INT NOT NULL, region STRING", key=["place"])
    for name, sql in _VIEWS.items():
        session.create_view(name, sql)
    session.ingest("regions", _regions(range(_GROUPS), 0))


def _step(session: Session, number: int) -> tuple[float, float]:
    """One batch and one refresh; the seconds of each."""
    started = perf_counter()
    if number % _RENAMED_EVERY == 0:
        place = number // _RENAMED_EVERY % _GROUPS
        session.ingest("regions", _regions(range(place, place + 1), number), op="upsert")
    session.ingest("events", _events(number))
    ingested = perf_counter()
    session.refresh()
    return ingested - started, perf_counter() - ingested


def _regions(places: range, number: int) -> pa.Table:
    return pa.table(
        {
            "place": pa.array(places, pa.int32()),
            "region": [f"region {(place + number) % 7}" for place in places],
        }
    )


def _events(number: int) -> pa.Table:
    """The rows of a batch, and those of an old one to be taken out."""
    old = number - _LIVE_BATCHES
    rows = [(*row, 1) for row in _rows(number)]
    rows += [(*row, -1) for row in (_rows(old) if old > 0 else ())]
    columns = zip(*rows, strict=True)
    arrays = [pa.array(c, field.type) for c, field in zip(columns, _EVENTS, strict=True)]
    return pa.table(arrays, schema=_EVENTS)


def _rows(number: int) -> list[tuple[int, int, Decimal]]:
    first = number * _ROWS
    return [
        (n, n * 7 % _GROUPS, Decimal(n * 7919 % 10_000) / 100) for n in range(first, first + _ROWS)
    ]


def _sample(
    spark: SparkSession, home: Path, number: int, times: list[tuple[float, float]]
) -> Sample:
    sizes = [path.stat().st_size for path in (home / "state").rglob("*") if path.is_file()]
    memory: Memory = read_memory(spark)
    return Sample(
        refresh=number,
        files=len(sizes),
        state_bytes=sum(sizes),
        metadata_bytes=sum(path.stat().st_size for path in home.glob("slackwater.db*")),
        driver_bytes=memory.driver,
        heap_bytes=memory.heap,
        java_bytes=memory.java,
        workers_bytes=memory.workers,
        ingest_seconds=round(median(each for each, _ in times), 4),
        refresh_seconds=round(median(each for _, each in times), 4),
    )
