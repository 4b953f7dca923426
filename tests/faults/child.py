"""A process that keeps a home and may be killed at any time; the next one goes on from there.

It says what it does in a file, one JSON object a line, which outlives it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import DataFrame, SparkSession

import slackwater as sw
from slackwater.api import Session
from slackwater.config import SparkSettings
from slackwater.errors import SlackwaterError
from slackwater.spark.session import open_spark
from slackwater.state.metadata.collect import Retention, sweep_orphans
from slackwater.state.packs import file_of, files_of

from .story import SOURCES, VIEWS, Bag, World, next_batch

RETENTION = Retention(commits=4, age=timedelta(0), history=20)


@dataclass(frozen=True, slots=True)
class Orders:
    """What a child is to do."""

    home: str
    journal: str
    batches: int
    """Stop after so many."""
    gateway: tuple[int, str] | None = None
    """The port and secret of a Java that outlives this process; None to start one."""
    fault: str | None = None
    """Where to die."""
    worker_fault: str | None = None
    """Where Python workers are to die."""
    verify: bool = True
    """Whether plain Spark is asked too."""
    in_spark: bool = False
    """Whether nothing is left to the driver."""


def live(orders: Orders) -> None:
    """Recover what a predecessor left, check it, finish its work, check again, go on."""
    journal = Path(orders.journal)
    if orders.fault:
        os.environ["SLACKWATER_FAULT"] = orders.fault
    try:
        _live(orders, _writer(journal))
    except BaseException as problem:
        shown = problem.render() if isinstance(problem, SlackwaterError) else repr(problem)
        _writer(journal)("failed", kind=type(problem).__name__, text=shown[:4000])
        os._exit(1)
    # Leaving in an orderly way would stop the Java that others use.
    os._exit(0)


def _writer(journal: Path) -> Callable[..., None]:
    def tell(event: str, **facts: Any) -> None:
        with journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, "at": time.time(), **facts}) + "\n")

    return tell


def _live(orders: Orders, tell: Callable[..., None]) -> None:
    spark = _spark(orders)
    tell("started")
    left = _files(Path(orders.home))
    # What shall die in Python workers must be done by them.
    engine = "spark" if orders.worker_fault or orders.in_spark else "auto"
    with sw.open(orders.home, spark, retention=RETENTION, engine=engine) as session:
        removed = sum(not path.exists() for path in left)
        tell("opened", removed=removed, **_offsets(session))
        _check_orphans(session, tell, "swept")
        for name, (schema, key) in SOURCES.items():
            if name not in session.sources():
                session.create_source(name, schema, key=key)
        _check(session, tell, "recovered", seen=True)
        _declare_views(session)
        session.refresh()
        _check(session, tell, "caught up", seen=False)
        if orders.verify:
            _verify(session)
            tell("verified")
        for _ in range(orders.batches):
            _step(session, tell)
        # Nothing may be merging when everything that no commit names is swept.
        session.compact()
        _check(session, tell, "done", seen=True)
        _check_orphans(session, tell, "end")


def _spark(orders: Orders) -> SparkSession:
    if orders.gateway is None:
        return open_spark(SparkSettings(master="local[2]")).spark
    spark = attach(*orders.gateway)
    if orders.worker_fault:
        spark.sparkContext.environment["SLACKWATER_FAULT"] = orders.worker_fault
    return spark


def attach(port: int, secret: str) -> SparkSession:
    """A session in a Java that runs already, for another Python process."""
    os.environ |= {
        "PYSPARK_GATEWAY_PORT": str(port),
        "PYSPARK_GATEWAY_SECRET": secret,
        "PYSPARK_PYTHON": sys.executable,
    }
    gateway = launch_gateway()
    SparkContext._ensure_initialized(gateway=gateway)
    jvm: Any = gateway.jvm
    java = jvm.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate())
    conf = SparkConf(_jvm=jvm, _jconf=java.getConf())
    context = SparkContext(gateway=gateway, jsc=java, conf=conf)
    running = jvm.org.apache.spark.sql.classic.SparkSession.getDefaultSession().get()
    session = SparkSession(context, running.newSession())
    for key, value in _QUICK.items():
        session.conf.set(key, value)
    return session


_AS_TEXT = "to_json(struct(*), map('ignoreNullFields', 'false'))"
_QUICK = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Compiling each statement to Java takes longer than the few rows take without it."""


def _declare_views(session: Session) -> None:
    for name, sql in VIEWS.items():
        if name not in session.views():
            session.create_view(name, sql, refresh="incremental")


def _step(session: Session, tell: Callable[..., None]) -> None:
    """The next batch, and what follows from its number."""
    offsets = _offsets(session)
    number = sum(offsets.values()) + 1
    batch = next_batch(offsets)
    tell("ingest", batch=number)
    session.ingest(batch.source, batch.rows, op=batch.op)
    if number % 3:
        tell("refresh", batch=number)
        session.refresh()
    if number % 10 == 0:
        tell("replace", batch=number)
        session.drop_view("ranked")
        _declare_views(session)
    if number % 4 == 0:
        tell("compact", batch=number)
        session.compact()


def _offsets(session: Session, *, seen: bool = False) -> dict[str, int]:
    """How far the sources are, or how far the views have followed them."""
    state = session.keeper.catalog().state
    if not seen:
        return dict(state.offsets)
    found: dict[str, set[int]] = {}
    for (_, source), offset in state.progress.items():
        found.setdefault(source, set()).add(offset)
    assert all(len(each) == 1 for each in found.values()), f"views disagree: {found}"
    return {source: each.pop() for source, each in found.items()}


def _check(session: Session, tell: Callable[..., None], event: str, *, seen: bool) -> None:
    """Hold the views against the story."""
    world = World.after(_offsets(session, seen=seen))
    expected = world.views()
    filled = {view for view, _ in session.keeper.catalog().state.progress}
    answers = _answers(session)
    for name in session.views():
        found, wanted = answers[name], expected[name] if name in filled else Counter()
        assert found == wanted, f"{name}: too many {found - wanted}, too few {wanted - found}"
    rows = sum(each.total() for each in answers.values())
    tell(event, rows=rows, commit=session.keeper.catalog().state.commit, **_offsets(session))


def _answers(session: Session) -> dict[str, Bag]:
    """What all views hold, read in one job."""
    found: dict[str, Bag] = {name: Counter() for name in session.views()}
    frames = [
        session.view(name).read().selectExpr(f"'{name}' AS view", f"{_AS_TEXT} AS row")
        for name in found
    ]
    for row in reduce(DataFrame.unionAll, frames).collect() if frames else ():
        found[row["view"]][tuple(json.loads(row["row"]).values())] += 1
    return found


def _verify(session: Session) -> None:
    for name in session.views():
        result = session.verify(name)
        assert result.equal, f"{name}: {result.difference}"


def _check_orphans(session: Session, tell: Callable[..., None], event: str) -> None:
    """Every committed file is there; how many others are, and that a sweep takes them."""
    home = session.keeper.home
    named = files_of(home.store.named_paths())
    found = {p.relative_to(home.folder).as_posix() for p in _files(home.folder)}
    catalog = home.catalog()
    for arrangement in catalog.state.arrangements:
        for file in catalog.files(arrangement):
            assert file_of(file.path) in found, f"a committed file is gone: {file.path}"
    removed = sweep_orphans(home.store, home.folder, timedelta(0))
    # Files may come meanwhile: a job in Java outlives the process that asked for it.
    lost = named & set(removed.files)
    assert not lost, f"committed files were swept: {lost}"
    tell(event, orphans=len(found - named), removed=len(removed.files))


def _files(home: Path) -> list[Path]:
    return [path for path in (home / "state").rglob("*") if path.is_file()]
