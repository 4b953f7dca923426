"""Columns of relations: an id that never changes, and what the column holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.expr.nodes import ColumnId, ColumnRef, Expr
from slackwater.types import DataType


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a relation; the id is unique in a plan, the name need not be."""

    id: ColumnId
    name: str
    dtype: DataType
    nullable: bool = True

    def ref(self) -> ColumnRef:
        """An expression that reads this column."""
        return ColumnRef(self.id, self.name, self.dtype, self.nullable)

    def as_nullable(self) -> Column:
        """The column where an outer join may leave it empty."""
        return self if self.nullable else replace(self, nullable=True)

    def as_required(self) -> Column:
        """The column where a condition has removed its NULLs."""
        return replace(self, nullable=False) if self.nullable else self


@dataclass(frozen=True, slots=True)
class Output:
    """A column defined by an expression; a reference to itself passes a column through."""

    column: Column
    expr: Expr

    @property
    def passes_through(self) -> bool:
        """Tell if this only hands on a column of the input."""
        return isinstance(self.expr, ColumnRef) and self.expr.id == self.column.id


def pass_through(column: Column) -> Output:
    """An output that hands on a column of the input."""
    return Output(column, column.ref())
