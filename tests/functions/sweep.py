"""Keeps examples as views while rows come and go, and compares with plain Spark."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType

from slackwater.api.forced import open_forced
from slackwater.errors import SlackwaterError
from slackwater.reading.compare import Bag, collect_bag, compare_bags

from .examples import Case, Kept, RowCase, Sheet, TableCase, sheets
from .sources import BATCHES, ROWS, Source, row_source, table_sources
from .verdicts import Verdict

_FAILURES = (PySparkException, Py4JJavaError, SlackwaterError)
_TOGETHER = 12
"""Expressions in one view: a view costs far more than a column."""

ENGINES: Mapping[str, Mapping[str, Any]] = {
    "driver": {"driver_rows": sys.maxsize},
    "spark": {"driver_rows": 0, "look_ups": "index"},
}


_ANY_ROW = frozenset(
    {"any_value", "first", "first_value", "last", "last_value", "listagg", "string_agg"}
)
"""Functions that take rows as they come where no order is given: only answers are counted."""
_ORDERED = re.compile(r"\bOVER\b|\bWITHIN GROUP\b", re.IGNORECASE)
_ANY_ORDER = frozenset({"array_agg", "collect_list", "collect_set"})
"""Functions that collect values in any order: arrays are compared as bags."""


_CANCELLING = frozenset({"regr_intercept"})
"""Functions that subtract sums of numbers: how much is left of zero follows the order of rows."""


_ANY_METHOD = frozenset({"java_method", "reflect", "try_reflect"})
"""Functions that call any method of Java's, also those that answer at random."""


@dataclass(frozen=True)
class Finding:
    """An example whose view is not what plain Spark says."""

    function: str
    sql: str
    engine: str
    text: str

    def __str__(self) -> str:
        """For the reader of a failed test."""
        return f"{self.function} ({self.engine}): {self.sql}\n    {self.text}"


class Sweep:
    """Some cases beside plain Spark, which shares no code with the engine."""

    def __init__(self, spark: SparkSession, cases: Sequence[Case], verdicts: Mapping[str, Verdict]):
        """Work out the rows of all cases; those that are refused are left out."""
        self._spark = spark
        self._plain = spark.newSession()
        kept = [
            case
            for case in cases
            if verdicts[case.name].kind != "refused" and case.example.function not in _ANY_METHOD
        ]
        rows = [case for case in kept if isinstance(case, RowCase)]
        self._shared = row_source(self._plain, rows)
        self._own = {
            case.name: tuple(table_sources(self._plain, case))
            for case in kept
            if isinstance(case, TableCase)
        }
        self._answers: dict[tuple[str, int], Bag] = {}
        self._shown: dict[str, int] = {}
        self._views: list[Kept] = [case for case in kept if isinstance(case, TableCase)]
        # What the driver computes is kept apart: one column it does not know takes all to Spark.
        alike: dict[Verdict, list[RowCase]] = {}
        for case in rows:
            verdict = verdicts[case.name]
            key = Verdict(verdict.kind, on_driver=verdict.on_driver)
            alike.setdefault(key, []).append(case)
        for group in alike.values():
            self._views += sheets(self._plain, group, _TOGETHER)

    def findings(self, folder: Path, engine: str) -> Iterator[Finding]:
        """The cases that differ, or fail, on an engine."""
        yield from self._check(folder, self._views, engine)

    def _check(self, folder: Path, views: Sequence[Kept], engine: str) -> Iterator[Finding]:
        """All views in one home; what breaks it is looked for in smaller ones."""
        try:
            found = list(self._kept(folder / "home", views, engine))
        except _FAILURES as problem:
            parts = _parts(views)
            if parts is None:
                text = f"{type(problem).__name__}: {problem}"
                yield _finding(views[0], self._query(views[0]), engine, text[:600])
                return
            for number, part in enumerate(parts):
                yield from self._check(folder / str(number), part, engine)
            return
        for number, (view, text) in enumerate(found):
            if isinstance(view, Sheet) and len(view.cases) > 1:
                yield from self._check(folder / f"apart{number}", view.cases, engine)
            else:
                yield _finding(view, self._query(view), engine, text)

    def _kept(self, folder: Path, views: Sequence[Kept], engine: str) -> Iterator[tuple[Kept, str]]:
        with open_forced(folder, self._spark, **ENGINES[engine]) as session:
            sources = self._sources(views)
            for source in sources:
                session.create_source(source.name, source.schema)
            for view in views:
                session.create_view(view.name, self._query(view), refresh="incremental")
            differing: set[str] = set()
            for number in range(BATCHES):
                for source in sources:
                    session.ingest(source.name, source.batch(number))
                session.refresh()
                for view in views:
                    found = _determined(view, session.view(view.name).read())
                    difference = compare_bags(found, self._answer(view, number))
                    if difference is not None and view.name not in differing:
                        differing.add(view.name)
                        yield view, f"after batch {number + 1}: {difference.render()}"

    def _query(self, view: Kept) -> str:
        return view.query(view.name if isinstance(view, TableCase) else ROWS)

    def _sources(self, views: Sequence[Kept]) -> list[Source]:
        shared = [self._shared] if any(not isinstance(each, TableCase) for each in views) else []
        return [*shared, *chain.from_iterable(self._own.get(each.name, ()) for each in views)]

    def _answer(self, view: Kept, number: int) -> Bag:
        """What the query gives after a batch."""
        key = (view.name, number)
        if key not in self._answers:
            for source in self._sources([view]):
                if self._shown.get(source.name) != number:
                    source.contents(number).createOrReplaceTempView(source.name)
                    self._shown[source.name] = number
            answer = _determined(view, self._plain.sql(self._query(view)))
            self._answers[key] = collect_bag(answer)
        return self._answers[key]


def _determined(view: Kept, answer: DataFrame) -> DataFrame:
    """What the rows alone decide of an answer."""
    if not isinstance(view, TableCase):
        return answer
    function = view.example.function
    if function in _ANY_ROW and not _ORDERED.search(view.sql):
        return answer.selectExpr("count(*) AS rows")
    if function in _CANCELLING:
        return answer.select([sf.round(f"`{name}`", 12).alias(name) for name in answer.columns])
    if function in _ANY_ORDER:
        arrays = [each.name for each in answer.schema if isinstance(each.dataType, ArrayType)]
        return answer.withColumns({name: sf.sort_array(f"`{name}`") for name in arrays})
    return answer


def _parts(views: Sequence[Kept]) -> list[Sequence[Kept]] | None:
    """Smaller groups of views, or None if there is but one case."""
    if len(views) > 1:
        half = len(views) // 2
        return [views[:half], views[half:]]
    (view,) = views
    if isinstance(view, Sheet) and len(view.cases) > 1:
        half = len(view.cases) // 2
        return [(Sheet(view.cases[:half]),), (Sheet(view.cases[half:]),)]
    return None


def _finding(view: Kept, sql: str, engine: str, text: str) -> Finding:
    case = view.cases[0] if isinstance(view, Sheet) else view
    return Finding(case.example.function, sql, engine, text)
