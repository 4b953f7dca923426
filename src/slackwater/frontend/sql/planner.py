"""The front door: SQL text or a DataFrame in, a checked plan of our own out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.algebra.invariants import check_plan
from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.catalog import TableDefinition
from slackwater.errors import CatalogError, UnsupportedStatementError
from slackwater.frontend.sql.catalyst import parse_plan
from slackwater.frontend.sql.expression_reader import PlanFacts
from slackwater.frontend.sql.fallback import WHOLE_QUERY
from slackwater.frontend.sql.gateway import answer_without_delay
from slackwater.frontend.sql.jvm_plan import JvmPlan
from slackwater.frontend.sql.plan_reader import PlanReader
from slackwater.frontend.sql.repeatable import (
    check_encryption,
    check_functions,
    check_moments,
    pinned_values,
)
from slackwater.frontend.sql.scope import attribute_types
from slackwater.frontend.sql.sessions import (
    planning_session,
    register_planning_relation,
    session_meaning,
)
from slackwater.frontend.sql.spark_errors import spark_failure, sql_error
from slackwater.frontend.sql.user_functions import UserFunctions
from slackwater.types import parse_spark_type

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
_NOT_QUERIES = (f"{_LOGICAL}Command", f"{_LOGICAL}ParsedStatement")


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds spent on the way from text to plan."""

    analysis: float
    json: float
    algebra: float

    @property
    def own(self) -> float:
        """The time we add to Spark's own analysis."""
        return self.json + self.algebra


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a query that Spark runs itself: its own plan of it, or the query's text."""

    plan: Any
    sql: str | None


@dataclass(frozen=True, slots=True)
class Query:
    """A query as a plan of our own; the fragments are what Spark must run for its leaves."""

    rel: Rel
    names: tuple[str, ...]
    fragments: Mapping[str, Fragment] = field(repr=False)
    notes: tuple[str, ...]
    timings: Timings = field(compare=False)
    spark_schema: str = ""
    """The columns of the answer in Spark's JSON form."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The tables the query reads, in alphabetical order."""
        names: set[str] = set()
        for each in walk_rel(self.rel):
            if isinstance(each, Scan):
                names.add(each.source)
            elif isinstance(each, Recompute):
                names.update(each.sources)
        return tuple(sorted(names))

    @property
    def recomputed(self) -> tuple[Recompute, ...]:
        """The parts that have no representation, each with its reason."""
        return tuple(each for each in walk_rel(self.rel) if isinstance(each, Recompute))


class _SparkClasses:
    """Classes of Spark's own that plans are tested against, looked up once."""

    def __init__(self, jvm: Any):
        patterns = jvm.org.apache.spark.sql.catalyst.trees.TreePattern
        self._session_value = patterns.CURRENT_LIKE()
        self._statements = [jvm.java.lang.Class.forName(name) for name in _NOT_QUERIES]

    def is_statement(self, plan: Any) -> bool:
        return any(kind.isInstance(plan) for kind in self._statements)

    def has_session_values(self, plan: Any) -> bool:
        return bool(plan.containsPattern(self._session_value))


class Planner:
    """Plans queries over a set of tables, in a Spark session of its own.

    The user's session stays as it is; functions registered in it later are found when a
    query first needs them.
    """

    def __init__(self, spark: SparkSession, tables: Iterable[TableDefinition] = ()):
        """Make the planning session and register the tables in it."""
        self._spark = spark
        self._tables: dict[str, TableDefinition] = {}
        self._planning = planning_session(spark)
        self._functions = UserFunctions(spark)
        self._spark_classes = _SparkClasses(spark._jvm)
        for table in tables:
            self.add_table(table)

    @property
    def session(self) -> SparkSession:
        """The session in which queries are planned."""
        return self._planning

    @property
    def tables(self) -> Mapping[str, TableDefinition]:
        """The tables queries can read, by name."""
        return self._tables

    def add_table(self, table: TableDefinition) -> None:
        """Make a table known, or replace what is known of it."""
        try:
            register_planning_relation(self._planning, table)
        except PySparkException as problem:
            raise CatalogError(
                f"Spark does not accept the columns: {sql_error(problem, None, ()).what}",
                where=f"table {table.name}",
                hint="Use types that this version of Spark and its settings support.",
            ) from None
        self._tables[table.name] = table

    def table(self, name: str) -> DataFrame:
        """A table as a DataFrame to build queries on; it has no rows, only columns."""
        if name not in self._tables:
            known = ", ".join(sorted(self._tables)) or "none"
            raise CatalogError(f"there is no table {name}", hint=f"Known tables: {known}.")
        quoted = name.replace("`", "``")
        return self._planning.table(f"`{quoted}`")

    def plan_sql(self, sql: str) -> Query:
        """Plan a query given as text.

        Raises `SqlError` for text that Spark does not accept, `UnsupportedStatementError` for
        statements that are not queries, and `NonDeterministicError` for queries whose answer
        the data does not determine.
        """
        started = perf_counter()
        return self._plan(self._analyse(sql), sql, started)

    def plan_dataframe(self, frame: DataFrame) -> Query:
        """Plan a query given as a DataFrame over `table(...)`."""
        return self._plan(frame, None, perf_counter())

    def _analyse(self, sql: str) -> DataFrame:
        try:
            self._require_query(sql)
            return self._planning.sql(sql)
        except (ParseException, AnalysisException) as problem:
            if (problem.getCondition() or "").startswith("UNRESOLVED_ROUTINE"):
                return self._analyse_with_new_functions(sql)
            raise sql_error(problem, sql, self._tables) from None
        except Py4JJavaError as problem:
            raise spark_failure(problem) from None

    def _analyse_with_new_functions(self, sql: str) -> DataFrame:
        """Try again: the function may have been registered since the session was cloned."""
        self._functions.share_with((self._planning,))
        try:
            return self._planning.sql(sql)
        except PySparkException as problem:
            raise sql_error(problem, sql, self._tables) from None

    def _require_query(self, sql: str) -> None:
        """Refuse commands before Spark would carry them out."""
        plan = self._planning._jsparkSession.sessionState().sqlParser().parsePlan(sql)
        pending = [plan]
        while pending:
            node = pending.pop()
            if self._spark_classes.is_statement(node):
                raise UnsupportedStatementError(
                    f"{node.nodeName()} is a statement, not a query",
                    hint="Give a SELECT, VALUES, TABLE or WITH ... SELECT query.",
                )
            children = node.children()
            pending += [children.apply(k) for k in range(children.size())]

    def _plan(self, frame: DataFrame, sql: str | None, started: float) -> Query:
        try:
            execution = frame._jdf.queryExecution()
            analyzed, optimized = execution.analyzed(), execution.optimizedPlan()
        except PySparkException as problem:
            raise sql_error(problem, sql, self._tables) from None
        except Py4JJavaError as problem:
            raise spark_failure(problem) from None
        analysed_at = perf_counter()
        answer_without_delay(self._spark)
        pinned = pinned_values(analyzed) if self._spark_classes.has_session_values(analyzed) else ()
        check_moments(sql, analyzed)
        text = str(optimized.toJSON())
        check_functions(text)
        written_at = perf_counter()
        rel, parts = self._read(frame, text, optimized)
        fragments = {
            name: Fragment(analyzed, sql) if plan is WHOLE_QUERY else Fragment(plan, None)
            for name, plan in parts.items()
        }
        timings = Timings(
            analysis=(analysed_at - started) * 1e3,
            json=(written_at - analysed_at) * 1e3,
            algebra=(perf_counter() - written_at) * 1e3,
        )
        schema = str(analyzed.schema().json())
        return Query(rel, tuple(frame.columns), fragments, pinned, timings, schema)

    def _read(self, frame: DataFrame, text: str, optimized: Any) -> tuple[Rel, dict[str, Any]]:
        session = frame.sparkSession
        facts = PlanFacts(
            spark=session,
            jvm_plan=JvmPlan(session, optimized),
            session=session_meaning(session),
        )
        reader = PlanReader(facts, attribute_types(json.loads(text)))
        root = parse_plan(text)
        check_encryption(text, root, facts.jvm_plan)
        rel = reader.read_root(root, parse_spark_type(json.loads(str(optimized.schema().json()))))
        check_plan(rel)
        return rel, reader.fragments
