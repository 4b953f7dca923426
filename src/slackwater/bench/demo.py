"""What the demo does: ten batches into five views, each run beside what Spark alone would cost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from slackwater.api import RunResult, Session, open_home
from slackwater.bench.demo_views import DEMO_VIEWS
from slackwater.spark.metering import Meter, machine_load
from slackwater.workloads.bags import apply_changes
from slackwater.workloads.changes import ChangeBatch, ChangeSpec, change_stream
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

Say = Callable[[str], None]
"""Hears what is being done at the moment."""

DEMO_SCALE = 0.1
BATCHES = 10
_FIRST_SHARE = 0.7
"""The share of all rows that the first batch brings."""


@dataclass(frozen=True, slots=True)
class DemoRun:
    """One batch and the run that took it in, beside a recomputation of all views."""

    number: int
    changed_rows: int
    actions: Mapping[str, int]
    refresh_seconds: float
    refresh_cpu: float
    state_rows_written: int
    recompute_seconds: float
    recompute_cpu: float
    recompute_rows: int


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The whole demo; `different` names views that plain Spark answers otherwise."""

    scale: float
    runs: tuple[DemoRun, ...]
    different: Mapping[str, str]
    state_bytes: int
    load: float

    def as_dict(self) -> dict[str, object]:
        """For `--json`."""
        return asdict(self) | {"equal": not self.different}


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """How large the demo is."""

    scale: float = DEMO_SCALE
    batches: int = BATCHES

    def changes(self) -> ChangeSpec:
        """The batches: a load, then inserts, updates and deletes."""
        return ChangeSpec(17, self.batches, 0.2, 0.2, _FIRST_SHARE)


def run_demo(
    plan: DemoPlan, cache_dir: Path, say: Say, show: Callable[[DemoRun], None]
) -> DemoResult:
    """Load, change and refresh; `show` is told of every run as it ends."""
    say("making the data, unless it is in the cache")
    tables = read_tpch(ensure_tpch(plan.scale, cache_dir))
    with tempfile.TemporaryDirectory(prefix="slackwater-demo-") as folder:
        say("starting Spark")
        with open_home(Path(folder) / "home") as session:
            _declare(session, tables)
            plain = _PlainSpark(session.spark, Path(folder) / "plain", tables)
            stream = enumerate(change_stream(tables, TPCH_KEYS, plan.changes()), start=1)
            runs = []
            for number, batch in stream:
                run = _take(session, plain, number, batch, say)
                show(run)
                runs.append(run)
            different = {}
            for name in DEMO_VIEWS:
                say(f"verifying {name}")
                result = session.verify(name)
                if not result.equal:
                    different[name] = result.difference or "another answer"
            size = session.status().state_bytes
    return DemoResult(plan.scale, tuple(runs), different, size, machine_load())


def _declare(session: Session, tables: Mapping[str, pa.Table]) -> None:
    for name, table in tables.items():
        schema = session.spark.createDataFrame(table.slice(0, 1)).schema
        session.create_source(name, schema, key=TPCH_KEYS[name].primary)
    for name, sql in DEMO_VIEWS.items():
        session.create_view(name, sql)


def _take(
    session: Session, plain: _PlainSpark, number: int, batch: ChangeBatch, say: Say
) -> DemoRun:
    """Take one batch in, refresh, and let plain Spark compute the same."""
    say(f"batch {number}: ingesting")
    for name, change in batch.items():
        session.ingest(name, change)
    say(f"batch {number}: refreshing {len(DEMO_VIEWS)} views")
    result = session.refresh()
    say(f"batch {number}: recomputing them with plain Spark, to compare")
    return _summary(number, batch, result, plain.recompute(batch))


def _summary(number: int, batch: ChangeBatch, result: RunResult, cost: _Cost) -> DemoRun:
    actions: dict[str, int] = {}
    for view in result.views:
        actions[view.action] = actions.get(view.action, 0) + 1
    return DemoRun(
        number=number,
        changed_rows=sum(change.num_rows for change in batch.values()),
        actions=actions,
        refresh_seconds=result.seconds,
        refresh_cpu=result.metrics.cpu_seconds,
        state_rows_written=result.metrics.rows_written,
        recompute_seconds=cost.seconds,
        recompute_cpu=cost.cpu,
        recompute_rows=cost.rows,
    )


@dataclass(frozen=True, slots=True)
class _Cost:
    seconds: float
    cpu: float
    rows: int


class _PlainSpark:
    """The same tables as Parquet files, and a session that knows nothing of Slackwater."""

    def __init__(self, spark: SparkSession, folder: Path, tables: Mapping[str, pa.Table]):
        self._spark = spark.newSession()
        self._folder = folder
        self._tables = {name: table.slice(0, 0) for name, table in tables.items()}
        folder.mkdir(parents=True)

    def recompute(self, batch: ChangeBatch) -> _Cost:
        """What it costs to compute all views from the tables as they are after a batch."""
        for name in self._tables:
            if name in batch:
                self._tables[name] = apply_changes(self._tables[name], batch[name])
            file = self._folder / f"{name}.parquet"
            if name in batch or not file.exists():
                pq.write_table(self._tables[name], file)
            self._spark.read.parquet(str(file)).createOrReplaceTempView(name)
        meter = Meter(self._spark, reads_files=True)
        started = perf_counter()
        with meter.measure("plain Spark"):
            for sql in DEMO_VIEWS.values():
                self._spark.sql(sql).write.format("noop").mode("overwrite").save()
        metrics = meter.metrics
        return _Cost(perf_counter() - started, metrics.cpu_seconds, metrics.rows_read)
