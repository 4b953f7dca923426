"""Holds the rows of a batch against what their source has declared.

All checks that must look at rows are one Spark job, or none where Arrow can tell that nothing
is wrong. Equality of keys is Spark's own: Arrow is asked only about types on which both agree.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from slackwater.catalog.source_spec import SourceSpec
from slackwater.errors import DataError
from slackwater.sources.batch_layout import batch_place
from slackwater.sources.batches import Batch
from slackwater.sources.change_feed import CHANGE_TYPE
from slackwater.sources.conversions import column_at
from slackwater.sources.key_rule import (
    crowded_in_spark,
    crowded_words,
    key_columns,
    may_be_crowded,
)
from slackwater.sources.row_rules import AnyRule, rules_of
from slackwater.sources.row_weights import weight_in_spark
from slackwater.sources.show_rows import show_rows
from slackwater.types import BINARY, DataType

SHOWN_ROWS = 5


def check_batch(batch: Batch, spec: SourceSpec) -> None:
    """Raise `DataError`, showing some of the rows at fault, unless the batch is in order."""
    rules = rules_of(batch, spec)
    if not rules and not spec.key:
        return
    table = batch.table
    if table is not None and not broken_in_arrow(rules, table) and not may_be_crowded(batch, table):
        return
    found = _collect(_keyed_faults(batch, rules) if spec.key else _faults(batch, rules))
    if not found:
        return
    first = min(number for number, _ in found)
    rows = [values for number, values in found if number == first]
    if first < len(rules):
        raise _refused(spec, rules[first].what, rules[first].hint, _row_names(batch), rows)
    what, hint = crowded_words(batch.op)
    names = [each.name for each in key_columns(batch)]
    raise _refused(spec, what, hint, [*names, "rows"], rows)


def broken_in_arrow(rules: tuple[AnyRule, ...], table: pa.Table) -> AnyRule | None:
    """The first rule that rows may break; None if Arrow is sure that they keep all."""
    return next((each for each in rules if each.may_be_broken(table)), None)


def frame_of_marked_rows(batch: Batch, spec: SourceSpec) -> DataFrame:
    """The rows of a batch of inserts or upserts; those that break a rule count -1.

    So whoever reads the rows anyway is told of faults, and the batch is not computed once more.
    """
    broken = _first_broken(rules_of(batch, spec)).isNotNull()
    weight = sf.when(broken, sf.lit(-1)).otherwise(sf.lit(1)).cast("bigint")
    columns = (each.in_spark() for each in batch.conversions)
    return batch.given.select(*columns, weight.alias(batch.weight))


def _faults(batch: Batch, rules: tuple[AnyRule, ...]) -> DataFrame:
    """The rows that break a rule: the number of the first one they break, and their values."""
    faults = batch.given.select(_first_broken(rules).alias("broken"), _shown(batch).alias("shown"))
    return faults.where(sf.col("broken").isNotNull())


def _keyed_faults(batch: Batch, rules: tuple[AnyRule, ...]) -> DataFrame:
    """The same for a source with a key, and keys whose changes add up to more than one row.

    Both in one pass: a batch may be a costly query, and each pass computes it again.
    """
    keys = key_columns(batch)
    names = [f"k{at}" for at in range(len(keys))]
    number = _first_broken(rules)
    rows = batch.given.select(
        *(each.where_it_converts().alias(name) for each, name in zip(keys, names, strict=True)),
        weight_in_spark(batch.layout).alias("weight"),
        sf.when(number.isNotNull(), sf.struct(number, _shown(batch))).alias("fault"),
    )
    sums = rows.groupBy(*names).agg(
        sf.try_sum("weight").alias("net"), sf.min("fault").alias("fault")
    )
    fault, net = sf.col("fault"), sf.col("net")
    crowded = sf.when(crowded_in_spark(net), sf.lit(len(rules)))
    key_texts = [_text(name, each.declared) for name, each in zip(names, keys, strict=True)]
    shown = sf.array(*key_texts, net.cast("string"))
    faults = sums.select(
        sf.coalesce(fault["col1"], crowded).alias("broken"),
        sf.coalesce(fault["col2"], shown).alias("shown"),
    )
    return faults.where(sf.col("broken").isNotNull())


def _collect(faults: DataFrame) -> list[tuple[int, list[str]]]:
    """A few of the faults; a plain limit would look at partition after partition, a job each."""
    few = faults.limit(SHOWN_ROWS).agg(sf.collect_list(sf.struct("broken", "shown"))).first()
    return [(each[0], each[1]) for each in (few[0] if few is not None else [])]


def _first_broken(rules: tuple[AnyRule, ...]) -> Column:
    number = sf.lit(None).cast("int")
    for at, rule in reversed(list(enumerate(rules))):
        number = sf.when(rule.in_spark(), sf.lit(at)).otherwise(number)
    return number


def _shown(batch: Batch) -> Column:
    """The values of a row as the user gave them, as texts: Python does not know every type."""
    layout = batch.layout
    texts = [_text(f"c{each.at}", each.given) for each in batch.conversions]
    marks = [at for at in (layout.weight_at, layout.change_type_at) if at is not None]
    return sf.array(*texts, *(column_at(at).cast("string") for at in marks))


def _row_names(batch: Batch) -> list[str]:
    names = [each.name for each in batch.conversions]
    if batch.layout.weight_at is not None:
        return [*names, batch.weight]
    return [*names, CHANGE_TYPE] if batch.layout.change_type_at is not None else names


def _text(name: str, dtype: DataType) -> Column:
    return sf.hex(name) if dtype == BINARY else sf.col(name).cast("string")


def _refused(
    spec: SourceSpec, what: str, hint: str, names: list[str], rows: list[list[str]]
) -> DataError:
    return DataError(f"{what}:\n{show_rows(names, rows)}", where=batch_place(spec), hint=hint)
