"""Rules and conversions have one meaning: Arrow's form and Spark's are held against each other."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from slackwater.errors import DataError
from slackwater.sources.batches import Batch, BatchOp, read_batch
from slackwater.sources.key_rule import (
    crowded_in_arrow,
    crowded_in_spark,
    is_exact,
    key_columns,
    may_be_crowded,
)
from slackwater.sources.row_rules import COLUMN_RULES, MARK_RULES, AnyRule, rules_of
from slackwater.sources.row_weights import weight_in_spark, weights_in_arrow
from slackwater.state.columns import conform
from slackwater.types.arrow import arrow_type

from .hard_batches import HARD_BATCHES, HardBatch
from .value_bits import bits

_REFUSED_AT_ONCE = {
    "more digits than their type has",
    "more digits than their type has inside",
}
"""Tables that are none: nobody needs a rule to see it."""
_READ = [case for case in HARD_BATCHES if case not in _REFUSED_AT_ONCE]


def opened(spark: SparkSession, case: str) -> tuple[HardBatch, Batch, pa.Table]:
    """A hard batch as it is read, with its rows as Arrow data."""
    hard = HARD_BATCHES[case]
    batch = read_batch(spark, hard.spec, hard.rows, hard.op)
    assert batch.table is not None
    return hard, batch, batch.table


def flags_in_spark(batch: Batch, rules: tuple[AnyRule, ...]) -> list[list[bool]]:
    """Of each rule which rows break it, in the order of the rows."""
    flags = [sf.coalesce(rule.in_spark(), sf.lit(False)) for rule in rules]
    rows = batch.given.select(sf.array(*flags).alias("flags")).collect() if rules else []
    return [[row[0][at] for row in rows] for at in range(len(rules))]


@pytest.mark.parametrize("case", _READ)
def test_both_forms_flag_the_same_rows(spark: SparkSession, case: str) -> None:
    hard, batch, table = opened(spark, case)
    rules = rules_of(batch, hard.spec)
    for rule, expected in zip(rules, flags_in_spark(batch, rules), strict=True):
        if rule.is_exact:
            assert rule.in_arrow(table).to_pylist() == expected, rule.rule.name
            assert rule.may_be_broken(table) == any(expected), rule.rule.name
        else:
            assert rule.may_be_broken(table) or not expected, rule.rule.name


def test_the_hard_batches_break_and_keep_every_rule(spark: SparkSession) -> None:
    seen: set[tuple[str, bool]] = set()
    for case in _READ:
        hard, batch, _ = opened(spark, case)
        rules = rules_of(batch, hard.spec)
        for rule, flags in zip(rules, flags_in_spark(batch, rules), strict=True):
            seen |= {(rule.rule.name, flag) for flag in flags}
    names = [rule.name for rule in (*MARK_RULES, *COLUMN_RULES)]
    assert seen == {(name, flag) for name in names for flag in (False, True)}


@pytest.mark.parametrize("case", [case for case in _READ if HARD_BATCHES[case].key])
def test_both_forms_find_the_same_keys_crowded(spark: SparkSession, case: str) -> None:
    hard, batch, table = opened(spark, case)
    if not table.num_rows:
        assert not may_be_crowded(batch, table)
        return
    names = [f"k{at}" for at in range(len(key_columns(batch)))]
    rows = batch.given.select(
        *(
            each.where_it_converts().alias(name)
            for each, name in zip(key_columns(batch), names, strict=True)
        ),
        weight_in_spark(batch.layout).alias("w"),
    )
    sums = rows.groupBy(*names).agg(sf.try_sum("w").alias("net"))
    expected = sums.where(crowded_in_spark(sf.col("net"))).select(*names).collect()
    if not is_exact(batch, table):
        assert may_be_crowded(batch, table)
        return
    rules = rules_of(batch, hard.spec)
    if any(rule.may_be_broken(table) for rule in rules):
        # Keys that do not convert are NULL to Spark; they are at fault by another rule.
        return
    found = crowded_in_arrow(batch, table).select(names).to_pylist()
    assert sorted(map(tuple, expected)) == sorted(tuple(row.values()) for row in found)
    assert may_be_crowded(batch, table) == bool(expected)


@pytest.mark.parametrize("case", _READ)
def test_both_forms_give_the_same_values(spark: SparkSession, case: str) -> None:
    hard, batch, table = opened(spark, case)
    if any(rule.may_be_broken(table) for rule in rules_of(batch, hard.spec)):
        return
    kept = [each for each in batch.conversions if each.is_arrows and _stays_plain(each.declared)]
    weight = weight_in_spark(batch.layout).alias(batch.weight)
    found = batch.given.select(*(each.in_spark() for each in kept), weight).toArrow()
    for at, each in enumerate(kept):
        mine = each.in_arrow(table)
        assert mine.type == arrow_type(each.declared)
        theirs = [conform(chunk, mine.type) for chunk in found.column(at).chunks]
        assert _all_bits(mine) == _all_bits(pa.chunked_array(theirs, mine.type)), each.name
    weights = weights_in_arrow(batch.layout, table)
    assert weights.to_pylist() == found.column(len(kept)).to_pylist()
    if batch.op in (BatchOp.DELETE, BatchOp.DELETE_KEYS):
        assert set(weights.to_pylist()) <= {-1}


def _stays_plain(dtype: object) -> bool:
    return "MAP" not in str(dtype)


def _all_bits(column: pa.ChunkedArray) -> list[object]:
    return [each for chunk in column.chunks for each in bits(chunk)]


@pytest.mark.parametrize("case", sorted(_REFUSED_AT_ONCE))
def test_a_table_that_is_none_is_refused(spark: SparkSession, case: str) -> None:
    hard = HARD_BATCHES[case]
    with pytest.raises(DataError, match="cannot be read as a table: Decimal value"):
        read_batch(spark, hard.spec, hard.rows, hard.op)
