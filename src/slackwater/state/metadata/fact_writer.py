"""Makes and ends facts: the rows with a lifetime that `schema.py` describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Table, insert, select, update

from slackwater.errors import CatalogError
from slackwater.state.metadata import schema

Item = TypeVar("Item")
Row = Mapping[str, Any]

# Databases limit the parameters of one statement, SQLite to 32,766.
_CHUNK: Final = 1_000


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writes facts as of one commit."""

    connection: Connection
    version: int

    def add(self, table: Table, rows: Sequence[Row]) -> None:
        """Make facts that begin with this commit."""
        self.insert(table, [{**row, "created": self.version} for row in rows])

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Insert plain rows."""
        if rows:
            self.connection.execute(insert(table), rows)

    def end(self, column: Column[Any], values: Sequence[Any]) -> None:
        """End the living rows that have one of these values; there may be none."""
        for chunk in chunks(values):
            self.end_where(column.table, column.in_(chunk))

    def end_where(self, table: Any, condition: ColumnElement[bool]) -> None:
        """End the living rows that meet a condition."""
        living = table.c.removed.is_(None)
        self.connection.execute(update(table).where(living, condition).values(removed=self.version))

    def require(self, column: Column[Any], values: Sequence[Any], what: str) -> None:
        """Refuse the commit unless each value has a living row."""
        missing = set(values) - self.living(column, values)
        if missing:
            raise CatalogError(f"there is no {what} {_listed(missing)}")

    def refuse(self, column: Column[Any], values: Sequence[Any], what: str) -> None:
        """Refuse the commit if a value has a living row, or is to get two."""
        twice = {value for value in values if values.count(value) > 1}
        taken = self.living(column, values) | twice
        if taken:
            raise CatalogError(f"there already is the {what} {_listed(taken)}")

    def living(self, column: Column[Any], values: Sequence[Any]) -> set[Any]:
        """Those of the values that have a living row."""
        return set(self.look_up(column, column, values))

    def look_up(
        self, column: Column[Any], wanted: Column[Any], values: Sequence[Any]
    ) -> dict[Any, Any]:
        """Find the `wanted` column of the living row for each value of `column`."""
        found: dict[Any, Any] = {}
        for chunk in chunks(sorted(set(values))):
            query = select(column.label("given"), wanted.label("wanted"))
            rows = self.connection.execute(
                query.where(column.in_(chunk), column.table.c.removed.is_(None))
            )
            found.update((given, value) for given, value in rows)
        return found

    def arrangement_numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """The row number of each living arrangement."""
        arrangements = schema.arrangements.c
        numbers = self.look_up(arrangements.id, arrangements.number, ids)
        missing = set(ids) - numbers.keys()
        if missing:
            raise CatalogError(f"there is no arrangement {_listed(missing)}")
        return numbers


def chunks(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The items in portions that fit in one statement."""
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]


def _listed(values: set[Any]) -> str:
    return ", ".join(repr(value) for value in sorted(values))
