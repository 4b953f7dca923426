"""The memory that the processes of a Spark session on this machine hold."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.spark.java_process import JavaProcess

_PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes by process; 0 where the operating system does not tell."""

    driver: int
    heap: int
    """In use after a collection of garbage."""
    java: int
    workers: int
    """Python workers, all together."""


def read_memory(spark: SparkSession) -> Memory:
    """Collect Java's garbage and look."""
    java = JavaProcess(spark)
    java.collect_garbage()
    return Memory(
        driver=resident(os.getpid()),
        heap=java.used_heap,
        java=resident(java.number),
        workers=sum(resident(child) for child in descendants(java.number)),
    )


def release_heap(spark: SparkSession) -> None:
    """Have Java collect its garbage, so that what it frees is there for the page cache."""
    JavaProcess(spark).collect_garbage()


def resident(process: int) -> int:
    """The resident memory of a process."""
    try:
        pages = (_PROCESSES / str(process) / "statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def anonymous(process: int) -> int:
    """The resident memory of a process that is no page of a file."""
    return _kilobytes(_PROCESSES / str(process) / "status", "RssAnon") << 10


def available() -> int:
    """The memory that the machine could give to new processes without swapping."""
    return _kilobytes(_PROCESSES / "meminfo", "MemAvailable") << 10


def _kilobytes(file: Path, name: str) -> int:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def descendants(process: int) -> list[int]:
    """The children of a process, and theirs."""
    parents = {number: _parent(number) for number in _all_processes()}
    found, waiting = [], [process]
    while waiting:
        parent = waiting.pop()
        children = [number for number, owner in parents.items() if owner == parent]
        found += children
        waiting += children
    return found


def _all_processes() -> list[int]:
    if not _PROCESSES.is_dir():
        return []
    return [int(path.name) for path in _PROCESSES.iterdir() if path.name.isdecimal()]


def _parent(process: int) -> int | None:
    try:
        text = (_PROCESSES / str(process) / "stat").read_text()
    except OSError:
        return None
    # The name in brackets may itself hold brackets and blanks.
    return int(text.rpartition(")")[2].split()[1])
