"""What each row of a batch counts, as Arrow and as Spark compute it from what the batch says.

A weight is NULL where the user's column gives none.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column
from pyspark.sql import functions as sf

from slackwater.sources.batch_layout import BatchOp, Layout
from slackwater.sources.change_feed import CHANGE_WEIGHTS
from slackwater.sources.conversions import column_at

_TAKES_AWAY = (BatchOp.DELETE, BatchOp.DELETE_KEYS)


def weights_in_arrow(layout: Layout, table: pa.Table) -> pa.ChunkedArray:
    """The weights of the rows of a table."""
    if layout.weight_at is not None:
        return table.column(layout.weight_at).cast(pa.int64())
    if layout.change_type_at is not None:
        kinds = pa.array(list(CHANGE_WEIGHTS), pa.string())
        places = pc.index_in(table.column(layout.change_type_at).cast(pa.string()), kinds)
        return pc.take(pa.array(CHANGE_WEIGHTS.values(), pa.int64()), places)
    return pa.chunked_array([np.full(table.num_rows, _constant(layout), dtype=np.int64)])


def weight_in_spark(layout: Layout) -> Column:
    """The weight of a row of `Batch.given`."""
    if layout.weight_at is not None:
        return column_at(layout.weight_at).cast("bigint")
    if layout.change_type_at is not None:
        weight = sf.lit(None)
        for name, value in CHANGE_WEIGHTS.items():
            said = column_at(layout.change_type_at) == name
            weight = sf.when(said, sf.lit(value)).otherwise(weight)
        return weight.cast("bigint")
    return sf.lit(_constant(layout)).cast("bigint")


def _constant(layout: Layout) -> int:
    """What all rows count where none says so itself."""
    return -1 if layout.op in _TAKES_AWAY else 1
