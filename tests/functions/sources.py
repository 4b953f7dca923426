"""Tables for the examples: rows with their values, with NULLs and with others, that come and go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException, PySparkTypeError
from pyspark.sql import DataFrame, SparkSession

from .examples import InlineTable, Literal, RowCase, TableCase, works

ROWS = "t"
"""The table that all row cases read."""
BATCHES = 3


@dataclass(frozen=True)
class Source:
    """A table and the batches in which its rows come and go.

    Rows are kept as text, so that Spark computes plain answers from constants, without a job.
    """

    spark: SparkSession
    name: str
    columns: tuple[tuple[str, str], ...]
    """Names and types."""
    rows: tuple[str, ...]
    batches: tuple[dict[int, int], ...]
    """The weights of rows by their places."""
    made: dict[int, pa.Table | DataFrame] = field(default_factory=dict)

    @property
    def schema(self) -> str:
        """The columns as a source declares them."""
        return ", ".join(f"`{name}` {kind}" for name, kind in self.columns)

    def batch(self, number: int) -> pa.Table | DataFrame:
        """The changes of one batch."""
        if number not in self.made:
            weights = self.batches[number]
            rows = [f"({self.rows[place]}, {weights[place]}L)" for place in weights]
            self.made[number] = _arrow_if_possible(self._frame(rows, (("_w", "BIGINT"),)))
        return self.made[number]

    def contents(self, number: int) -> DataFrame:
        """What is there after a batch."""
        left: Counter[int] = Counter()
        for weights in self.batches[: number + 1]:
            left.update(weights)
        return self._frame([f"({self.rows[place]})" for place in left.elements()])

    def _frame(self, rows: list[str], more: tuple[tuple[str, str], ...] = ()) -> DataFrame:
        columns = (*self.columns, *more)
        typed = (
            f"CAST(col{number} AS {kind}) AS `{name}`"
            for number, (name, kind) in enumerate(columns, start=1)
        )
        return self.spark.sql(f"SELECT {', '.join(typed)} FROM VALUES {', '.join(rows)}")


def _arrow_if_possible(rows: DataFrame) -> pa.Table | DataFrame:
    """Rows as most users give them; some types are not known to Arrow."""
    try:
        return rows.toArrow()
    except PySparkTypeError:
        return rows


def row_source(spark: SparkSession, cases: Sequence[RowCase], *, try_values: bool = True) -> Source:
    """One table with a column for every literal: rows with its value, NULL and another value.

    If values are not to be tried, all rows have the examples' own.
    """
    columns: list[Literal] = []
    rows: list[list[str]] = [[], [], []]
    for case in cases:
        columns += case.literals
        own = [each.sql for each in case.literals]
        values_of = _values(spark, case) if try_values else (own, own, own)
        for row, values in zip(rows, values_of, strict=True):
            row.extend(values)
    named = (("id", "INT"), *((each.column, each.kind) for each in columns))
    texts = tuple(
        ", ".join([str(number), *row])
        for number, row in enumerate((rows[0], rows[1], rows[2], rows[0]))
    )
    batches = ({0: 1, 1: 1, 2: 1}, {0: -1, 1: -1, 3: 1}, {2: -1, 1: 2})
    return Source(spark, ROWS, named, texts, batches)


def _values(spark: SparkSession, case: RowCase) -> Iterator[list[str]]:
    """The values of three rows; what makes Spark fail is replaced by the example's own."""
    own = [each.sql for each in case.literals]
    yield own
    for change in (_null, _another):
        values = [change(each) for each in case.literals]
        yield values if works(spark, case, values) else own


def _null(literal: Literal) -> str:
    return f"CAST(NULL AS {literal.kind})"


def _another(literal: Literal) -> str:
    match literal.kind:
        case "string":
            return f"concat({literal.sql}, '1')"
        case "boolean":
            return f"(NOT {literal.sql})"
        case "date" | "timestamp" | "timestamp_ntz":
            return f"CAST({literal.sql} + INTERVAL '1' DAY AS {literal.kind})"
        case kind if kind.startswith(("decimal", "int", "bigint", "double", "float", "smallint")):
            return f"CAST({literal.sql} + 1 AS {literal.kind})"
        case _:
            return literal.sql


def table_sources(spark: SparkSession, case: TableCase) -> Iterator[Source]:
    """The inline tables of a case as sources whose rows come, double and go."""
    sources = [_table_source(spark, case, table, nulls=True) for table in case.tables]
    for source in sources:
        source.contents(0).createOrReplaceTempView(source.name)
    try:
        spark.sql(case.query(case.name)).collect()
    except (PySparkException, Py4JJavaError):
        sources = [_table_source(spark, case, table, nulls=False) for table in case.tables]
    yield from sources


def _table_source(
    spark: SparkSession, case: TableCase, table: InlineTable, *, nulls: bool
) -> Source:
    fields = spark.sql(table.sql).schema.fields
    columns = tuple((each.name, each.dataType.simpleString()) for each in fields)
    rows = (*table.rows, ", ".join(f"CAST(NULL AS {kind})" for _, kind in columns))
    last = len(table.rows)
    null_row = {last: 1} if nulls else {}
    batches = (
        {**dict.fromkeys(range(last), 1), last - 1: 2, **null_row},
        {**dict.fromkeys(range(last // 2), -1), **dict.fromkeys(null_row, -1)},
        {0: 1, **null_row, last - 1: -1},
    )
    return Source(spark, f"{case.name}_{table.name}", columns, rows, batches)
