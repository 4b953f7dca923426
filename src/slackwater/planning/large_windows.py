"""Finds windows whose partitions are large, and how wide their order buckets should be.

Known are those by which a view is kept already: they stay until their buckets are far too wide or
too narrow, so that a plan does not change with every batch. Others are estimated from a sample of
the stored rows of a source, where the keys of the window are columns of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Filter, Generate, Join, Project, Scan, Sort, Window
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.catalog.catalog import Catalog
from slackwater.expr.nodes import ColumnRef, Expr
from slackwater.optimizer.rules.im1.window_ranges import RedoRanges
from slackwater.optimizer.rules.order_buckets import LEAST_SHIFT, MOST_SHIFT
from slackwater.plan.facts import Facts, LargeWindow
from slackwater.state.segments import SegmentFile, open_segment
from slackwater.types import TIMESTAMP_NTZ, DataType

LARGE_PARTITION = 5_000
"""Rows from which on a change should not have a whole partition redone."""
_FAR_OFF = 3
"""Bits by which buckets are too wide or too narrow: partitions are about 64 times as large."""
_SEEN_OFTEN = 4
"""A sample that has fewer rows than this of a partition does not tell how many there are."""
_LEAST_BUCKETS = 16
_LEAST_ROWS = 16
"""Buckets of fewer rows cost more to find than to read."""
_SAMPLED_BATCHES = 16
_SAMPLED_ROWS = 2_048


@dataclass(frozen=True, slots=True)
class _Keys:
    """The columns of a source that are the keys of a window: PARTITION BY, and the first order."""

    source: str
    partition: tuple[str, ...]
    order: str
    order_type: DataType


def known_facts(home: Path, catalog: Catalog, others: Iterable[Rel] = ()) -> Facts:
    """The facts of a catalog, with the large windows of its views and of other relations."""
    return replace(catalog.facts, large_windows=large_windows(home, catalog, others))


def large_windows(
    home: Path, catalog: Catalog, others: Iterable[Rel] = ()
) -> frozenset[LargeWindow]:
    """The large windows of all views, and of other relations that are to be views."""
    found: dict[str, LargeWindow] = {}
    for name in catalog.views:
        plan = catalog.stored_plan(name)
        for each in () if plan is None else plan.facts.large_windows:
            found.setdefault(each.window, each)
    for rel in (*(view.stored for view in catalog.views.values()), *others):
        for window in windows_of(rel):
            key = fingerprint(window)
            shift = _estimated_shift(home, catalog, window)
            if shift is not None and not _fits(found.get(key), shift):
                found[key] = LargeWindow(key, shift)
    return frozenset(found.values())


def _fits(known: LargeWindow | None, shift: int) -> bool:
    return known is not None and abs(known.shift - shift) < _FAR_OFF


@remembered
def windows_of(rel: Rel) -> tuple[Window, ...]:
    """The windows of a relation that can be kept by ranges if they are large."""
    rule = RedoRanges()
    windows = (each for each in walk_rel(rel) if isinstance(each, Window))
    return tuple(each for each in windows if rule.refuses(each, Facts()) is None)


def _estimated_shift(home: Path, catalog: Catalog, window: Window) -> int | None:
    keys = _source_keys(window)
    if keys is None or keys.source not in catalog.state.sources:
        return None
    source = catalog.source(keys.source)
    files = catalog.files(source.arrangement.id)
    rows = catalog.rows(source.arrangement.id)
    if rows < LARGE_PARTITION:
        return None
    names = {name: f"k{n}" for n, name in enumerate(source.columns)}
    stored = replace(
        keys,
        partition=tuple(names[each] for each in keys.partition),
        order=names[keys.order],
    )
    largest = max(files, key=lambda file: file.rows)
    # Estimated anew only once there are some more rows.
    known = rows - rows % (1 << (rows.bit_length() - 3))
    return _shift_of(str(home), largest, known, stored)


def _source_keys(window: Window) -> _Keys | None:
    order = _origin(window.input, window.order[0].expr)
    partition = [_origin(window.input, each) for each in window.partition]
    if order is None or any(each is None or each[0] != order[0] for each in partition):
        return None
    names = tuple(each[1] for each in partition if each is not None)
    return _Keys(order[0], names, order[1], window.order[0].expr.dtype)


def _origin(rel: Rel, expr: Expr) -> tuple[str, str] | None:
    """The source and its column that an expression hands on unchanged; None if it is none."""
    if not isinstance(expr, ColumnRef):
        return None
    match rel:
        case Scan(source=source):
            return source, rel.column(expr.id).name
        case Project(outputs=outputs):
            inner = next(each.expr for each in outputs if each.column.id == expr.id)
            return _origin(rel.input, inner)
        case Filter() | Window() | Join() | Generate() | Sort():
            holders = [each for each in rel.inputs if any(c.id == expr.id for c in each.columns)]
            return _origin(holders[0], expr) if holders else None
        case _:
            return None


@lru_cache(maxsize=1024)
def _shift_of(home: str, file: SegmentFile, rows: int, keys: _Keys) -> int | None:
    """The bits to leave out if a source of so many rows has large partitions, else None.

    Keys are named as the file names them.
    """
    table = _sample(home, file, (*keys.partition, keys.order))
    groups = table.group_by(list(keys.partition)).aggregate([]).num_rows if keys.partition else 1
    if table.num_rows < _SEEN_OFTEN * groups or rows < LARGE_PARTITION * groups:
        return None
    unit = 1e6 if keys.order_type == TIMESTAMP_NTZ else 1.0
    return _shift_for(_numbers(table.column(keys.order)) / unit, rows / groups)


def _shift_for(values: npt.NDArray[np.float64], rows: float) -> int | None:
    """The bits to leave out for keys that are spread like these over so many rows.

    A bucket has so many rows that reading the index of a partition costs about what reading a few
    of its buckets does. None if equal keys are too many for that.

    >>> _shift_for(np.arange(1e6), 1e6)
    6
    """
    if not len(values):
        return None
    low, high = np.quantile(values, (0.05, 0.95))
    width = (high - low) / 0.9 * max(_LEAST_ROWS, np.sqrt(rows) / 8) / rows
    shift = int(np.clip(np.floor(np.log2(max(width, 1.0))), LEAST_SHIFT, MOST_SHIFT))
    buckets = np.unique(np.floor(values / 2.0**shift))
    return shift if len(buckets) >= _LEAST_BUCKETS else None


def _sample(home: str, file: SegmentFile, names: tuple[str, ...]) -> pa.Table:
    """Some columns of rows here and there in a file."""
    batches = open_segment(home, file).batches
    step = max(1, len(batches) // _SAMPLED_BATCHES)
    some = [each.select(list(dict.fromkeys(names))) for each in batches[::step]]
    return pa.Table.from_batches([each.slice(0, _SAMPLED_ROWS) for each in some])


def _numbers(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """Keys as numbers in the unit of their buckets; those without an end are left out."""
    dtype = column.type
    if pa.types.is_date32(dtype):
        column = column.cast(pa.int32())
    elif pa.types.is_timestamp(dtype):
        column = column.cast(pa.int64())
    values: npt.NDArray[np.float64] = pc.drop_null(column.cast(pa.float64())).to_numpy()
    return values[np.isfinite(values)]
