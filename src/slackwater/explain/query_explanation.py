"""Explains a query over a folder of Parquet tables: our algebra, and the statement made of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.plan_printer import print_plan
from slackwater.compiler.batch import compile_batch
from slackwater.events import Progress, Tell, tell_nobody
from slackwater.frontend.sql.planner import Planner, Query
from slackwater.sources.parquet_folder import find_tables, open_tables
from slackwater.spark.session import open_spark


@dataclass(frozen=True, slots=True)
class ExplainedColumn:
    """A column of a query's answer."""

    name: str
    type: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class LeftToSpark:
    """A part of a query that the algebra has no place for, under the name it has in plans."""

    fragment: str
    reason: str
    sources: tuple[str, ...]

    def __str__(self) -> str:
        """For a reader."""
        read = ", ".join(self.sources) or "constants"
        return f"left to Spark: {self.fragment} (reads {read}): {self.reason}"


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """A planned query: `rel` is the text of its plan, `statement` the Spark SQL made of it."""

    sql: str
    rel: str
    statement: str
    fingerprint: str
    """Equal for queries that compute the same in the same way."""
    columns: tuple[ExplainedColumn, ...]
    sources: tuple[str, ...]
    left_to_spark: tuple[LeftToSpark, ...]
    notes: tuple[str, ...]
    timings: dict[str, float] = field(compare=False)
    """Milliseconds by stage; `own` is ours, `analysis` Spark's."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The parts left to Spark, and values that were taken from the session."""
        notes = (f"note: {note}" for note in self.notes)
        return (*map(str, self.left_to_spark), *notes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """The plan, and the remarks below it."""
        return "\n".join([self.rel, *self.remarks])


def explain_query(sql: str, folder: Path, tell: Tell = tell_nobody) -> QueryExplanation:
    """Plan a query over the tables of a folder; nothing is computed."""
    entries = find_tables(folder)
    tell(Progress("starting Spark"))
    with open_spark() as spark:
        tell(Progress("reading the tables"))
        tables = open_tables(spark, entries)
        tell(Progress("planning the query"))
        planner = Planner(spark, [each.definition for each in tables.values()])
        return _explanation(sql, planner.plan_sql(sql))


def _explanation(sql: str, query: Query) -> QueryExplanation:
    columns = zip(query.names, query.rel.columns, strict=True)
    return QueryExplanation(
        sql=sql,
        rel=print_plan(query.rel),
        statement=compile_batch(query.rel, query.names).sql,
        fingerprint=fingerprint(query.rel),
        columns=tuple(ExplainedColumn(name, c.dtype.sql(), c.nullable) for name, c in columns),
        sources=tuple(query.sources),
        left_to_spark=tuple(
            LeftToSpark(each.fragment, each.reason, tuple(each.sources))
            for each in query.recomputed
        ),
        notes=tuple(query.notes),
        timings={**asdict(query.timings), "own": query.timings.own},
    )
