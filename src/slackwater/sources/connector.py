"""The protocol of connectors: places outside in which the batches of a source appear.

A connector keeps nothing between calls. What a source has taken in is a position, which the home
keeps: the commit that takes a batch in adds what `confirm` says of it. A batch is therefore taken
in once, whenever the program is killed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.catalog.source_spec import SourceSpec

Position: TypeAlias = Mapping[str, str]
"""How far a source has read: names of what was taken in, each with what tells it again."""


class IncomingBatch(Protocol):
    """Rows that are taken in together."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the batch is made of, as its owner knows it: for a folder, the names of files."""
        ...


BatchT = TypeVar("BatchT", bound=IncomingBatch)


@dataclass(frozen=True, slots=True)
class Discovery(Generic[BatchT]):
    """What is new after a position, in the order in which it is to be taken in."""

    names: tuple[str, ...]
    batches: Callable[[], tuple[BatchT, ...]]
    """Makes the batches, for which a connector may have to look into what it has found."""


class Connector(Protocol[BatchT]):
    """Where the batches of a source appear, and how they are read."""

    @property
    def op(self) -> str | None:
        """What the rows are, as for `ingest`: `insert`, `delete`, `upsert` or by their columns."""
        ...

    def schema(self, spark: SparkSession) -> StructType | None:
        """The columns of what is there, for a source that declares none; None if nothing is."""
        ...

    def discover(self, after: Position) -> Discovery[BatchT]:
        """Find what is new; raises `DataError` where the place cannot be read or was altered."""
        ...

    def read(self, spark: SparkSession, spec: SourceSpec, batch: BatchT) -> DataFrame:
        """The rows of a batch, under the names and with the types that the source declares."""
        ...

    def confirm(self, batch: BatchT) -> Position:
        """What to add to the position in the commit of the batch.

        It is called when the rows are written, and refuses the batch by raising: what was read
        may have changed meanwhile.
        """
        ...

    def diagnose(
        self, spark: SparkSession, spec: SourceSpec, batch: BatchT, problem: Exception
    ) -> Exception:
        """The error that says what is wrong with a batch that could not be read or taken in."""
        ...
