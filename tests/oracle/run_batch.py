"""Runs compiled statements on Spark, over tables given as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.compiler.batch import BatchStatement
from slackwater.errors import ExecutionError
from slackwater.expr.sql import quote_name
from slackwater.frontend.sql.fragments import bind_fragment
from slackwater.frontend.sql.planner import Fragment
from slackwater.frontend.sql.sessions import clone_session, exclude_rules
from slackwater.spark.printed import expect_printed


def run_batch(
    spark: SparkSession,
    statement: BatchStatement,
    tables: Mapping[str, DataFrame],
    fragments: Mapping[str, Fragment],
) -> DataFrame:
    """The statement's answer as a DataFrame; nothing is computed until it is read.

    The tables are bound in a clone of the session, so that their names cannot clash with
    views the user has. Spark optimizes the statement a second time. The filters it can infer
    are in the plan already; inferring more could move an expression to rows on which the
    user's query never evaluates it, and raise an error that the query does not.
    """
    run = clone_session(spark)
    exclude_rules(run, ("InferFiltersFromConstraints",))
    for source, frame in tables.items():
        _bind(run, source, frame._jdf.logicalPlan())
    for use in statement.fragments:
        names = [f"p{k}" for k in range(use.width)]
        frame = _fragment_frame(run, fragments[use.name], tables).toDF(*names)
        frame.createOrReplaceTempView(quote_name(use.name))
    expect_printed(run)
    try:
        return run.sql(statement.sql)
    except PySparkException as problem:
        raise ExecutionError(
            f"Spark refused a statement that Slackwater wrote: {problem}",
            where=statement.sql,
            hint="This is a defect in Slackwater; please report the query.",
        ) from problem


def _fragment_frame(
    run: SparkSession, fragment: Fragment, tables: Mapping[str, DataFrame]
) -> DataFrame:
    """What Spark computes for a fragment: from the query's text if that is what we have."""
    if fragment.sql is not None:
        return run.sql(fragment.sql)
    return bind_fragment(run, fragment.plan, tables.__getitem__)


def _bind(run: SparkSession, name: str, plan: Any) -> None:
    jvm: Any = run._jvm
    dataset = jvm.org.apache.spark.sql.classic.Dataset.ofRows(run._jsparkSession, plan)
    dataset.createOrReplaceTempView(quote_name(name))
