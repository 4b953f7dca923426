"""The rule that a batch leaves each key with one row at most, in both forms.

The rows of a key, added up by their weights, may be one more than before, one fewer, or as many.
Keys that do not fit their types are rows at fault (`row_rules`), and none that this rule judges.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column

from slackwater.sources.batch_layout import BatchOp
from slackwater.sources.batches import Batch
from slackwater.sources.conversions import Conversion
from slackwater.sources.row_weights import weights_in_arrow
from slackwater.types import (
    BINARY,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
    is_integral,
)

_NET = "net"
_SMALL = 1 << 31
"""Sums of fewer than that many weights below that size cannot overflow."""
_PLAINLY_EQUAL = frozenset({BINARY, BOOLEAN, DATE, STRING, TIMESTAMP, TIMESTAMP_NTZ})
"""Types whose values Arrow compares as Spark does; floats and collated texts are not."""


def crowded_words(op: BatchOp) -> tuple[str, str]:
    """What is wrong, and what to do, where a key is left with more rows."""
    if op is BatchOp.UPSERT:
        return "the upsert has more than one row for a key", "Keep the last row of each key."
    if op in (BatchOp.DELETE, BatchOp.DELETE_KEYS):
        return "the batch deletes a key more than once", "Name each key once."
    return (
        "the changes of a key add up to more than one row",
        "A key holds one row: delete the old one in the same batch, or use op='upsert'.",
    )


def key_columns(batch: Batch) -> tuple[Conversion, ...]:
    """The columns of a batch that its source has in its key, in the order of the batch."""
    return tuple(each for each in batch.conversions if each.in_key)


def crowded_in_arrow(batch: Batch, table: pa.Table) -> pa.Table:
    """The keys that are left with more rows, and by how many."""
    keys = key_columns(batch)
    names = [f"k{at}" for at in range(len(keys))]
    columns = [table.column(each.at) for each in keys]
    keyed = pa.table([*columns, weights_in_arrow(batch.layout, table)], names=[*names, _NET])
    sums = keyed.group_by(names).aggregate([(_NET, "sum")]).rename_columns([*names, _NET])
    net = sums.column(_NET)
    crowded = pc.or_(pc.less(net, -1), pc.greater(net, 1))
    return sums.filter(pc.fill_null(crowded, True))


def crowded_in_spark(net: Column) -> Column:
    """True of such a key, by the sum of its weights: NULL if none is known or it is too large."""
    return net.isNull() | ~net.between(-1, 1)


def is_exact(batch: Batch, table: pa.Table) -> bool:
    """Whether Arrow's form flags just the keys that Spark's does; if not, all are in doubt."""
    return all(map(_plainly_equal, key_columns(batch))) and sums_are_safe(batch, table)


def may_be_crowded(batch: Batch, table: pa.Table) -> bool:
    """Whether Arrow finds a key left with more rows, or cannot be sure of any."""
    if not key_columns(batch) or not table.num_rows:
        return False
    return not is_exact(batch, table) or crowded_in_arrow(batch, table).num_rows > 0


def sums_are_safe(batch: Batch, table: pa.Table) -> bool:
    """Whether no sum of the batch's weights can overflow."""
    if batch.layout.weight_at is None:
        return True
    bounds = pc.min_max(weights_in_arrow(batch.layout, table))
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    return low is None or bool(low > -_SMALL and high < _SMALL)


def _plainly_equal(key: Conversion) -> bool:
    """Whether keys that differ as they are given also differ as they are declared."""
    declared = key.declared
    if not key.as_it_is:
        return key.is_arrows
    return declared in _PLAINLY_EQUAL or isinstance(declared, DecimalType) or is_integral(declared)
