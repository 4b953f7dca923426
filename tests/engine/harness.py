"""The law of exactness as a harness: views kept through a history, held against plain Spark.

Many views live in one home, so that one run serves them all. After a run every view is
compared with what a plain Spark session, which shares no code with the engine, computes from
the same contents.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from slackwater.api import Session
from slackwater.api.forced import open_forced
from slackwater.errors import SlackwaterError
from slackwater.reading.compare import Bag, collect_bag, compare_bags
from slackwater.running.results import RunResult, ViewRun
from slackwater.workloads.adversarial import adversarial_tables
from slackwater.workloads.bags import WEIGHT, apply_changes
from slackwater.workloads.change_stream import ChangeSpec, change_stream
from slackwater.workloads.corpus import CorpusQuery
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.orderbook import ORDER_BOOK_KEYS, order_book
from slackwater.workloads.table_keys import TableKeys
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

_WITHOUT_CODEGEN = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Compiling each statement to Java takes longer than the few rows take without it."""
_OWN_WEIGHT = "the column of this name is the table's own"
_MADE_BY = b"made by"
_EXCUSES = {
    "recomputed": ("no part of it takes in changes",),
    "rebuilt": ("a sum does not fit its type", "a source is no longer append-only"),
}
"""Why even a view that is to be kept by rules is worked out from all rows."""
_LEAST_SHARE = 0.5
"""How many of the runs that worked on views must have taken changes in; the corpus has views that
are left to Spark whole."""


@dataclass(frozen=True)
class DataSet:
    """Tables and their keys."""

    tables: Mapping[str, pa.Table]
    keys: Mapping[str, TableKeys]

    def history(self, spec: ChangeSpec) -> list[ChangeBatch]:
        """Batches that build the tables up from nothing and change them."""
        return list(change_stream(self.tables, self.keys, spec))

    def read_by(self, views: Iterable[Kept]) -> DataSet:
        """The tables that some views mention."""
        words = {word for view in views for word in re.findall(r"\w+", view.sql)}
        return DataSet({n: each for n, each in self.tables.items() if n in words}, self.keys)


@cache
def data_set(name: str) -> DataSet:
    """A data set of the corpus, at a size at which a run is quick."""
    match name:
        case "tpch":
            return DataSet(read_tpch(ensure_tpch(0.002)), TPCH_KEYS)
        case "finance":
            return DataSet(order_book(seed=1, orders=400), ORDER_BOOK_KEYS)
    return DataSet({n: _renamed(table) for n, table in adversarial_tables().items()}, {})


def _renamed(table: pa.Table) -> pa.Table:
    """A table whose own column of the weight's name steps aside while changes are made up."""
    names = {WEIGHT: _OWN_WEIGHT}
    return table.rename_columns([names.get(name, name) for name in table.column_names])


def source_schema(schema: pa.Schema) -> StructType:
    """The columns of a table as its source declares them."""
    fields = [
        field.with_name(name) for field, name in zip(schema, _given_names(schema), strict=True)
    ]
    return from_arrow_schema(pa.schema(fields), prefer_timestamp_ntz=True)


def _given_names(columns: pa.Schema | pa.Table) -> list[str]:
    names = columns.names if isinstance(columns, pa.Schema) else columns.column_names
    return [WEIGHT if name == _OWN_WEIGHT else name for name in names]


def made(name: str, kind: pa.DataType, sql: str) -> pa.Field:
    """A column of a type that Arrow lacks, which Spark makes of `kind` by the expression `sql`."""
    return pa.field(name, kind, metadata={_MADE_BY: sql.encode()})


def _recipes(schema: pa.Schema) -> dict[str, str]:
    """How columns are made, by name."""
    described = [(field.name, field.metadata or {}) for field in schema]
    return {name: how[_MADE_BY].decode() for name, how in described if _MADE_BY in how}


def _as_declared(frame: DataFrame, schema: pa.Schema) -> DataFrame:
    """The rows of a table with the columns that Arrow has no type for."""
    return frame.withColumns({name: expr(sql) for name, sql in _recipes(schema).items()})


def quick_session(
    spark: SparkSession, settings: Mapping[str, str] = MappingProxyType({})
) -> SparkSession:
    """A session for small data, with some settings of its own."""
    session = spark.newSession()
    for name, value in (_WITHOUT_CODEGEN | settings).items():
        session.conf.set(name, value)
    return session


@dataclass(frozen=True)
class Kept:
    """A view and what plain Spark is asked instead."""

    name: str
    sql: str
    ordered: bool = False


def view_of(query: CorpusQuery) -> Kept:
    """A corpus query as a view."""
    return Kept(query.name.replace("/", "_"), query.sql, query.ordered)


@dataclass(frozen=True)
class Broken:
    """A view that differed, or could not be kept, and where."""

    view: str
    run: int
    text: str

    def __str__(self) -> str:
        """For the reader of a failed test."""
        return f"{self.view}, run {self.run}: {self.text}"


class Plain:
    """Plain Spark over tables that change; it shares no code with the engine."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        schemas: Mapping[str, pa.Schema],
        *,
        shared: bool = False,
        settings: Mapping[str, str] = MappingProxyType({}),
    ):
        """All tables are empty. If `shared`, each answer is asked for several times."""
        self._session = quick_session(spark, settings)
        self._answers: dict[str, Bag] | None = {} if shared else None
        self._folder = folder
        self._written = 0
        self._schemas = schemas
        self._contents = {name: schema.empty_table() for name, schema in schemas.items()}
        folder.mkdir(parents=True, exist_ok=True)
        for name in schemas:
            self._show(name)

    def take(self, batch: ChangeBatch) -> None:
        """Apply a batch."""
        if self._answers is not None:
            self._answers = {}
        for name, change in batch.items():
            self._contents[name] = apply_changes(self._contents[name], change)
            self._show(name)

    def query(self, sql: str) -> DataFrame:
        """A query over the tables as they are now."""
        return self._session.sql(sql)

    def answer(self, sql: str) -> DataFrame | Bag:
        """What a query gives now; computed once if it is asked for several times."""
        if self._answers is None:
            return self.query(sql)
        if sql not in self._answers:
            self._answers[sql] = collect_bag(self.query(sql))
        return self._answers[sql]

    def define(self, name: str, sql: str) -> None:
        """Let queries read another query by name."""
        self._session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {sql}")

    def _show(self, name: str) -> None:
        table = self._contents[name]
        self._written += 1
        path = self._folder / f"{self._written}.parquet"
        pq.write_table(table.rename_columns(_given_names(table)), path)
        quoted = "`" + name.replace("`", "``") + "`"
        frame = _as_declared(self._session.read.parquet(str(path)), self._schemas[name])
        frame.createOrReplaceTempView(quoted)


class Way(Enum):
    """The physical forms that runs are forced into."""

    DRIVER = "driver"
    """No Spark job, as far as meaning allows."""
    INDEX = "index"
    """All in Spark, in blocks, which search in state."""
    SCAN = "scan"
    """All in Spark, by statements of its own, which join with state."""


class Law:
    """A home beside plain Spark."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        schemas: Mapping[str, pa.Schema],
        *,
        way: Way = Way.DRIVER,
        beside: Plain | None = None,
        settings: Mapping[str, str] = MappingProxyType({}),
    ):
        """Open a home with these sources, all empty; on a cluster it has everything to do.

        `beside` is plain Spark if others use it too: they see to it that it takes the batches.
        """
        self.plain = beside or Plain(spark, folder / "plain", schemas, settings=settings)
        self._owns_plain = beside is None
        self.way = way
        here = way is Way.DRIVER and "SLACKWATER_TEST_MASTER" not in os.environ
        self._schemas = schemas
        self._spark = quick_session(spark, settings)
        self.session: Session = open_forced(
            folder / "home",
            spark=self._spark,
            driver_rows=sys.maxsize if here else 0,
            look_ups="auto" if way is Way.DRIVER else way.value,
            partitions=None if way is Way.SCAN else 2,
        )
        self._views: list[Kept] = []
        self._by_rules: set[str] = set()
        self._filled: set[str] = set()
        self.actions: Counter[str] = Counter()
        """What the runs did to views, and how often."""
        self.runs = 0
        for name, schema in schemas.items():
            empty = self._spark.createDataFrame([], source_schema(schema))
            self.session.create_source(name, _as_declared(empty, schema).schema)

    def add(self, view: Kept, refresh: str = "incremental") -> None:
        """Declare a view."""
        self.session.create_view(view.name, view.sql, refresh=refresh)
        self._views.append(view)
        if refresh == "incremental":
            self._by_rules.add(view.name)

    def add_for_others(self, view: Kept) -> None:
        """Declare a view that others read."""
        self.add(view)
        self.plain.define(view.name, view.sql)

    def take(self, batch: ChangeBatch) -> None:
        """Ingest a batch on both sides."""
        if self._owns_plain:
            self.plain.take(batch)
        for name, change in batch.items():
            # The table's own column takes its name back, so the weight must have another one.
            clash = _OWN_WEIGHT in change.column_names
            names = {WEIGHT: "weight", _OWN_WEIGHT: WEIGHT} if clash else {}
            rows = change.rename_columns([names.get(n, n) for n in change.column_names])
            weight = "weight" if clash else None
            self.session.ingest(name, self._given(name, rows), weight=weight)

    def _given(self, name: str, rows: pa.Table) -> pa.Table | DataFrame:
        """Arrow as it is, but for types that it lacks."""
        schema = self._schemas[name]
        if not _recipes(schema):
            return rows
        return _as_declared(self._spark.createDataFrame(rows), schema)

    def refresh(self) -> RunResult:
        """One run; a view that is to be kept by rules must be, once it is filled."""
        self.runs += 1
        result = self.session.refresh()
        for each in result.views:
            if each.view in self._by_rules:
                assert self._is_by_rules(each), f"{each.view} was {each.action}: {each.reason}"
            self.actions[each.action] += 1
            if each.action == "filled":
                self._filled.add(each.view)
        return result

    def _is_by_rules(self, run: ViewRun) -> bool:
        if run.action == "filled":
            return run.view not in self._filled
        excuses = _EXCUSES.get(run.action)
        return excuses is None or run.reason.startswith(excuses)

    def require_incremental(self) -> None:
        """Fail if the rules were hardly tried: most runs that worked on a view took changes in."""
        worked = self.actions["incremental"] + self.actions["recomputed"] + self.actions["rebuilt"]
        told = ", ".join(f"{count} {action}" for action, count in self.actions.items())
        least = _LEAST_SHARE * max(worked, 1) if self._by_rules else 0
        assert self.actions["incremental"] >= least, told

    def broken(self) -> Iterator[Broken]:
        """The views that are not what plain Spark says."""
        for view in self._views:
            difference = self.difference(view)
            if difference is not None:
                yield Broken(view.name, self.runs, f"{self.way.value}: {difference}")

    def difference(self, view: Kept) -> str | None:
        """How a view differs from what plain Spark computes."""
        try:
            found = self.session.view(view.name).read()
            difference = compare_bags(found, self.plain.answer(view.sql), ordered=view.ordered)
        except (PySparkException, SlackwaterError) as problem:
            return f"{type(problem).__name__}: {problem}"
        return None if difference is None else difference.render()

    def close(self) -> None:
        """Release the home."""
        self.session.close()


def keep(
    spark: SparkSession,
    folder: Path,
    data: DataSet,
    views: Sequence[Kept],
    history: Sequence[ChangeBatch],
    *,
    empty_first: bool = False,
    every: int = 1,
    ways: Sequence[Way] = (Way.DRIVER,),
) -> Iterator[Broken]:
    """Keep views through a history; what breaks the law, after every so many runs and the last.

    A home for each of the `ways` is held against one plain Spark. With `empty_first` the views
    are filled before any row has come, so that even the load goes through the rules.
    """
    schemas = {name: table.schema for name, table in data.tables.items()}
    plain = Plain(spark, folder / "plain", schemas, shared=len(ways) > 1)
    with ExitStack() as stack:
        laws = []
        for way in ways:
            law = Law(spark, folder / way.value, schemas, way=way, beside=plain)
            stack.callback(law.close)
            laws.append(law)
            for view in views:
                law.add(view)
            if empty_first:
                law.refresh()
        for number, batch in enumerate(history, start=1):
            plain.take(batch)
            for law in laws:
                law.take(batch)
                law.refresh()
                if number % every == 0 or number == len(history):
                    yield from law.broken()
        for law in laws:
            law.require_incremental()
