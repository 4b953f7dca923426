"""What the demo computes: one query at every stage, its answer, and plain Spark's beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession

from slackwater.algebra.printer import print_plan
from slackwater.cli.output import Say
from slackwater.compiler.batch import BatchStatement, compile_batch
from slackwater.frontend.sql.planner import Planner, Query
from slackwater.runtime.compare import BagDifference, compare_bags
from slackwater.runtime.execute import run_batch
from slackwater.runtime.session import open_spark
from slackwater.sources.parquet_folder import FolderTable, open_folder
from slackwater.workloads.tpch import ensure_tpch

DEMO_SCALE = 0.01
DEMO_SQL = """\
SELECT n_name AS nation, count(*) AS orders, sum(o_totalprice) AS revenue
FROM orders
JOIN customer ON c_custkey = o_custkey
JOIN nation ON n_nationkey = c_nationkey
WHERE o_orderdate >= DATE '1997-01-01'
  AND c_acctbal > (SELECT avg(c_acctbal) FROM customer)
GROUP BY n_name
ORDER BY revenue DESC, nation
LIMIT 8"""


@dataclass(frozen=True, slots=True)
class DemoRun:
    """Everything the demo has to show.

    `difference` says how plain Spark's answer differs, and is None if it does not; `seconds`
    are the steps in the order they were made.
    """

    folder: Path
    table_rows: Mapping[str, int]
    sql: str
    plan: str
    statement: str
    columns: tuple[str, ...]
    answer: tuple[tuple[object, ...], ...]
    difference: BagDifference | None
    seconds: Mapping[str, float]


class Stopwatch:
    """Measures named steps and tells what is going on."""

    def __init__(self, say: Say) -> None:
        """No step is made yet; each will be announced with `say`."""
        self._say = say
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure the block under a name."""
        self._say(name)
        started = perf_counter()
        yield
        self.seconds[name] = perf_counter() - started


def run_demo(sql: str, cache_dir: Path, say: Say) -> DemoRun:
    """Follow a query from text to checked answer; its rows must come in a total order."""
    watch = Stopwatch(say)
    with watch.step("make the data, unless it is in the cache"):
        folder = ensure_tpch(DEMO_SCALE, cache_dir)
    with watch.step("start Spark"):
        handle = open_spark()
    with handle as spark:
        with watch.step("open the tables"):
            tables = open_folder(spark, folder)
        with watch.step("plan the query"):
            query, statement = _plan(spark, tables, sql)
        with watch.step("run the statement"):
            answer = _run(spark, tables, query, statement)
            rows = answer.collect()
        with watch.step("compare with plain Spark"):
            shown = spark.createDataFrame(rows, answer.schema)
            expected = _plain_answer(spark, folder, query.sources, sql)
            difference = compare_bags(shown, expected, ordered=True)
    return DemoRun(
        folder=folder,
        table_rows={name: each.definition.statistics.rows or 0 for name, each in tables.items()},
        sql=sql,
        plan=print_plan(query.rel),
        statement=statement.sql,
        columns=query.names,
        answer=tuple(tuple(row) for row in rows),
        difference=difference,
        seconds=watch.seconds,
    )


def _plan(
    spark: SparkSession, tables: Mapping[str, FolderTable], sql: str
) -> tuple[Query, BatchStatement]:
    query = Planner(spark, [each.definition for each in tables.values()]).plan_sql(sql)
    return query, compile_batch(query.rel, query.names)


def _run(
    spark: SparkSession,
    tables: Mapping[str, FolderTable],
    query: Query,
    statement: BatchStatement,
) -> DataFrame:
    frames = {name: each.frame for name, each in tables.items()}
    return run_batch(spark, statement, frames, query.fragments)


def _plain_answer(spark: SparkSession, folder: Path, sources: Iterable[str], sql: str) -> DataFrame:
    """What Spark answers by itself, in a session that knows nothing but the files."""
    plain = spark.newSession()
    for name in sources:
        plain.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)
    return plain.sql(sql)
