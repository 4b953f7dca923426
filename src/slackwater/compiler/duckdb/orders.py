"""Values that both engines order and equate alike, and orders by them."""

from __future__ import annotations

from slackwater.compiler.duckdb.float_keys import as_key
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.types import is_exact, is_simple
from slackwater.expr.nodes import Expr, SortKey


def comparable(value: Expr, scope: Scope) -> str:
    """A value, if both engines order and equate values of its type alike."""
    if not is_simple(value.dtype):
        raise refused(value, "comparing a value")
    return scope.text(value)


def countable(value: Expr, scope: Scope) -> str:
    """A value, if engines also agree which of equal values to show: not so for zeros of doubles."""
    if not is_exact(value.dtype):
        raise refused(value, "telling a value from others")
    return scope.text(value)


def key_text(value: Expr, scope: Scope) -> str:
    """A value to partition or sort by."""
    return as_key(comparable(value, scope), value.dtype)


def write_order(keys: tuple[SortKey, ...], scope: Scope) -> str:
    """The keys of ORDER BY."""
    return ", ".join(sorted_by(key_text(key.expr, scope), key) for key in keys)


def sorted_by(text: str, key: SortKey) -> str:
    """A value as a key of ORDER BY, in the direction of a key.

    >>> from slackwater.expr.nodes import Literal
    >>> from slackwater.types import BIGINT
    >>> sorted_by("k0", SortKey(Literal("1", BIGINT), ascending=False, nulls_first=False))
    'k0 DESC NULLS LAST'
    """
    direction = "ASC" if key.ascending else "DESC"
    return f"{text} {direction} NULLS {'FIRST' if key.nulls_first else 'LAST'}"
