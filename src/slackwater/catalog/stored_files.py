"""The files of state and sources at one commit, and what views have not read of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.catalog.catalog import Catalog
from slackwater.expr.nodes import Expr
from slackwater.state.segments import SegmentFile
from slackwater.types import DataType


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """The files that a run reads: state as of the last commit, sources as of now."""

    catalog: Catalog

    def arrangement(self, arrangement_id: str) -> tuple[SegmentFile, ...]:
        """The files of an arrangement."""
        return self.catalog.files(arrangement_id)

    def pending(self, source: str) -> tuple[SegmentFile, ...]:
        """The files of the batches that views have not read."""
        read = self.catalog.logs.last_cursor(source)
        segments = self.catalog.segments(self.catalog.contents(source))
        return tuple(each.file for each in segments if (each.offset or 0) > read)

    def contents(self, source: str) -> tuple[SegmentFile, ...]:
        """All files of a source."""
        return self.catalog.files(self.catalog.contents(source))

    def types(self, source: str) -> tuple[DataType, ...]:
        """The types of a source's columns."""
        return self.catalog.source(source).types

    def key(self, source: str) -> tuple[Expr, ...]:
        """The key by which rows of a source are hashed, over its stored columns."""
        return self.catalog.source(source).arrangement.key


@dataclass(frozen=True, slots=True)
class Pending:
    """The number of rows that sources hold, and of those that views have not read."""

    rows: Mapping[str, int]
    changed: Mapping[str, int]

    @staticmethod
    def of(catalog: Catalog) -> Pending:
        """All sources of a catalog."""
        files, names = StoredFiles(catalog), catalog.state.sources
        return Pending(
            {name: sum(file.rows for file in files.contents(name)) for name in names},
            {name: sum(file.rows for file in files.pending(name)) for name in names},
        )

    def over(self, names: frozenset[str]) -> tuple[int, int]:
        """Rows and changed rows of some sources."""
        return (
            sum(self.rows.get(name, 0) for name in names),
            sum(self.changed.get(name, 0) for name in names),
        )
