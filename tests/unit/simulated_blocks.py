"""Programs over a few files, run whole on the driver or in blocks, without Spark.

A shuffle is a list of pieces that go to the partitions they name.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Project, Scan
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import arrow_type
from slackwater.events import tell_nobody
from slackwater.executors.driver.engine import LocalEngine
from slackwater.executors.driver.prepare import prepare
from slackwater.executors.driver.program_run import Common, LocalRun, Tools
from slackwater.executors.driver.shares import Share
from slackwater.executors.places import Place
from slackwater.executors.spark.block_task import BlockWork
from slackwater.executors.spark.collected import Collected
from slackwater.executors.spark.exchange import Piece, pack, unpack
from slackwater.executors.spark.prepared_blocks import parts_by_state, prepare_blocks
from slackwater.executors.spark.shipped_files import ShippedFiles, TaskPlace
from slackwater.executors.spark.task_process import Loaded
from slackwater.executors.spark.task_report import TaskReport, read_reports
from slackwater.expr.nodes import ColumnId, Expr
from slackwater.plan.arrangements import hash_over, stored_column
from slackwater.plan.placed import PlacedProgram
from slackwater.plan.program import Program
from slackwater.plan.statements import Statement
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.matching import Arrangement as StoredRows
from slackwater.state.segments import SegmentFile
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.spill import Room
from slackwater.state.writer import WriteSegment
from slackwater.types import BIGINT, DataType
from slackwater.types.storage import storage_type

Segments = Mapping[str, tuple[SegmentFile, ...]]
ZSet = dict[tuple[object, ...], int]


class SimpleLayouts(dict[tuple[DataType, ...], pa.Schema]):
    """What Spark's Java would say of simple types."""

    def __missing__(self, types: tuple[DataType, ...]) -> pa.Schema:
        return pa.schema(
            [pa.field(f"k{n}", arrow_type(storage_type(each))) for n, each in enumerate(types)]
        )


@dataclass
class SmallState:
    """Sources and arrangements in a folder."""

    folder: Path
    types_by_source: dict[str, tuple[DataType, ...]]
    key_places: dict[str, tuple[int, ...]]
    """By which columns the rows of each source are hashed."""
    before: dict[str, tuple[SegmentFile, ...]] = field(default_factory=dict)
    arriving: dict[str, tuple[SegmentFile, ...]] = field(default_factory=dict)
    kept: dict[str, tuple[SegmentFile, ...]] = field(default_factory=dict)
    runs: int = 0

    def __post_init__(self) -> None:
        self.room = Room(self.folder, 1 << 30)
        self.tools = Tools(LocalEngine("500MB"), None, self.room)

    def arrangement(self, arrangement_id: str) -> tuple[SegmentFile, ...]:
        return self.kept.get(arrangement_id, ())

    def pending(self, source: str) -> tuple[SegmentFile, ...]:
        return self.arriving.get(source, ())

    def contents(self, source: str) -> tuple[SegmentFile, ...]:
        return (*self.before.get(source, ()), *self.pending(source))

    def types(self, source: str) -> tuple[DataType, ...]:
        return self.types_by_source[source]

    def key(self, source: str) -> tuple[Expr, ...]:
        types = self.types(source)
        return tuple(stored_column(n, types[n]) for n in self.key_places[source])

    def arrive(self, source: str, rows: pa.Table) -> None:
        """Take in rows k0, ..., `_w`; what arrived before is there already."""
        self.before[source] = self.contents(source)
        types = self.types(source)
        columns = [Column(ColumnId(n), f"k{n}", each) for n, each in enumerate(types)]
        weight = Column(ColumnId(len(types)), WEIGHT, BIGINT, False)
        key = tuple(columns[n].ref() for n in self.key_places[source])
        hashed = hash_over(key, columns)
        out = Column(ColumnId(len(types) + 1), HASH, BIGINT, False)
        outputs = (Output(out, hashed), *(Output(each, each.ref()) for each in (*columns, weight)))
        rel = Project(Scan("given", (*columns, weight)), outputs)
        names = (HASH, *(each.name for each in columns), WEIGHT)
        table = self.tools.engine.execute(print_duckdb(Statement(rel, names)), {"given": rows})
        self.runs += 1
        worker = WriteSegment(
            str(self.folder),
            f"state/{source}",
            f"b{self.runs}",
            SimpleLayouts()[types],
            False,
            True,
        )
        file = worker.write(iter(table.to_batches()))
        self.arriving[source] = () if file is None else (file,)

    def keep(self, program: Program, written: Segments) -> None:
        """Commit what a run wrote."""
        for step in program.appends:
            before = () if step.fill else self.arrangement(step.arrangement.id)
            self.kept[step.arrangement.id] = (*before, *written.get(step.arrangement.id, ()))
        for source in self.arriving:
            self.before[source] = self.contents(source)
        self.arriving = {}

    def place(self) -> TaskPlace:
        self.runs += 1
        return TaskPlace(self.folder, f"r{self.runs}", self, SimpleLayouts())

    def on_the_driver(self, program: Program) -> Segments:
        """What a run writes."""
        return take_whole(program, self.types_by_source, self.tools, self.place())

    def in_blocks(
        self, placed: PlacedProgram, partitions: int, told: Iterable[tuple[int, Piece]] = ()
    ) -> tuple[Segments, list[TaskReport]]:
        """What the same run writes in tasks, and what they report."""
        types = self.types_by_source
        return take_blocks(placed, partitions, types, self.tools, self.place(), told)

    def contents_of(self, program: Program, written: Segments) -> dict[str, ZSet]:
        """The rows that each arrangement got, with their weights."""
        return {
            step.arrangement.id: self._rows(
                step.arrangement.types, written.get(step.arrangement.id, ())
            )
            for step in program.appends
        }

    def _rows(self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...]) -> ZSet:
        stored = StoredRows(str(self.folder), files, SimpleLayouts()[types])
        task = pa.RecordBatch.from_arrays([pa.array([0], pa.int64())], names=["id"])
        found: ZSet = {}
        for batch in ReadSegments(stored, even_ranges(1), net=True)(iter([task])):
            for *values, weight in zip(*(c.to_pylist() for c in batch.columns), strict=True):
                key = tuple(map(repr, values))
                found[key] = found.get(key, 0) + weight
        return found


def weighted(rows: pa.Table, weight: int = 1) -> pa.Table:
    """Rows under the names of state, each so often."""
    named = rows.rename_columns([f"k{n}" for n in range(rows.num_columns)])
    return named.append_column(WEIGHT, pa.array([weight] * rows.num_rows, pa.int64()))


def take_whole(
    program: Program, types: Mapping[str, tuple[DataType, ...]], tools: Tools, place: Place
) -> Segments:
    """What the driver writes."""
    common = Common(place)
    result = LocalRun(prepare(program, types), tools, common).execute(tell_nobody)
    common.packs.publish()
    result.publisher.finish()
    return result.segments


def take_blocks(  # noqa: PLR0917 - as tasks are given them
    placed: PlacedProgram,
    partitions: int,
    types: Mapping[str, tuple[DataType, ...]],
    tools: Tools,
    place: TaskPlace,
    told: Iterable[tuple[int, Piece]] = (),
) -> tuple[Segments, list[TaskReport]]:
    """What tasks and the driver write together; every piece goes the way that Spark would take.

    What is `told` comes besides, each piece before the block of that number.
    """
    shipped: PlacedProgram = pickle.loads(pickle.dumps(placed))
    parts = parts_by_state(placed.program.parts())
    blocks = prepare_blocks(shipped, parts, types)
    loaded = Loaded(blocks, shipped, place.layouts, tools)
    files = ShippedFiles.of(placed.program, place.files)
    arrived: list[list[Piece]] = [[] for _ in range(partitions)]
    for number in range(len(blocks)):
        for _, piece in (each for each in told if each[0] == number):
            arrived[piece.target].append(piece)
        sent: list[Piece] = []
        for partition in range(partitions):
            share = Share(partition, partitions, shipped.readings, blocks[number].first)
            stem = f"{place.stem}-{number}-{partition}"
            here = TaskPlace(place.home, stem, files, place.layouts)
            sent += BlockWork(loaded, number, share, here).take(arrived[partition])
        sent = unpack(pack(sent))
        arrived = [[each for each in sent if each.target == n] for n in range(partitions)]
    reports = read_reports(piece for pieces in arrived for piece in pieces)
    result = Collected(reports).result(placed.program.appends, place, tools.room, 1)
    return result.segments, reports
