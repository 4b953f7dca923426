"""The cost of planning a query on top of Spark's own analysis.

Every query of a corpus is planned once to warm up and then several times. Times are
milliseconds: `analysis` is Spark's share, `json` and `algebra` are ours, `own` is their sum.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pyspark.sql import SparkSession

from slackwater.bench.machine import Machine, describe_machine
from slackwater.errors import SlackwaterError
from slackwater.frontend.sql.planner import Planner, Timings
from slackwater.sources.parquet_folder import open_folder
from slackwater.workloads.corpus import CorpusQuery

TARGET_OWN_MS = 50.0
"""The median over the corpus that our own part of planning should stay below."""


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Milliseconds of each part of planning."""

    analysis: float
    json: float
    algebra: float
    own: float


@dataclass(frozen=True, slots=True)
class QueryRoundtrip:
    """A planned query: the median of its times, and why parts of it are left to Spark."""

    name: str
    data: str
    times: StageTimes
    recomputed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefusedQuery:
    """A query that could not be planned, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoundtripReport:
    """All figures of one measurement."""

    repeat: int
    queries: tuple[QueryRoundtrip, ...]
    refused: tuple[RefusedQuery, ...]
    machine: Machine

    @property
    def represented(self) -> int:
        """The number of queries that leave nothing to Spark."""
        return sum(not each.recomputed for each in self.queries)

    @property
    def target_met(self) -> bool:
        """Tell if our own part is small enough in the median; without queries it is not."""
        return bool(self.queries) and self.quantile(50).own <= TARGET_OWN_MS

    def quantile(self, percent: int) -> StageTimes:
        """Each time's quantile over the queries, of which there must be one at least."""
        return _quantiles([each.times for each in self.queries], percent)

    def slowest(self, count: int) -> tuple[QueryRoundtrip, ...]:
        """The queries with the largest part of our own, largest first."""
        return tuple(sorted(self.queries, key=lambda each: -each.times.own)[:count])


def measure_roundtrip(
    spark: SparkSession,
    corpus: Sequence[CorpusQuery],
    folders: Mapping[str, Path],
    repeat: int,
    on_query: Callable[[str], None],
) -> RoundtripReport:
    """Plan every query `repeat` times; `on_query` hears the name of each before its turn.

    `folders` holds the tables of each data set that the corpus names.
    """
    load_before = os.getloadavg()
    planners = {name: _planner(spark, folder) for name, folder in folders.items()}
    measured = []
    for query in corpus:
        on_query(query.name)
        measured.append(_measure(planners[query.data], query, repeat))
    machine = describe_machine(spark, load_before)
    return RoundtripReport(
        repeat=repeat,
        queries=tuple(each for each in measured if isinstance(each, QueryRoundtrip)),
        refused=tuple(each for each in measured if isinstance(each, RefusedQuery)),
        machine=machine,
    )


def _planner(spark: SparkSession, folder: Path) -> Planner:
    return Planner(spark, [table.definition for table in open_folder(spark, folder).values()])


def _measure(planner: Planner, query: CorpusQuery, repeat: int) -> QueryRoundtrip | RefusedQuery:
    try:
        warm = planner.plan_sql(query.sql)
        runs = [planner.plan_sql(query.sql).timings for _ in range(repeat)]
    except SlackwaterError as problem:
        return RefusedQuery(query.name, problem.what)
    reasons = tuple(each.reason for each in warm.recomputed)
    return QueryRoundtrip(query.name, query.data, _quantiles(runs, 50), reasons)


def _quantiles(times: Sequence[StageTimes | Timings], percent: int) -> StageTimes:
    return StageTimes(
        analysis=_quantile([each.analysis for each in times], percent),
        json=_quantile([each.json for each in times], percent),
        algebra=_quantile([each.algebra for each in times], percent),
        own=_quantile([each.own for each in times], percent),
    )


def _quantile(values: Sequence[float], percent: int) -> float:
    """To the microsecond, below which the clock says nothing."""
    return round(float(np.percentile(values, percent)), 3)
