"""The fidelity law: our plan of a query, compiled back to SQL and run, is what Spark gives.

Where Spark refuses the text there is nothing to compare; where it fails while running, ours
must fail with the same condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.invariants import check_plan
from slackwater.algebra.plan_printer import print_plan
from slackwater.compiler.batch import compile_batch
from slackwater.errors import SlackwaterError
from slackwater.frontend.sql.planner import Planner, Query
from slackwater.reading.compare import compare_bags
from slackwater.sources.parquet_folder import open_folder
from slackwater.workloads.adversarial import write_adversarial

from ..oracle.run_batch import run_batch

_FAST = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Compiling each query to Java takes longer than the few rows take without it."""


class Outcome(Enum):
    """How a query ended that did not break the law."""

    ROWS = "an answer with rows"
    EMPTY = "an empty answer"
    ERROR = "both raise the same error"
    REFUSED = "refused by Spark's analyser"


@dataclass(frozen=True)
class Bench:
    """The adversarial tables, seen by our planner and by a plain session side by side."""

    spark: SparkSession
    plain: SparkSession
    planner: Planner
    frames: Mapping[str, DataFrame]


def open_bench(spark: SparkSession, folder: Path) -> Bench:
    """Write the tables to the folder and open them on both sides."""
    ours, plain = spark.newSession(), spark.newSession()
    for name, value in _FAST.items():
        ours.conf.set(name, value)
        plain.conf.set(name, value)
    paths = write_adversarial(folder)
    for name, path in paths.items():
        plain.read.parquet(str(path)).createOrReplaceTempView(name)
    tables = open_folder(ours, folder)
    planner = Planner(ours, [each.definition for each in tables.values()])
    return Bench(ours, plain, planner, {name: each.frame for name, each in tables.items()})


def check_law(bench: Bench, sql: str, *, ordered: bool = False) -> Outcome:
    """Raise `AssertionError`, with the query in it, if the law does not hold for the text."""
    try:
        expected = bench.plain.sql(sql)
    except (AnalysisException, ParseException):
        return Outcome.REFUSED
    try:
        answer = expected.toArrow()
    except (PySparkException, Py4JJavaError):
        _check_same_error(bench, sql, expected)
        return Outcome.ERROR
    query = _plan(bench, sql)
    claimed = [k for k, column in enumerate(query.rel.columns) if not column.nullable]
    wrong = [query.names[k] for k in claimed if answer.column(k).null_count]
    assert not wrong, _told("columns said to be never NULL hold NULLs", ", ".join(wrong), sql)
    # The answer as it was collected, so that Spark need not compute it once more.
    collected = bench.plain.createDataFrame(answer, expected.schema)
    try:
        difference = compare_bags(_run(bench, query), collected, ordered=ordered)
    except (PySparkException, Py4JJavaError, SlackwaterError) as problem:
        raise AssertionError(_told("ours fails", _first_lines(problem), sql)) from None
    if difference is not None:
        raise AssertionError(_told(difference.render(), print_plan(query.rel), sql))
    _check_repeated(bench, sql)
    return Outcome.ROWS if answer.num_rows else Outcome.EMPTY


def _run(bench: Bench, query: Query) -> DataFrame:
    """The answer by way of our algebra."""
    statement = compile_batch(query.rel, query.names)
    frames = {name: bench.frames[name] for name in query.sources}
    return run_batch(bench.spark, statement, frames, query.fragments)


def _plan(bench: Bench, sql: str) -> Query:
    """Our plan, which must be sound and leave no part to Spark."""
    try:
        query = bench.planner.plan_sql(sql)
        check_plan(query.rel)
    except (SlackwaterError, PySparkException, Py4JError) as problem:
        raise AssertionError(_told("ours does not plan", _first_lines(problem), sql)) from problem
    reasons = [leaf.reason for leaf in query.recomputed]
    assert not reasons, _told("left to Spark", "; ".join(reasons), sql)
    return query


def _check_repeated(bench: Bench, sql: str) -> None:
    """Reading the plan that Spark made once more gives the same plan.

    The text is analysed once for both: Spark's optimizer itself does not always make the same
    plan of the same text (docs/decisions/0004-catalyst-as-front-end.md).
    """
    frame = bench.planner.table("t_nulls").sparkSession.sql(sql)
    first, again = (bench.planner.plan_dataframe(frame) for _ in range(2))
    assert fingerprint(first.rel) == fingerprint(again.rel), _told("fingerprints differ", "", sql)
    printed = print_plan(first.rel), print_plan(again.rel)
    assert printed[0] == printed[1], _told("printed plans differ", "\n".join(printed), sql)


def _check_same_error(bench: Bench, sql: str, expected: DataFrame) -> None:
    """Ours must fail as well, and for the same reason."""
    wanted = _condition_of_run(expected)
    try:
        found = _condition_of_run(_run(bench, bench.planner.plan_sql(sql)))
    except (PySparkException, SlackwaterError) as problem:
        found = _condition(problem)
    assert found == wanted, _told("the errors differ", f"{found} instead of {wanted}", sql)


def _condition_of_run(frame: DataFrame) -> str | None:
    """Spark's error condition when the rows are computed; None if they can be."""
    try:
        frame.write.format("noop").mode("overwrite").save()
    except PySparkException as problem:
        return problem.getCondition()
    except Py4JJavaError as problem:
        return str(problem.java_exception.getClass().getName())
    return None


def _condition(problem: Exception) -> str | None:
    if isinstance(problem, PySparkException):
        return problem.getCondition()
    cause = problem.__cause__
    if isinstance(cause, PySparkException):
        return cause.getCondition()
    return getattr(problem, "condition", None)


def _first_lines(problem: Exception) -> str:
    return "\n".join(f"{type(problem).__name__}: {problem}".splitlines()[:12])


def _told(what: str, more: str, sql: str) -> str:
    return f"{what}\n{more}\n\n{sql}"
