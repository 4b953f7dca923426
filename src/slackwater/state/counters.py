"""Counts what is read of stored rows and how long that takes, here or in workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import pyarrow as pa

Item = TypeVar("Item")


@dataclass(slots=True)
class ReadCounters:
    """Rows and bytes that were read, and nanoseconds that were worked.

    A row counts as it is stored, before equal ones are added up, and each time it is read. Its
    bytes are those of the columns that are read, in Arrow's form as the files hold it.
    """

    rows: int = 0
    bytes: int = 0
    cpu: int = 0
    """Processor time of the worker's thread, with that of its reading and writing."""
    reading: int = 0
    """Nanoseconds until rows were found and copied. Rows used in place are read from disk later."""
    writing: int = 0
    """Nanoseconds until rows were in files, and the files on disk."""
    files_cpu: int = 0
    """Processor time of reading and writing."""
    steps: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rows that came in and went out, by the step that was worked on."""

    def add(self, other: ReadCounters, /) -> None:
        """Count what another one has counted."""
        self.rows += other.rows
        self.bytes += other.bytes
        self.cpu += other.cpu
        self.reading += other.reading
        self.writing += other.writing
        self.files_cpu += other.files_cpu
        for step, (rows_in, rows_out) in other.steps.items():
            known = self.steps.get(step, (0, 0))
            self.steps[step] = known[0] + rows_in, known[1] + rows_out

    def count(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Count rows of a file, and hand them on."""
        self.rows += rows.num_rows
        self.bytes += rows.nbytes
        return rows

    def read(self, items: Iterator[Item]) -> Iterator[Item]:
        """The same items; the time each takes to come is that of reading."""
        while True:
            with self.while_reading():
                found = next(items, None)
            if found is None:
                return
            yield found

    @contextmanager
    def while_reading(self) -> Iterator[None]:
        """Count the time of the block as that of reading."""
        started, cpu = time.perf_counter_ns(), time.thread_time_ns()
        try:
            yield
        finally:
            self.reading += time.perf_counter_ns() - started
            self.files_cpu += time.thread_time_ns() - cpu

    @contextmanager
    def while_writing(self) -> Iterator[None]:
        """Count the time of the block as that of writing."""
        started, cpu = time.perf_counter_ns(), time.thread_time_ns()
        try:
            yield
        finally:
            self.writing += time.perf_counter_ns() - started
            self.files_cpu += time.thread_time_ns() - cpu


class Ledger(Protocol):
    """A place where counters are added up: other counters, or an accumulator of Spark's."""

    def add(self, term: ReadCounters, /) -> None:
        """Add the counters of some work."""


@dataclass(frozen=True, slots=True)
class StepLedger:
    """A ledger that also counts the rows of one step."""

    ledger: Ledger
    step: str

    def add(self, term: ReadCounters, /) -> None:
        """Add the counters of some work."""
        self.ledger.add(term)
