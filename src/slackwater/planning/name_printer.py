"""Prints operators under the names of the query's own columns."""

from __future__ import annotations

from slackwater.algebra.columns import Column
from slackwater.algebra.invariants import defined_columns
from slackwater.algebra.operators import Scan
from slackwater.algebra.plan_printer import PlanPrinter
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import ColumnId, ColumnRef


class NamePrinter(PlanPrinter):
    """Writes columns by their names alone; other columns of the same name get a number."""

    def __init__(self, *rels: Rel):
        """Number the columns of some plans in the order of their definition."""
        super().__init__()
        self._written: dict[ColumnId, str] = {}
        seen: dict[str, int] = {}
        for column in (column for rel in rels for column in defined_columns(rel)):
            if column.id not in self._written:
                seen[column.name] = seen.get(column.name, 0) + 1
                again = seen[column.name]
                self._written[column.id] = column.name if again == 1 else f"{column.name}_{again}"

    def name(self, column: Column | ColumnRef) -> str:
        """The name of a column."""
        return self._written.get(column.id, column.name)

    def describe(self, rel: Rel) -> str:
        """One operator on one line; of a source its name says enough."""
        return f"Scan {rel.source}" if isinstance(rel, Scan) else super().describe(rel)
