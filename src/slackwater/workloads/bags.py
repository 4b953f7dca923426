"""Tables as bags of rows: the plain meaning of a change, for tests to compare with."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from slackwater.errors import DataError
from slackwater.workloads.codes import row_codes

WEIGHT = "_w"
"""The column that says how often a row of a change is inserted, or deleted if negative."""


def apply_changes(table: pa.Table, change: pa.Table) -> pa.Table:
    """The bag `table` after `change`; rows come in the order of their first occurrence.

    A change that deletes a row more often than it is there is refused with a DataError.
    """
    both = pa.concat_tables([table, change.drop_columns([WEIGHT]).cast(table.schema)])
    weights = np.concatenate(
        [np.ones(table.num_rows, dtype=np.int64), change.column(WEIGHT).to_numpy()]
    )
    codes = row_codes(both.columns, both.num_rows)
    distinct, first = np.unique(codes, return_index=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, codes, weights)
    if (counts < 0).any():
        raise _refusal(both, int(first[np.argmin(counts)]), int(counts.min()))
    order = np.argsort(first, kind="stable")
    return both.take(pa.array(np.repeat(first[order], counts[order])))


def negate(change: pa.Table) -> pa.Table:
    """The change that undoes `change`."""
    weights = pa.array(-change.column(WEIGHT).to_numpy())
    return change.set_column(change.schema.get_field_index(WEIGHT), WEIGHT, weights)


def _refusal(both: pa.Table, row: int, count: int) -> DataError:
    return DataError(
        f"the change deletes a row {-count} times more often than it is there",
        where=str(both.slice(row, 1).to_pylist()[0]),
        hint="Apply the batches of a stream in their order, each once.",
    )
