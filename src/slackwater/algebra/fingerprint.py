"""Recognises equal work: plans that differ only in column ids and names have one fingerprint."""

from __future__ import annotations

import hashlib

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.columns import Column
from slackwater.algebra.invariants import defined_columns
from slackwater.algebra.operators import Values
from slackwater.algebra.plan_printer import PlanPrinter
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import ColumnRef, Expr


@remembered
def fingerprint(rel: Rel) -> str:
    """A digest that two plans share exactly if they compute the same thing in the same way."""
    return hashlib.sha256(canonical_text(rel).encode()).hexdigest()


def canonical_text(rel: Rel) -> str:
    """The plan as text in which columns are numbered by the order of their definition."""
    return _CanonicalPrinter(rel).tree(rel)


class _CanonicalPrinter(PlanPrinter):
    """Leaves out every name but those of sources and their columns."""

    def __init__(self, rel: Rel):
        super().__init__()
        self._numbers = {column.id: n for n, column in enumerate(defined_columns(rel))}

    def name(self, column: Column | ColumnRef) -> str:
        return f"${self._numbers[column.id]}"

    def source_name(self, column: Column) -> str:
        return f"{column.name!r} {self.name(column)}"

    def shown_rows(self, rel: Values) -> tuple[tuple[Expr, ...], ...]:
        return rel.rows
