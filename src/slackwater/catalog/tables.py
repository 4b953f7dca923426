"""Definitions of the tables that queries read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from slackwater.errors import CatalogError
from slackwater.types import StructType


@dataclass(frozen=True, slots=True)
class Statistics:
    """The size of a table, as far as it is known."""

    rows: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """A table's name, columns and size; `spark_schema` is the same columns in Spark's JSON form."""

    name: str
    schema: StructType
    spark_schema: str
    statistics: Statistics = Statistics()

    def __post_init__(self) -> None:
        """Column names must differ, as Spark tells them apart: without regard to case."""
        counts = Counter(field.name.lower() for field in self.schema.fields)
        repeated = sorted(name for name, times in counts.items() if times > 1)
        if repeated:
            raise CatalogError(
                f"table {self.name} has several columns named {', '.join(repeated)}",
                hint="Rename all but one of them; Spark does not tell upper from lower case.",
            )
