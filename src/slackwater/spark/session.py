"""Starts, shares and stops the Spark session; nothing else in Slackwater makes one.

A session the user brings is used as it is: no property is set on it and it is never stopped.
A session of our own is tuned for many small runs on one machine, keeps quiet on the terminal
and leaves nothing in the working directory.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from slackwater.config import SparkSettings, load_settings
from slackwater.errors import SetupError
from slackwater.spark.java import find_java, launcher_folders, launcher_home

_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")

# PySpark prints every failed query as one long line of JSON through these two, beside raising it.
_CHATTY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class SparkHandle:
    """A Spark session together with the duty to stop it, where it is ours.

    As a context manager it yields the session and stops it at the end of the block.
    """

    def __init__(self, spark: SparkSession, *, owned: bool):
        """Hold `spark`; `owned` says that `stop` gives up a share of our own session."""
        self.spark = spark
        self.owned = owned
        self._released = not owned

    def stop(self) -> None:
        """Give the session up; it ends with its last user. A user's own session runs on."""
        if not self._released:
            self._released = True
            _OWN.release(self.spark)

    def __enter__(self) -> SparkSession:
        """The session itself, for use in the block."""
        return self.spark

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, whatever happened in the block."""
        self.stop()


def open_spark(
    settings: SparkSettings | None = None, spark: SparkSession | None = None
) -> SparkHandle:
    """A session to work with: the user's `spark`, the one already running here, or a new one.

    Spark allows one context in a process. A session that somebody else started is therefore
    borrowed even if it was not passed in, and our own is shared by all who open it; `settings`
    matter only to the call that starts it.
    """
    if spark is not None:
        return SparkHandle(spark, owned=False)
    configured = load_settings()
    return _OWN.acquire(settings or configured.spark, configured.cache_dir)


def spark_properties(settings: SparkSettings, scratch: Path) -> dict[str, str]:
    """The properties a session of ours starts with; the user's own `settings.conf` wins.

    Runs are small and many: adaptive execution would double their cost, and a shuffle into
    more partitions than there are cores only adds tasks. Tables and the metastore go to
    `scratch`, so that none appear where the user happens to stand.
    """
    java_options = (
        f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}",
        f'"-Dderby.system.home={scratch / "metastore"}"',
    )
    properties = {
        "spark.app.name": "slackwater",
        "spark.master": settings.master,
        "spark.driver.memory": settings.driver_memory,
        "spark.driver.defaultJavaOptions": " ".join(java_options),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # Over TCP every exchange with a Python worker waits 40 ms for a delayed acknowledgement.
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.daemon.module": "slackwater.executors.spark.worker_daemon",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
    }
    cores = local_cores(settings.master)
    if cores is not None:
        # A laptop's name and address change under a running session; the loopback stays.
        properties["spark.driver.host"] = properties["spark.driver.bindAddress"] = "127.0.0.1"
        properties["spark.sql.shuffle.partitions"] = str(max(2, cores))
    if settings.shuffle_partitions is not None:
        properties["spark.sql.shuffle.partitions"] = str(settings.shuffle_partitions)
    return properties | dict(settings.conf)


def local_cores(master: str) -> int | None:
    """The number of cores that a local master uses; None for a cluster.

    >>> local_cores("local"), local_cores("local[3]"), local_cores("spark://host:7077")
    (1, 3, None)
    """
    match = re.fullmatch(r"local(?:\[\s*(\d+|\*)\s*(?:,.*)?\])?", master)
    if match is None:
        return None
    if match[1] == "*":
        return _available_cores()
    return int(match[1] or 1)


class _OwnSpark:
    """The one session Slackwater may have started in this process, and how many share it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users = 0
        self._spark: SparkSession | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def acquire(self, settings: SparkSettings, cache_dir: Path) -> SparkHandle:
        """Share the running session, or start it; borrow one that others started."""
        with self._lock:
            running = SparkContext._active_spark_context
            if self._spark is not None and running is not self._spark.sparkContext:
                self._close()
            if running is not None and self._spark is None:
                current = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
                return SparkHandle(current, owned=False)
            if self._spark is None:
                self._spark = self._start(settings, cache_dir)
            self._users += 1
            return SparkHandle(self._spark, owned=True)

    def release(self, spark: SparkSession) -> None:
        """One user of `spark` less; the last one ends it."""
        with self._lock:
            if spark is not self._spark:
                return
            self._users -= 1
            if self._users <= 0:
                self._close()

    def _start(self, settings: SparkSettings, cache_dir: Path) -> SparkSession:
        java_home = launcher_home(find_java(), launcher_folders(cache_dir))
        self._scratch = tempfile.TemporaryDirectory(
            prefix="slackwater-", ignore_cleanup_errors=True
        )
        properties = spark_properties(settings, Path(self._scratch.name))
        atexit.register(self._close)
        try:
            with _environment(_launch_variables(java_home, settings)):
                spark = SparkSession.builder.config(map={**properties}).getOrCreate()
        except (PySparkException, Py4JError) as problem:
            self._close()
            raise _start_failure(settings, problem) from problem
        _set_chatty_loggers(disabled=True)
        return spark

    def _close(self) -> None:
        atexit.unregister(self._close)
        spark, self._spark = self._spark, None
        scratch, self._scratch = self._scratch, None
        self._users = 0
        if spark is not None:
            # A JVM that has died has nothing left to stop, and must not hide why it died.
            with suppress(ConnectionError, Py4JError):
                spark.stop()
            _set_chatty_loggers(disabled=False)
        if scratch is not None:
            scratch.cleanup()


_OWN = _OwnSpark()


def _launch_variables(java_home: Path, settings: SparkSettings) -> dict[str, str]:
    """The environment that Spark's launcher reads.

    Workers must run the Python that has Slackwater installed: on this machine that is ours; on
    a cluster it may live elsewhere, and then the user's `PYSPARK_PYTHON` says where.
    """
    worker = sys.executable
    if local_cores(settings.master) is None:
        worker = os.environ.get("PYSPARK_PYTHON", worker)
    return {
        "JAVA_HOME": str(java_home),
        "PYSPARK_PYTHON": worker,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the length of a block; Spark's launcher takes them only there."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _set_chatty_loggers(*, disabled: bool) -> None:
    for name in _CHATTY_LOGGERS:
        logger: logging.Logger = PySparkLogger.getLogger(name)
        logger.disabled = disabled


def _start_failure(settings: SparkSettings, problem: Exception) -> SetupError:
    told = problem.java_exception if isinstance(problem, Py4JJavaError) else problem
    reason = str(told).strip().splitlines()[0]
    return SetupError(
        f"Spark did not start: {reason}",
        where=f"master {settings.master}, driver memory {settings.driver_memory}",
        hint="Check SLACKWATER_SPARK_MASTER, SLACKWATER_SPARK_DRIVER_MEMORY and "
        "SLACKWATER_SPARK_CONF; what Java printed is above.",
    )
