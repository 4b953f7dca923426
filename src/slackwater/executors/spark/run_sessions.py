"""The sessions in which runs of Spark work: clones of the user's that differ in how they run."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import SparkSession

from slackwater.executors.collated import compiling
from slackwater.frontend.sql.sessions import clone_session, exclude_rules
from slackwater.spark.printed import expect_printed
from slackwater.spark.session import local_cores
from slackwater.state.columns import MAX_BATCH_ROWS

_RUN_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    # Frames of state have no statistics that Spark could know, and it takes them for tiny.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # Filters are in the plan already; Spark 4.2 also fails to carry constraints through a UNION
    # above a filter on EXISTS.
    "spark.sql.constraintPropagation.enabled": "false",
    # Each batch of rows to or from a Python worker has a price. One may hold rows of 16 MB.
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(MAX_BATCH_ROWS),
    "spark.sql.execution.arrow.maxBytesPerBatch": str(64 * 1024 * 1024),
}
_SMALL_RUN_SETTINGS = {
    # Compiling a statement to Java takes longer than a few thousand rows take without it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_IN_MEMORY_SETTINGS = {
    # Spark takes tables in memory for the same if their values are equal, and would read the rows
    # of one for those of the other: -0.0 would become 0.0.
    "spark.sql.exchange.reuse": "false",
}
_SMALL_RUN_ROWS = 20_000


class RunSessions:
    """Sessions for large and small runs; what decides the meaning of SQL is as the user has it."""

    def __init__(self, user: SparkSession):
        """Clone the user's session; nothing of it is changed."""
        self.user = user
        self.large = clone_session(user)
        exclude_rules(self.large, ("InferFiltersFromConstraints",))
        _configure(self.large, _RUN_SETTINGS)
        expect_printed(self.large)
        self._small = clone_session(self.large)
        _configure(self._small, _SMALL_RUN_SETTINGS)
        self._small_compiling = compiling(self._small)
        self.in_memory = clone_session(self._small)
        """For single statements over tables that the driver hands over."""
        _configure(self.in_memory, _IN_MEMORY_SETTINGS)

    @property
    def all(self) -> tuple[SparkSession, ...]:
        """Those in which whole runs work."""
        return (self.large, self._small, self._small_compiling)

    def session_for(self, rows: int | None, *, collated: bool) -> SparkSession:
        """The session for work on so many rows; None if nobody knows.

        `collated` says that they may hold texts with a collation.
        """
        if rows is None or rows > _SMALL_RUN_ROWS:
            return self.large
        return self._small_compiling if collated else self._small


def has_executors(session: SparkSession) -> bool:
    """Whether work is done by more processes than this one's Java."""
    return local_cores(session.sparkContext.master or "local") is None


def _configure(session: SparkSession, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        session.conf.set(key, value)
