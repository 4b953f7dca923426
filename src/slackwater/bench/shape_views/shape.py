"""One everyday view, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shape:
    """A query whose answer is determined: windows have total orders, and nothing is left to ties.

    `below` are views that it reads, by name. `duckdb` is the same query in DuckDB's words, where
    the text itself is not that already; with an empty text DuckDB is left out.
    """

    name: str
    title: str
    sql: str
    below: Mapping[str, str] = field(default_factory=dict)
    duckdb: str | None = None

    @property
    def duckdb_sql(self) -> str:
        """The text for DuckDB; empty if it has none."""
        return self.sql if self.duckdb is None else self.duckdb
