"""How each example would be kept, as far as planning alone tells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from slackwater.algebra.operators import Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.catalog import TableDefinition
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.errors import NonDeterministicError, SlackwaterError
from slackwater.frontend.sql.planner import Planner
from slackwater.plan.statements import Statement
from slackwater.types import StructType, parse_spark_type

from .examples import Case, RowCase
from .sources import ROWS, Source, row_source, table_sources


@dataclass(frozen=True)
class Verdict:
    """How an example is kept."""

    kind: str
    """incremental, recomputed or refused."""
    reason: str = ""
    on_driver: bool = False
    """Whether the driver computes it without Spark."""


def judge(spark: SparkSession, cases: Sequence[Case]) -> dict[str, Verdict]:
    """The verdict on each case, by its name."""
    planner = Planner(spark)
    rows = [case for case in cases if isinstance(case, RowCase)]
    _add(planner, spark, row_source(spark, rows, try_values=False))
    found = {}
    for case in cases:
        table = ROWS
        if not isinstance(case, RowCase):
            table = case.name
            for source in table_sources(spark, case):
                _add(planner, spark, source)
        found[case.name] = _judge(planner, case.query(table))
    return found


def _add(planner: Planner, spark: SparkSession, source: Source) -> None:
    schema = spark._jvm.org.apache.spark.sql.types.StructType.fromDDL(source.schema).json()
    ours = parse_spark_type(json.loads(str(schema)))
    assert isinstance(ours, StructType)
    planner.add_table(TableDefinition(source.name, ours, str(schema)))


def _judge(planner: Planner, sql: str) -> Verdict:
    try:
        query = planner.plan_sql(sql)
    except NonDeterministicError as problem:
        return Verdict("refused", str(problem).splitlines()[0])
    except SlackwaterError as problem:
        return Verdict("refused", f"{type(problem).__name__}: {str(problem).splitlines()[0]}")
    if query.recomputed:
        return Verdict("recomputed", query.recomputed[0].reason)
    return Verdict("incremental", on_driver=_on_driver(query.rel))


def _on_driver(rel: Rel) -> bool:
    """Whether a projection can be computed by the driver; other operators are not looked at."""
    if isinstance(rel, Project) and isinstance(rel.input, Project | Scan):
        names = tuple(f"c{column.id}" for column in rel.columns)
        try:
            print_duckdb(Statement(rel, names))
        except NotLocalError:
            return False
        return _on_driver(rel.input)
    return isinstance(rel, Scan)
