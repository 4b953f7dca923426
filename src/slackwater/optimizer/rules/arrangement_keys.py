"""Keys of arrangements: expressions over stored columns."""

from __future__ import annotations

from slackwater.algebra.columns import Column
from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.rel import Rel
from slackwater.expr.build import replaced
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr
from slackwater.plan.arrangements import Arrangement, Role, hashable, stored_column
from slackwater.types.storage import hash_form_differs


def over_stored(rel: Rel, expr: Expr) -> Expr:
    """An expression over a relation's columns as one over the columns of its stored rows."""
    places = {
        column.id: stored_column(n, column.dtype, nullable=column.nullable)
        for n, column in enumerate(rel.columns)
    }
    return replaced(expr, places)


def hashed_keys(rel: Rel, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The hashable ones among key expressions, over stored columns."""
    found = (hashable(over_stored(rel, expr)) for expr in exprs)
    return tuple(key for key in found if key is not None)


def contents(rel: Rel, key: tuple[Expr, ...]) -> Arrangement:
    """The arrangement of a relation's rows by a key."""
    types = tuple(column.dtype for column in rel.columns)
    return Arrangement(fingerprint(rel), Role.CONTENTS, types, key)


def whole_row(rel: Rel) -> Arrangement:
    """The arrangement of a relation's rows by all of their columns.

    Columns that Spark hashes otherwise than it compares count too: these rows are only found by
    identical values, and rows that differ must spread over the hashes.
    """
    return contents(rel, tuple(_own_key(rel, column) for column in rel.columns))


def _own_key(rel: Rel, column: Column) -> Expr:
    value = over_stored(rel, column.ref())
    hashed = hashable(value)
    if hashed is not None:
        return hashed
    return call("hash_form", value) if hash_form_differs(column.dtype) else value
