"""The process that a session's Java is, for those who measure it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class JavaProcess:
    """The Java of a session: its process, and its heap."""

    session: SparkSession

    @property
    def number(self) -> int:
        """The number by which the operating system knows it."""
        return int(self._jvm.java.lang.ProcessHandle.current().pid())

    @property
    def most_heap(self) -> int:
        """The bytes that its heap may have."""
        return int(self._runtime.maxMemory())

    @property
    def used_heap(self) -> int:
        """The bytes of its heap that are in use, garbage included."""
        runtime = self._runtime
        return int(runtime.totalMemory()) - int(runtime.freeMemory())

    def collect_garbage(self) -> None:
        """Have it collect its garbage, now."""
        self._jvm.java.lang.System.gc()

    @property
    def _jvm(self) -> Any:
        return self.session.sparkContext._jvm

    @property
    def _runtime(self) -> Any:
        return self._jvm.java.lang.Runtime.getRuntime()
