"""The same as a Spark job for batches of a few rows in memory: everything on the driver.

It only accepts. Whatever is not in order raises `NotLocalError`, and Spark then looks at the
batch again and says what is wrong with which rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from slackwater.engine.definitions import OnMissing, SourceDefinition
from slackwater.plan.arrangements import hash_sql
from slackwater.plan.program import (
    AppendStep,
    GatherStep,
    LookUpStep,
    Program,
    SqlStep,
    Step,
)
from slackwater.runtime.files import Place, arrow_layout
from slackwater.runtime.local.runner import Given, LocalRunner
from slackwater.runtime.local.types import NotLocalError
from slackwater.sources.batches import Batch, BatchOp
from slackwater.state.columns import conform
from slackwater.state.segments import SegmentFile
from slackwater.types import BIGINT


@dataclass(frozen=True, slots=True)
class Taken:
    """The files of an accepted batch, and how many rows came and went."""

    files: tuple[SegmentFile, ...]
    inserted: int
    deleted: int


def take_quickly(
    batch: Batch, source: SourceDefinition, runner: LocalRunner, place: Place
) -> Taken:
    """Write a batch without Spark; raises NotLocalError, with nothing written, if Spark must."""
    given = Given(
        {**dict(zip(source.arrangement.columns, source.types, strict=True)), "_w": BIGINT},
        _table(batch, source),
    )
    empty = not place.files.arrangement(source.arrangement.id)
    steps = _first_steps(source) if empty and _only_adds(batch) else _steps(batch, source)
    program = Program(tuple(steps))
    result = runner.run(program, place, {"batch": given}, empty=("missing", "repeated"))
    [counts] = result.frames["counts"].to_pylist()
    return Taken(result.segments[source.arrangement.id], counts["came"] or 0, counts["went"] or 0)


def _table(batch: Batch, source: SourceDefinition) -> pa.Table:
    """The rows as state stores them, with their weights."""
    table, layout = batch.table, batch.layout
    if table is None or layout.op is BatchOp.DELETE_KEYS or layout.change_type_at is not None:
        raise NotLocalError("a batch of this kind")
    if not all(each.as_it_is for each in batch.conversions):
        raise NotLocalError("a batch whose values are converted")
    try:
        return _stored(table, batch, arrow_layout(source.types))
    except pa.ArrowException as problem:
        raise NotLocalError(f"rows of another form than state has: {problem}") from problem


def _stored(table: pa.Table, batch: Batch, schema: pa.Schema) -> pa.Table:
    columns = [
        _conformed(table.column(each.at), field.type)
        for each, field in zip(batch.conversions, schema, strict=True)
    ]
    if batch.layout.weight_at is not None:
        weights = table.column(batch.layout.weight_at).cast(pa.int64())
    else:
        weight = -1 if batch.layout.op is BatchOp.DELETE else 1
        weights = pa.array(np.full(table.num_rows, weight, dtype=np.int64))
    named = pa.schema([*schema, pa.field("_w", pa.int64())])
    return pa.table([*columns, weights], schema=named)


def _conformed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([conform(chunk, kind) for chunk in column.chunks], kind)


def _only_adds(batch: Batch) -> bool:
    """Whether every row of the batch comes, once."""
    return batch.layout.weight_at is None and batch.op in (BatchOp.INSERT, BatchOp.UPSERT)


def _first_steps(source: SourceDefinition) -> Iterator[Step]:
    """The first rows of a source can only be at odds with one another."""
    yield _hashed(source)
    keys = ", ".join(f"k{n}" for n in source.key_positions)
    if source.key:
        repeated = f"SELECT {keys} FROM given GROUP BY {keys} HAVING count(*) > 1"
        yield SqlStep("repeated", repeated, ("given",))
    yield from _kept(source, "given")


def _hashed(source: SourceDefinition) -> Step:
    arrangement = source.arrangement
    columns = ", ".join(arrangement.columns)
    hashed = f"SELECT {hash_sql(arrangement.key)} AS _h, {columns}, _w FROM batch"
    return SqlStep("given", hashed, ("batch",))


def _kept(source: SourceDefinition, net: str) -> Iterator[Step]:
    """Rows that may be there, counted and written."""
    counts = f"SELECT sum(greatest(_w, 0)) AS came, sum(greatest(-_w, 0)) AS went FROM {net}"
    yield SqlStep("counts", counts, (net,))
    yield AppendStep(source.arrangement.id, net, source.arrangement)


def _steps(batch: Batch, source: SourceDefinition) -> Iterator[Step]:
    arrangement = source.arrangement
    columns = ", ".join(arrangement.columns)
    yield _hashed(source)
    changes = "given"
    if batch.op is BatchOp.UPSERT:
        yield from _replaced(source)
        both = f"SELECT * FROM given UNION ALL SELECT _h, {columns}, _w FROM replaced"
        yield SqlStep("changes", both, ("given", "replaced"))
        changes = "changes"
    yield GatherStep("rows", changes, arrangement)
    missing = "TRUE" if source.on_missing != OnMissing.IGNORE.value else "FALSE"
    yield SqlStep("missing", f"SELECT _h FROM rows WHERE _new < 0 AND {missing}", ("rows",))
    keys = ", ".join(f"k{n}" for n in source.key_positions)
    repeated = f"SELECT {keys} FROM rows WHERE _new > 0 GROUP BY {keys} HAVING sum(_new) > 1"
    nothing = "SELECT _h FROM rows WHERE FALSE"
    yield SqlStep("repeated", repeated if source.key else nothing, ("rows",))
    weight = "greatest(_new, 0) - _old"
    net = f"SELECT _h, {columns}, {weight} AS _w FROM rows WHERE {weight} <> 0"
    yield SqlStep("net", net, ("rows",))
    yield from _kept(source, "net")


def _replaced(source: SourceDefinition) -> Iterator[Step]:
    """The stored rows with the keys of an upsert, to be taken out."""
    arrangement = source.arrangement
    columns = ", ".join(arrangement.columns)
    probe = f"SELECT _h, _h AS _hash, {columns}, _w FROM given"
    yield SqlStep("probe", probe, ("given",))
    yield LookUpStep("found", "probe", arrangement)
    same = " AND ".join(f"s{n} <=> k{n}" for n in source.key_positions)
    gone = ", ".join(f"s{n} AS {name}" for n, name in enumerate(arrangement.columns))
    taken = f"SELECT _hash AS _h, {gone}, -_sw AS _w FROM found WHERE {same}"
    yield SqlStep("replaced", taken, ("found",))
