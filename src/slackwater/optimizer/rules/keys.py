"""Keys of arrangements as SQL over stored columns."""

from __future__ import annotations

from slackwater.algebra.columns import Column
from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import ColumnRef, Expr
from slackwater.expr.sql import ExpressionPrinter
from slackwater.plan.arrangements import Arrangement, Role, hashable
from slackwater.state.storage_types import hashable_sql


def stored_text(rel: Rel, expr: Expr) -> str:
    """An expression over a relation's columns as SQL over k0, k1, ..."""
    places = {column.id: f"k{n}" for n, column in enumerate(rel.columns)}

    def name(column: ColumnRef) -> str:
        return places[column.id]

    return ExpressionPrinter(name).text(expr)


def key_texts(rel: Rel, exprs: tuple[Expr, ...]) -> tuple[str, ...]:
    """The hashable ones among key expressions, over stored columns."""
    texts = (hashable(expr.dtype, stored_text(rel, expr)) for expr in exprs)
    return tuple(text for text in texts if text is not None)


def contents(rel: Rel, key: tuple[str, ...]) -> Arrangement:
    """The arrangement of a relation's rows by a key."""
    types = tuple(column.dtype for column in rel.columns)
    return Arrangement(fingerprint(rel), Role.CONTENTS, types, key)


def whole_row(rel: Rel) -> Arrangement:
    """The arrangement of a relation's rows by all of their columns.

    Columns that are not hashed as they compare count too: nobody looks these rows up by values
    that are merely equal, and rows that differ must not all be in one place.
    """
    return contents(rel, tuple(_own_text(rel, column) for column in rel.columns))


def _own_text(rel: Rel, column: Column) -> str:
    text = stored_text(rel, column.ref())
    return hashable(column.dtype, text) or hashable_sql(column.dtype, text)
