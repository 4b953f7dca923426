"""Rows that were in no state, and expressions that might fail on them.

Where both sides of a join change in one run, the terms of its change hold pairs of an old row
with a new one. They cancel out, but an expression computed before they do could raise an error
about a row that never was. Such an expression must wait until the changes are added up.
So it is where a change of the left side meets the changed right side of an outer or semi join.
"""

from __future__ import annotations

from typing import Protocol

from slackwater.algebra.operators import (
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Scan,
    Sort,
    Union,
)
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import (
    AggregateCall,
    Call,
    Cast,
    CastMode,
    ColumnRef,
    Expr,
    FieldAccess,
    Literal,
)
from slackwater.types import DecimalType, always_fits, is_floating

_COMPARISONS = ("=", "<", "<=", ">", ">=", "<=>", "not", "and", "or", "in", "isnull", "isnotnull")
_CHOICES = ("coalesce", "if", "case", "greatest", "least", "nanvl", "isnan")
_TEXTS = (
    "like",
    "contains",
    "startswith",
    "endswith",
    "upper",
    "lower",
    "trim",
    "substring",
    "length",
    "concat",
)
_DATES = ("year", "quarter", "month", "day", "dayofweek", "hour", "minute", "second", "datediff")
_TRIED = ("try_add", "try_subtract", "try_multiply", "try_divide")
_NEVER_RAISE = frozenset((*_COMPARISONS, *_CHOICES, *_TEXTS, *_DATES, *_TRIED, "named_struct"))
_LINEAR = frozenset(("+", "-", "*", "negative", "positive", "abs"))
_ROWWISE = (Filter, Project, Expand, Generate, Sort, Union)
_BY_LEFT_ROW = (
    JoinKind.LEFT,
    JoinKind.SEMI,
    JoinKind.ANTI,
    JoinKind.NULL_AWARE_ANTI,
    JoinKind.MARK,
    JoinKind.SINGLE,
)


def may_raise(expr: Expr) -> bool:
    """Whether computing an expression can fail for some row; yes if not known otherwise."""
    match expr:
        case Literal() | ColumnRef():
            return False
        case FieldAccess(child=child):
            return may_raise(child)
        case Cast(child=child, target=target, mode=mode):
            fits = mode is CastMode.TRY or always_fits(child.dtype, target)
            return not fits or may_raise(child)
        case Call(function="like", args=(_, pattern, *_)) if not isinstance(pattern, Literal):
            # A pattern may end in the middle of an escape.
            return True
        case Call(function=function, args=args):
            never = function in _NEVER_RAISE or (function in _LINEAR and _has_room(expr))
            return not never or any(map(may_raise, args))
        case AggregateCall(args=args, where=where):
            return any(map(may_raise, (*args, *(() if where is None else (where,)))))
        case _:
            return True


def _has_room(expr: Expr) -> bool:
    """Whether sums and products of the type cannot overflow: Spark has given them the digits."""
    dtype = expr.dtype
    return is_floating(dtype) or (isinstance(dtype, DecimalType) and dtype.precision < 38)


class Changing(Protocol):
    """What is known of the changes in a run."""

    def touched(self, rel: Rel) -> bool:
        """Whether a source below the relation has changes."""

    def behind(self, scan: Scan) -> Rel | None:
        """The relation whose changes, as its rules find them, a scan reads; None if none is."""


def holds_phantoms(rel: Rel, run: Changing) -> bool:
    """Whether the changes of a relation may hold rows that were in no state."""
    if not run.touched(rel):
        return False
    if isinstance(rel, Scan):
        view = run.behind(rel)
        return view is not None and holds_phantoms(view, run)
    if isinstance(rel, Join):
        return _join_holds_phantoms(rel, run)
    return isinstance(rel, _ROWWISE) and any(holds_phantoms(each, run) for each in rel.inputs)


def _join_holds_phantoms(rel: Join, run: Changing) -> bool:
    """Rows of one side's change are joined as they come; a FULL join is redone from real rows.

    What is looked up by key may hold rows that are gone: their coming and their going are added
    up only where files are merged.
    """
    left, right = (run.touched(each) for each in rel.inputs)
    if rel.kind in (JoinKind.INNER, JoinKind.CROSS):
        both = left and right
        return both or bool(rel.keys) or holds_phantoms(rel.left if left else rel.right, run)
    if rel.kind in _BY_LEFT_ROW:
        return left and (right or holds_phantoms(rel.left, run))
    return rel.kind is JoinKind.RIGHT and not left and holds_phantoms(rel.right, run)
