"""Takes what is new at the connectors of a project's sources into the home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from slackwater.catalog.home import Home
from slackwater.engine.keeper import Keeper
from slackwater.errors import DataError, ExecutionError
from slackwater.ingest.ingestion import IngestResult
from slackwater.project.project_files import ProjectFiles
from slackwater.sources.connector import Connector, IncomingBatch
from slackwater.spark.failures import SPARK_FAILURES


@dataclass(frozen=True, slots=True)
class Ingested:
    """The batch names that were taken into a source, and the rows that changed."""

    source: str
    names: tuple[str, ...]
    inserted: int
    deleted: int


def take_in(keeper: Keeper, project: ProjectFiles) -> tuple[Ingested, ...]:
    """Take in what the connectors find after the positions of their sources, batch by batch.

    A position moves with the commit that takes its rows in, so that a batch counts once even if
    the program is killed at any moment.
    """
    found = (_take_in_source(keeper, name, each) for name, each in _connected(project))
    return tuple(each for each in found if each is not None)


def count_waiting(home: Home, project: ProjectFiles) -> Mapping[str, int]:
    """Count how much the next refresh would take in, by source; of a folder, how many files.

    A source is left out where its connector refuses to look: the refresh says why.
    """
    waiting = {}
    for name, connector in _connected(project):
        with suppress(DataError):
            waiting[name] = len(connector.discover(home.store.positions(name)).names)
    return waiting


def _connected(project: ProjectFiles) -> Iterator[tuple[str, Connector[Any]]]:
    for source in project.sources:
        if source.connector is not None:
            yield source.name, source.connector


def _take_in_source(keeper: Keeper, name: str, connector: Connector[Any]) -> Ingested | None:
    found = connector.discover(keeper.marks(name))
    if not found.names:
        return None
    results = []
    for batch in found.batches():
        keeper.events.progress(f"ingesting {batch.names[-1]} into {name}")
        results.append(_take_in_batch(keeper, name, connector, batch))
    inserted = sum(each.inserted for each in results)
    return Ingested(name, found.names, inserted, sum(each.deleted for each in results))


def _take_in_batch(
    keeper: Keeper, name: str, connector: Connector[Any], batch: IncomingBatch
) -> IngestResult:
    spec = keeper.catalog().source(name).spec
    try:
        rows = connector.read(keeper.spark, spec, batch)
        return keeper.ingest(name, rows, connector.op, None, partial(connector.confirm, batch))
    except (DataError, ExecutionError, *SPARK_FAILURES) as problem:
        raise connector.diagnose(keeper.spark, spec, batch, problem) from None
