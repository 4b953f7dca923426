"""Recomputes a view with plain Spark from the sources and compares."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession

from slackwater.catalog.definitions import ViewDefinition
from slackwater.catalog.home import Home
from slackwater.compiler.batch import compile_batch
from slackwater.errors import InvariantError
from slackwater.frontend.sql.sessions import clone_session
from slackwater.plan.weighted import groupable
from slackwater.reading.compare import compare_bags
from slackwater.reading.reader import Reader, bind_table
from slackwater.spark.pinned_settings import apply_pinned_settings
from slackwater.spark.printed import printed_session
from slackwater.state.columns import column_names
from slackwater.types import DataType, is_floating
from slackwater.types.datatypes import ArrayType, StructType

_COLLECTED = 200_000
"""Answers of up to so many rows are compared on the driver, where floats may differ slightly."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The verdict on a view's answer: `equal` if it is what Spark computes, else the difference."""

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
        apply_pinned_settings(self._session, self._catalog.pinned)
        self._session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
        self._bound: set[str] = set()

    def verify(self, view: ViewDefinition) -> VerifyResult:
        """Compare a view's answer with what plain Spark says it is."""
        started = perf_counter()
        actual, expected = self._reader.answer(view, self._catalog), self.expected(view)
        text = self._difference(view, actual, expected)
        if text is not None and view.root.limits and self._are_ties(view, actual, expected):
            text = None
        return VerifyResult(view.name, text is None, text, perf_counter() - started)

    def _difference(
        self, view: ViewDefinition, actual: DataFrame, expected: DataFrame
    ) -> str | None:
        if self._is_large(view):
            return large_difference(actual, expected)
        found = compare_bags(actual, expected)
        return None if found is None else found.render()

    def _are_ties(self, view: ViewDefinition, actual: DataFrame, expected: DataFrame) -> bool:
        """Tell if both answers are parts of the same rows, and differ in which equals they keep.

        A LIMIT leaves that open. The rows it chooses from are determined, and so is their number.
        """
        session = self._stored_session()
        if session is None or actual.count() != expected.count():
            return False
        stored = self._reader.stored(view, self._catalog)
        computed = session.sql(compile_batch(view.stored, _stored_names(view)).sql)
        if self._difference(view, stored, computed) is not None:
            return False
        if not all(comparable(column.dtype) for column in view.plan.columns):
            return True
        unlimited = session.sql(compile_batch(view.root.unlimited(), view.columns).sql)
        return expected.exceptAll(unlimited).isEmpty()

    def _stored_session(self) -> SparkSession | None:
        """All names as views mean them among each other: what is stored, before any limit.

        None if Spark alone knows what a part of some view means.
        """
        session = printed_session(self._session)
        for view in self._catalog.views.values():
            statement = compile_batch(view.stored, _stored_names(view))
            if statement.fragments:
                return None
            bind_table(session, view.name, session.sql(statement.sql))
        return session

    def _is_large(self, view: ViewDefinition) -> bool:
        """Tell if the answer is too large to bring to the driver, and Spark can compare it."""
        exact = all(comparable(column.dtype) for column in view.stored.columns)
        return exact and self._catalog.rows(self._catalog.answer(view.name)) > _COLLECTED

    def expected(self, view: ViewDefinition) -> DataFrame:
        """The view's query, run by Spark over whole tables."""
        self._bind_all()
        return self._answer(view)

    def _bind_all(self) -> None:
        """All sources, then all views as queries over them, by name."""
        for name, source in self._catalog.sources.items():
            if name not in self._bound:
                read = self._catalog.logs.last_cursor(name)
                rows = self._reader.source(source, self._catalog, read)
                bind_table(self._session, name, rows)
                self._bound.add(name)
        for name, view in self._catalog.views.items():
            if name not in self._bound:
                self._bound.add(name)
                bind_table(self._session, name, self._answer(view))

    def _answer(self, view: ViewDefinition) -> DataFrame:
        if view.query is not None:
            statement = compile_batch(view.query, view.columns)
            return printed_session(self._session).sql(statement.sql)
        if view.sql is None:
            raise InvariantError(f"view {view.name} has neither SQL nor a plan")
        return self._session.sql(view.sql)


def _stored_names(view: ViewDefinition) -> tuple[str, ...]:
    return tuple(column_names("k", len(view.stored.columns)))


def comparable(dtype: DataType) -> bool:
    """Tell if equal values of the type are equal to the last bit, and Spark can compare them."""
    match dtype:
        case ArrayType(element=element):
            return comparable(element)
        case StructType(fields=fields):
            return all(comparable(field.dtype) for field in fields)
        case _:
            return groupable(dtype) and not is_floating(dtype)


def large_difference(actual: DataFrame, expected: DataFrame) -> str | None:
    """Find by Spark how two large bags differ, without collecting them; None if they do not."""
    if actual.dtypes != expected.dtypes:
        return f"columns are {actual.dtypes}, plain Spark has {expected.dtypes}"
    surplus = actual.exceptAll(expected).limit(_SHOWN).collect()
    missing = expected.exceptAll(actual).limit(_SHOWN).collect()
    if not surplus and not missing:
        return None
    lines = [f"only in the view: {row.asDict()}" for row in surplus]
    lines += [f"only in plain Spark: {row.asDict()}" for row in missing]
    return "\n".join(lines)
