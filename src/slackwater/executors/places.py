"""Where a run reads and writes, and the form in which values are stored there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from slackwater.expr.nodes import Expr
from slackwater.state.columns import arrow_columns
from slackwater.state.segments import SegmentFile
from slackwater.types import DataType
from slackwater.types.storage import storage_type


class StateFiles(Protocol):
    """Where a run finds what is stored."""

    def arrangement(self, arrangement_id: str) -> tuple[SegmentFile, ...]:
        """The files of an arrangement as of the last commit."""

    def pending(self, source: str) -> tuple[SegmentFile, ...]:
        """The files of the batches that the run takes in."""

    def contents(self, source: str) -> tuple[SegmentFile, ...]:
        """All files of a source as of this run."""

    def types(self, source: str) -> tuple[DataType, ...]:
        """The types of a source's columns."""

    def key(self, source: str) -> tuple[Expr, ...]:
        """The key by which rows of a source are hashed, over its stored columns."""


@dataclass(frozen=True, slots=True)
class Place:
    """The home, what is in it, and the name under which new files are written."""

    home: Path
    stem: str
    files: StateFiles

    def layout(self, types: tuple[DataType, ...]) -> pa.Schema:
        """The form in which rows of some types are stored."""
        return arrow_layout(types)


@lru_cache(maxsize=1024)
def arrow_layout(types: tuple[DataType, ...]) -> pa.Schema:
    """The columns k0, k1, ... of rows of these types in Arrow, as segments hold them."""
    return arrow_columns(map(storage_type, types))
