"""Tells without Spark that a batch of Arrow data is in order.

Only a yes counts: where Arrow finds a fault, or cannot be sure to judge as Spark would, Spark
looks at the rows and words the message.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from slackwater.catalog.source_spec import SourceSpec
from slackwater.sources.batches import Batch
from slackwater.sources.change_feed import CHANGE_WEIGHTS
from slackwater.sources.conversions import Conversion
from slackwater.sources.row_rules import null_inside_possible

_PLAINLY_EQUAL = (
    BinaryType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    TimestampNTZType,
    TimestampType,
)
"""Types whose values Arrow compares as Spark does; floats and collated texts are not."""

_WHOLE_NUMBERS: dict[type[DataType], int] = {
    ByteType: 8,
    ShortType: 16,
    IntegerType: 32,
    LongType: 64,
}
"""The types of whole numbers with their bits."""

_SMALL = 1 << 31
"""Sums of fewer than that many weights below that size cannot overflow."""


def surely_clean(batch: Batch, table: pa.Table, spec: SourceSpec) -> bool:
    """Whether no row of the batch breaks a rule of its source."""
    return surely_clean_rows(batch, table, spec) and surely_clean_keys(batch, table, spec)


def surely_clean_rows(batch: Batch, table: pa.Table, spec: SourceSpec) -> bool:
    """Whether no row of the batch breaks a rule by itself."""
    return (
        all(_fits(each, table.column(each.at)) for each in batch.conversions)
        and _nulls_allowed(batch, table, spec)
        and _weights_in_order(batch, table, spec)
    )


def arrow_converts(conversion: Conversion) -> bool:
    """Whether Arrow's own conversion of values that fit is Spark's: whole numbers stay the same."""
    return conversion.as_it_is or (
        type(conversion.given) in _WHOLE_NUMBERS and type(conversion.declared) in _WHOLE_NUMBERS
    )


def _fits(conversion: Conversion, column: pa.ChunkedArray) -> bool:
    """Whether every value converts unharmed; of whole numbers the extremes tell."""
    if conversion.lossless:
        return True
    if not arrow_converts(conversion):
        return False
    bits = _WHOLE_NUMBERS[type(conversion.declared)]
    bounds = pc.min_max(column)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    return low is None or bool(low >= -(1 << (bits - 1)) and high < 1 << (bits - 1))


def _nulls_allowed(batch: Batch, table: pa.Table, spec: SourceSpec) -> bool:
    for field, at in zip(batch.layout.fields, batch.layout.places, strict=True):
        if null_inside_possible(field.dataType):
            return False
        if (not field.nullable or field.name in spec.key) and table.column(at).null_count:
            return False
    return True


def _weights_in_order(batch: Batch, table: pa.Table, spec: SourceSpec) -> bool:
    weights = given_weights(batch, table)
    if weights is None or not table.num_rows:
        return True
    if weights.null_count or pc.any(pc.equal(weights, 0)).as_py():
        return False
    bounds = pc.min_max(weights)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if spec.append_only and low < 0:
        return False
    return bool(low > -_SMALL and high < _SMALL)


def surely_clean_keys(batch: Batch, table: pa.Table, spec: SourceSpec) -> bool:
    """Whether the weights of each key add up to one row at most, in either direction."""
    if not spec.key or not table.num_rows:
        return True
    keys = [each for each in batch.conversions if each.name in spec.key]
    if not all(_plainly_equal(each) for each in keys):
        return False
    weights = given_weights(batch, table)
    if weights is None:
        weights = pa.repeat(1, table.num_rows)
    names = [f"k{at}" for at in range(len(keys))]
    columns = [table.column(each.at) for each in keys]
    keyed = pa.table([*columns, weights], names=[*names, "w"])
    sums = keyed.group_by(names).aggregate([("w", "sum")]).column("w_sum")
    bounds = pc.min_max(sums)
    return bool(bounds["min"].as_py() >= -1 and bounds["max"].as_py() <= 1)


def given_weights(batch: Batch, table: pa.Table) -> pa.ChunkedArray | None:
    """The weights that rows bring along, NULL for a type of change that there is not."""
    layout = batch.layout
    if layout.weight_at is not None:
        return table.column(layout.weight_at).cast(pa.int64())
    if layout.change_type_at is not None:
        kinds = pa.array(list(CHANGE_WEIGHTS), pa.string())
        places = pc.index_in(table.column(layout.change_type_at).cast(pa.string()), kinds)
        return pc.take(pa.array(CHANGE_WEIGHTS.values(), pa.int64()), places)
    return None


def _plainly_equal(key: Conversion) -> bool:
    """Whether keys that differ as they are given also differ as they are declared."""
    declared = key.declared
    if not key.as_it_is:
        return arrow_converts(key)
    return isinstance(declared, _PLAINLY_EQUAL) or declared == StringType()
