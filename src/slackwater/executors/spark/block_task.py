"""One block in one partition: the kernel of the driver, at work in a task of Spark's."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark import TaskContext
from pyspark.core.broadcast import Broadcast

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.events import tell_nobody
from slackwater.executors.driver.program_run import Common, LocalResult, LocalRun
from slackwater.executors.driver.shares import Share
from slackwater.executors.places import Place
from slackwater.executors.spark.carried_segments import CarriedSegments
from slackwater.executors.spark.exchange import Encoder, Piece, decode, pack, unpack
from slackwater.executors.spark.prepared_blocks import (
    Outgoing,
    PreparedBlock,
    PreparedPart,
    address,
    block_of,
)
from slackwater.executors.spark.shipped_files import ShippedFiles, TaskPlace
from slackwater.executors.spark.task_process import Loaded, load
from slackwater.executors.spark.task_report import (
    FAILED,
    REPORT,
    TaskReport,
    failures,
    tell_of_failures,
)
from slackwater.faults import reach
from slackwater.plan.observations import Observed
from slackwater.plan.placed import Move
from slackwater.state.columns import conform_batch
from slackwater.state.counters import ReadCounters
from slackwater.state.segments import SegmentFile
from slackwater.state.worker import Batches, spare_the_collector

_EXCHANGING = "exchanging rows"
_LOADING = "preparing in tasks"
_TOLD = (REPORT, FAILED)
_CARRIED_BYTES = 4 * 1024 * 1024
"""That all tasks of a block carry to the driver together."""


@dataclass(frozen=True, slots=True)
class BlockTask:
    """Takes blocks for a partition; several, one after the other, where there is only one."""

    digest: str
    """Of the program, which is sent only to processes that do not know it."""
    program: Broadcast[bytes]
    blocks: range
    partitions: int
    home: Path
    stem: str
    files: ShippedFiles

    def __call__(self, batches: Batches) -> Batches:
        """Take what arrived for the partition; give what others, or the driver, are to get."""
        partition, attempt = _numbers()
        spare_the_collector()
        pieces: Iterable[Piece] = unpack(batches) if self.blocks[0] else _consumed(batches)
        started = time.perf_counter()
        loaded = load(self.digest, lambda: self.program.value)
        spent = time.perf_counter() - started
        for number in self.blocks:
            # No other attempt writes files of these names.
            stem = f"{self.stem}-{number}-{attempt}"
            place = TaskPlace(self.home, stem, self.files, loaded.layouts)
            share = Share(
                partition, self.partitions, loaded.placed.readings, loaded.blocks[number].first
            )
            work = BlockWork(loaded, number, share, place)
            work.spend(_LOADING, spent)
            pieces = work.take(list(pieces))
            spent = 0.0
        yield from pack(pieces)


def _numbers() -> tuple[int, int]:
    context = TaskContext.get()
    return (0, 0) if context is None else (context.partitionId(), context.taskAttemptId())


def _consumed(batches: Batches) -> tuple[Piece, ...]:
    """Nothing; but a task has to read what it is given."""
    for _ in batches:
        pass
    return ()


class BlockWork:
    """A block, part by part: one that cannot be taken here does the others no harm."""

    def __init__(self, loaded: Loaded, number: int, share: Share, place: Place):
        """Nothing is done yet."""
        self._loaded = loaded
        self._number = number
        self._share = share
        self._tally = _Tally()
        self._carried = CarriedSegments(place.home, place.stem, _CARRIED_BYTES // share.of)
        self._common = Common(place, self._tally.counters, self._carried)
        self._encoder = Encoder(share.number, share.of)

    def spend(self, kind: str, seconds: float) -> None:
        """Count the time of a kind of work."""
        self._tally.spend(kind, seconds)

    def take(self, pieces: list[Piece]) -> Iterator[Piece]:
        """What is for later blocks, and a report, once all that was written is on disk."""
        cpu = time.thread_time_ns()
        broken = failures(pieces)
        arrived = _Arrived(pieces, self._number, self._block, is_last=self._is_last())
        # Whoever is done with a frame lets go of it, so nobody else may hold its pieces.
        del pieces
        yield from arrived.passing
        sent: set[str] = set()
        for number, part in self._block.parts.items():
            if number not in broken:
                yield from self._take_part(number, part, arrived, sent)
        if not self._is_last():
            yield from tell_of_failures(self._tally.failed, self._share.number, self._share.of)
        self._tally.failed.update(broken)
        self._publish()
        reach("block.taken")
        self._tally.counters.cpu = time.thread_time_ns() - cpu
        report = self._tally.report(
            self._number, self._share.number, self._encoder.bytes, self._carried.rows
        )
        yield report.piece()

    @property
    def _block(self) -> PreparedBlock:
        return self._loaded.blocks[self._number]

    def _is_last(self) -> bool:
        return self._number + 1 == len(self._loaded.blocks)

    def _take_part(
        self, number: int, part: PreparedPart, arrived: _Arrived, sent: set[str]
    ) -> Iterator[Piece]:
        """Take a part, and give what it sends unless another has sent it."""
        run = self._run(number, part, arrived)
        if run is None:
            return
        for each in part.outgoing:
            if each.address not in sent:
                sent.add(each.address)
                yield from self._timed(self._send(each, run))

    def _run(self, number: int, part: PreparedPart, arrived: _Arrived) -> LocalRun | None:
        run = LocalRun(part.prepared, self._loaded.tools, self._common, self._share)
        started = time.perf_counter()
        for name in part.given:
            run.give(name, arrived.batches(name), self._block.arriving[name])
        self.spend(_EXCHANGING, time.perf_counter() - started)
        try:
            self._tally.add(number, run.execute(tell_nobody))
        except NotLocalError as problem:
            self._tally.failed[number] = problem.what.splitlines()[0]
            return None
        return run

    def _send(self, outgoing: Outgoing, run: LocalRun) -> Iterator[Piece]:
        send, to = outgoing.send, outgoing.address
        schema = outgoing.schema
        if send.by is not None and not outgoing.keeps_hash:
            schema = schema.append(pa.field(send.by, pa.int64()))
        table = run.frame(send.frame).select(schema.names)
        rows = (conform_batch(batch, schema) for batch in table.to_batches())
        if send.by is not None:
            return self._encoder.divided(to, rows, send.by, keep=outgoing.keeps_hash)
        if send.move is Move.REPLICATE:
            return self._encoder.to_all(to, rows)
        return self._encoder.to_one(to, rows, 0 if send.move is Move.GATHER else self._share.number)

    def _timed(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The same pieces; the time each takes to come is counted."""
        while True:
            started = time.perf_counter()
            found = next(pieces, None)
            self.spend(_EXCHANGING, time.perf_counter() - started)
            if found is None:
                return
            yield found

    def _publish(self) -> None:
        """Wait until all files have their names."""
        started = time.perf_counter()
        self._common.packs.publish()
        for each in self._tally.done.values():
            each.publisher.finish()
        self.spend("publishing files", time.perf_counter() - started)


class _Tally:
    """What a task has to report."""

    def __init__(self) -> None:
        self.done: dict[int, LocalResult] = {}
        self.failed: dict[int, str] = {}
        self.counters = ReadCounters()
        self._seconds: dict[str, float] = {}

    def spend(self, kind: str, seconds: float) -> None:
        self._seconds[kind] = self._seconds.get(kind, 0.0) + seconds

    def add(self, part: int, result: LocalResult) -> None:
        """Take in what came of a part."""
        self.done[part] = result
        for kind, spent in result.seconds.items():
            self.spend(kind, spent)

    def report(
        self, block: int, partition: int, bytes_sent: int, carried: Mapping[str, bytes]
    ) -> TaskReport:
        """All of it."""
        segments: dict[int, dict[str, tuple[SegmentFile, ...]]] = {}
        observed: dict[str, Observed] = {}
        for part, each in self.done.items():
            segments[part] = {name: files for name, files in each.segments.items() if files}
            observed |= each.observed
        return TaskReport(
            block,
            partition,
            segments,
            observed,
            self._seconds,
            bytes_sent,
            self.failed,
            carried,
            self.counters,
        )


class _Arrived:
    """What came for a block, and what goes on to later ones."""

    def __init__(self, pieces: list[Piece], number: int, block: PreparedBlock, *, is_last: bool):
        told = (REPORT,) if is_last else (REPORT, FAILED)
        self.passing = [
            each
            for each in pieces
            if each.frame in told or (each.frame not in _TOLD and block_of(each.frame) > number)
        ]
        self._number = number
        self._block = block
        self._pieces: dict[str, list[Piece]] = {}
        for each in pieces:
            if each.frame not in _TOLD and block_of(each.frame) == number:
                self._pieces.setdefault(each.frame, []).append(each)
        self._readers = Counter(name for part in block.parts.values() for name in part.given)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """The rows of a frame; for its last reader nothing else holds them."""
        key = address(self._number, name)
        self._readers[name] -= 1
        found = self._pieces.get(key, []) if self._readers[name] else self._pieces.pop(key, [])
        schema = self._block.arriving[name]
        while found:
            if self._readers[name]:
                yield from (decode(each, schema) for each in found)
                return
            yield decode(found.pop(0), schema)
