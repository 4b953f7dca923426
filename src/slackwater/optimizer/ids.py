"""New columns for plans that are rewritten."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.columns import Column, Output
from slackwater.expr.nodes import ColumnId, Expr


@dataclass(slots=True)
class Ids:
    """Hands out column ids that the plan does not use."""

    last: int

    def column(self, name: str, expr: Expr) -> Column:
        """A column for the value of an expression."""
        self.last += 1
        return Column(ColumnId(self.last), name, expr.dtype, expr.nullable)


def under_own_ids(keys: tuple[Output, ...], ids: Ids) -> tuple[Output, ...]:
    """The same keys as columns of their own."""
    return tuple(Output(ids.column(key.column.name, key.expr), key.expr) for key in keys)
