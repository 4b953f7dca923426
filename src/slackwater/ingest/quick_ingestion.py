"""The same as a Spark job for batches in memory: everything on the driver, in one pass.

It only accepts. Whatever is not in order raises `NotLocalError`, and Spark then looks at the
batch again and says what is wrong with which rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Project, Scan
from slackwater.catalog.definitions import OnMissing, SourceDefinition
from slackwater.compiler.duckdb.types import NotLocalError, is_simple
from slackwater.errors import DataError
from slackwater.executors.driver.driver_executor import DriverExecutor, Given
from slackwater.executors.places import Place, arrow_layout
from slackwater.executors.written import NotHere
from slackwater.expr.nodes import ColumnId
from slackwater.plan.arrangements import key_hash
from slackwater.plan.statements import Statement
from slackwater.sources.arrow_checks import (
    arrow_converts,
    given_weights,
    surely_clean_keys,
    surely_clean_rows,
)
from slackwater.sources.batches import Batch, BatchOp
from slackwater.state.admission import Admission, Arrival, DoubtfulRowsError, came_and_went
from slackwater.state.columns import HASH, bounded_file_rows, conform, regroup
from slackwater.state.matching import Arrangement
from slackwater.state.segments import SegmentFile
from slackwater.state.writer import SegmentTarget, SegmentWriter
from slackwater.types import BIGINT, BINARY, ArrayType, DataType, StructType, is_floating
from slackwater.types.storage import needs_encoding

_NUMBER = "_n"
"""The place of a row in its batch."""
_ARRIVALS = {BatchOp.UPSERT: Arrival.REPLACE, BatchOp.DELETE_KEYS: Arrival.REMOVE}


@dataclass(frozen=True, slots=True)
class Taken:
    """The files of an accepted batch, and how many rows came and went."""

    files: tuple[SegmentFile, ...]
    inserted: int
    deleted: int


def needs_look_up(batch: Batch, source: SourceDefinition) -> bool:
    """Whether what the source holds matters: to rows that only come, if a key must be unique."""
    return batch.op is not BatchOp.INSERT or bool(source.key)


def take_quickly(
    batch: Batch, source: SourceDefinition, runner: DriverExecutor, place: Place
) -> Taken | NotHere:
    """Write a batch without Spark, or say why Spark must; then nothing is written."""
    try:
        return _take(batch, source, runner, place)
    except NotLocalError as problem:
        return NotHere(problem.what)


def _take(batch: Batch, source: SourceDefinition, runner: DriverExecutor, place: Place) -> Taken:
    ignores_missing = source.on_missing == OnMissing.IGNORE.value
    table = _clean_table(batch, source, keys=ignores_missing)
    arrangement = source.arrangement
    files = place.files.arrangement(arrangement.id) if needs_look_up(batch, source) else ()
    stored = Arrangement(str(place.home), files, arrow_layout(source.types), compact=True)
    admission = Admission(
        stored,
        source.key_positions if source.key else (),
        _ARRIVALS.get(batch.op, Arrival.ADD),
        ignores_missing,
    )
    rows = _rows(batch, table, source, stored.schema, runner)
    path = f"state/{arrangement.id}/{place.stem}-0.arrow"
    target = SegmentTarget(stored.root, path, stored.schema, consolidated=True)
    inserted = deleted = 0
    try:
        with SegmentWriter(target) as writer:
            admitted = admission.changes(rows.to_batches(), runner.room)
            for change in regroup(admitted, bounded_file_rows):
                came, went = came_and_went(change)
                inserted, deleted = inserted + came, deleted + went
                writer.write(change)
    except (DoubtfulRowsError, DataError) as problem:
        raise NotLocalError(str(problem)) from problem
    return Taken(() if writer.result is None else (writer.result,), inserted, deleted)


def _clean_table(batch: Batch, source: SourceDefinition, *, keys: bool) -> pa.Table:
    """The rows; a batch with rows at fault is left to Spark, which shows them.

    Keys that come twice are found when rows are admitted, unless some of them are ignored.
    """
    table, spec = batch.table, source.spec
    if table is None:
        raise NotLocalError("rows that are not in memory")
    clean = surely_clean_rows(batch, table, spec)
    if not clean or (keys and not surely_clean_keys(batch, table, spec)):
        raise NotLocalError("rows that may be at fault")
    if not all(map(arrow_converts, batch.conversions)):
        raise NotLocalError("a batch whose values are converted")
    for dtype in source.types:
        if needs_encoding(dtype) or not _stored_as_given(dtype):
            raise NotLocalError(f"a column of type {dtype}")
    return table


def _rows(
    batch: Batch,
    table: pa.Table,
    source: SourceDefinition,
    schema: pa.Schema,
    runner: DriverExecutor,
) -> pa.Table:
    """The rows as state stores them, with their hashes and weights."""
    try:
        columns = _columns(batch, table, source)
        given = [_hashes(columns, source, runner), *columns, _weights(batch, table)]
        arrays = [
            _conformed(column, field.type) for column, field in zip(given, schema, strict=True)
        ]
    except pa.ArrowException as problem:
        raise NotLocalError(f"rows of another form than state has: {problem}") from problem
    return pa.table(arrays, schema=schema)


def _stored_as_given(dtype: DataType) -> bool:
    """Whether a value in Arrow's form is in the form of state."""
    match dtype:
        case ArrayType(element=element):
            return _stored_as_given(element)
        case StructType(fields=fields):
            return all(_stored_as_given(each.dtype) for each in fields)
    return is_simple(dtype) or is_floating(dtype) or dtype == BINARY


def _columns(batch: Batch, table: pa.Table, source: SourceDefinition) -> list[pa.ChunkedArray]:
    """All columns of the source; those that a batch of keys does not have are NULL."""
    given = {each.name: table.column(each.at) for each in batch.conversions}
    return [
        _conformed(given[name], field.type)
        if name in given
        else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        for name, field in zip(source.columns, arrow_layout(source.types), strict=True)
    ]


def _conformed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([conform(chunk, kind) for chunk in column.chunks], kind)


def _weights(batch: Batch, table: pa.Table) -> pa.ChunkedArray:
    weights = given_weights(batch, table)
    if weights is not None:
        return weights
    # Keys to be deleted arrive like rows that replace others.
    weight = -1 if batch.op is BatchOp.DELETE else 1
    return pa.chunked_array([np.full(table.num_rows, weight, dtype=np.int64)])


def _hashes(
    columns: list[pa.ChunkedArray], source: SourceDefinition, runner: DriverExecutor
) -> pa.ChunkedArray:
    """The hash of each row's key, in the order of the rows."""
    rows = len(columns[0]) if columns else 0
    places = source.key_positions
    numbers = pa.chunked_array([np.arange(rows, dtype=np.int64)])
    table = pa.table(
        [*(columns[n] for n in places), numbers], names=[*(f"k{n}" for n in places), _NUMBER]
    )
    types = {**{f"k{n}": source.types[n] for n in places}, _NUMBER: BIGINT}
    found = runner.compute(_key_hashes(source), {"batch": Given(types, table)})
    order = found.column(_NUMBER).to_numpy()
    if (order[1:] < order[:-1]).any():
        found = found.take(pa.array(np.argsort(order)))
    return found.column(HASH)


def _key_hashes(source: SourceDefinition) -> Statement:
    """The hash and the number of every row of a batch of keys."""
    places = source.key_positions
    number = Column(ColumnId(len(source.types)), _NUMBER, BIGINT, nullable=False)
    keys = [Column(ColumnId(n), f"k{n}", source.types[n]) for n in places]
    value = key_hash(source.arrangement.key)
    hashed = Column(ColumnId(len(source.types) + 1), HASH, BIGINT, nullable=False)
    rows = Scan("batch", (*keys, number))
    return Statement(Project(rows, (Output(hashed, value), pass_through(number))), (HASH, _NUMBER))
