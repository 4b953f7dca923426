"""Recomputes a view with plain Spark from the sources and compares."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession

from slackwater.compiler.batch import compile_batch
from slackwater.engine.definitions import ViewDefinition
from slackwater.engine.home import Home
from slackwater.engine.reading import Reader, bind_table
from slackwater.engine.run import seen_offset
from slackwater.frontend.sql.sessions import clone_session
from slackwater.runtime.compare import compare_bags


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """Whether a view's answer is what Spark computes; if not, how they differ."""

    view: str
    equal: bool
    difference: str | None
    seconds: float


class Verifier:
    """Plain Spark over the sources as the views have seen them."""

    def __init__(self, home: Home, spark: SparkSession, reader: Reader):
        """Nothing is computed yet."""
        self._reader = reader
        self._catalog = home.catalog()
        self._session = clone_session(spark)
        for key, value in home.settings.items():
            self._session.conf.set(key, value)
        self._session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
        self._bound: set[str] = set()

    def verify(self, view: ViewDefinition) -> VerifyResult:
        """Compare a view's answer with what plain Spark says it is."""
        started = perf_counter()
        actual = self._reader.view(view, self._catalog)
        found = compare_bags(actual, self.expected(view))
        text = None if found is None else found.render()
        return VerifyResult(view.name, found is None, text, perf_counter() - started)

    def expected(self, view: ViewDefinition) -> DataFrame:
        """The view's query, run by Spark over whole tables."""
        self._bind_all()
        return self._answer(view)

    def _bind_all(self) -> None:
        """All sources, then all views as queries over them, by name."""
        for name, source in self._catalog.sources.items():
            if name not in self._bound:
                rows = self._reader.source(source, self._catalog, seen_offset(self._catalog, name))
                bind_table(self._session, name, rows)
                self._bound.add(name)
        for name, view in self._catalog.views.items():
            if name not in self._bound:
                self._bound.add(name)
                bind_table(self._session, name, self._answer(view))

    def _answer(self, view: ViewDefinition) -> DataFrame:
        if view.sql is not None or view.query is None:
            return self._session.sql(view.sql or "")
        return self._session.sql(compile_batch(view.query, view.columns).sql)
