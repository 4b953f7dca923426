"""Frames: the named tables of a program, and how statements read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import ColumnId, Expr
from slackwater.types import BIGINT, DataType, Field

WEIGHT = "_w"
"""The number of times a row was added, or taken away if negative."""
HASH = "_h"
"""The hash of a row's key."""
STORED_WEIGHT = "_sw"
"""The weight of a stored row that a look-up found."""
MATCHES = "_matches"
"""All stored rows that a nested look-up found for a row."""
OLD, NEW = "_old", "_new"
"""Weights of gathered rows before the run and after it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A table that a step of a program makes."""

    name: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        """The column of that name."""
        return next(each for each in self.fields if each.name == name)


class Fresh:
    """Hands out columns with ids that some relations do not use.

    >>> from slackwater.types import INTEGER
    >>> scan = Scan("t", (Column(ColumnId(4), "a", INTEGER),))
    >>> Fresh(scan).column("b", INTEGER).id
    5
    """

    def __init__(self, *rels: Rel):
        """Begin after the largest id of the relations and of their inputs."""
        known = [each for rel in rels for each in (rel, *rel.inputs)]
        used = (column.id for each in known for column in each.columns)
        self._last = max(used, default=0)

    def column(self, name: str, dtype: DataType = BIGINT, *, nullable: bool = True) -> Column:
        """Another column."""
        self._last += 1
        return Column(ColumnId(self._last), name, dtype, nullable)

    def weight(self, name: str = WEIGHT) -> Column:
        """A column for a weight."""
        return self.column(name, nullable=False)

    def scan(self, frame: Frame, names: Iterable[str] | None = None) -> Scan:
        """A frame, or the named ones of its columns, under new ids."""
        fields = frame.fields if names is None else [frame.field(name) for name in names]
        return Scan(
            frame.name,
            tuple(self.column(each.name, each.dtype, nullable=each.nullable) for each in fields),
        )

    def renumbered(self, rel: Rel) -> Project:
        """A relation under new ids."""
        return Project(
            rel,
            tuple(
                Output(self.column(each.name, each.dtype, nullable=each.nullable), each.ref())
                for each in rel.columns
            ),
        )

    def outputs(self, exprs: Iterable[Expr]) -> tuple[Output, ...]:
        """Columns for expressions."""
        return tuple(
            Output(self.column("value", expr.dtype, nullable=expr.nullable), expr) for expr in exprs
        )


def positions(rel: Rel) -> tuple[str, ...]:
    """The names of a relation's columns in a frame."""
    return tuple(f"k{position}" for position in range(len(rel.columns)))


def read_rows(rel: Rel, frame: Frame, *others: Column, prefix: str = "k") -> Scan:
    """A frame with the rows of a relation, under the relation's own columns, and other columns."""
    own = (
        Column(column.id, f"{prefix}{n}", column.dtype, column.nullable)
        for n, column in enumerate(rel.columns)
    )
    return Scan(frame.name, (*own, *others))


def relation_fields(rel: Rel) -> tuple[Field, ...]:
    """The columns of a relation as those of a frame."""
    pairs = zip(positions(rel), rel.columns, strict=True)
    return tuple(Field(name, column.dtype, column.nullable) for name, column in pairs)
