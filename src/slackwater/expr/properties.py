"""Properties of an expression that hold without running it; rewrites rest on these alone."""

from __future__ import annotations

from slackwater.expr.functions import FUNCTIONS, Nulls
from slackwater.expr.nodes import (
    AggregateCall,
    Call,
    Cast,
    CastMode,
    ColumnId,
    ColumnRef,
    Expr,
    FieldAccess,
    LambdaVariable,
    Literal,
    walk,
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
_LIMBS = (
    *("near_value", "near_product", "near_product_error", "near_digit"),
    *("far_value", "far_product", "far_product_error", "add_limbs", "limbs_value", "comoment"),
    "bits_of",
    "bucket_of",
)
_HASHES = ("xxhash64", "&", "|", "shiftleft", "shiftright", "bin", "registers_estimate")
_NEVER_RAISE = frozenset(
    (*_COMPARISONS, *_CHOICES, *_TEXTS, *_DATES, *_TRIED, *_LIMBS, *_HASHES, "named_struct")
)
_LINEAR = frozenset(("+", "-", "*", "negative", "positive", "abs"))


def referenced_columns(expr: Expr) -> frozenset[ColumnId]:
    """The columns an expression reads."""
    return frozenset(node.id for node in walk(expr) if isinstance(node, ColumnRef))


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The parts of a predicate that must all hold."""
    if isinstance(expr, Call) and expr.function == "and":
        return tuple(part for arg in expr.args for part in conjuncts(arg))
    return (expr,)


def is_strict_in(expr: Expr, column: ColumnId) -> bool:
    """Tell if the value is NULL whenever the column is."""
    match expr:
        case ColumnRef(id=found):
            return found == column
        case Cast(child=child) | FieldAccess(child=child):
            return is_strict_in(child, column)
        case Call(function=function, args=args) if FUNCTIONS[function].nulls in (
            Nulls.STRICT,
            Nulls.PARTIAL,
        ):
            return any(is_strict_in(arg, column) for arg in args)
        case _:
            return False


def rejects_null(predicate: Expr, column: ColumnId) -> bool:
    """Tell if no row with NULL in the column can satisfy the predicate."""
    match predicate:
        case Call(function="and", args=args):
            return any(rejects_null(arg, column) for arg in args)
        case Call(function="or", args=args):
            return all(rejects_null(arg, column) for arg in args)
        case Call(function="isnotnull", args=(arg,)):
            return is_strict_in(arg, column)
        case Call(function="in", args=(value, *_)):
            return is_strict_in(value, column)
        case Call(function="not", args=(Call(function="isnull", args=(arg,)),)):
            return is_strict_in(arg, column)
        case Call(function="<=>", args=(left, right)):
            return any(
                is_strict_in(side, column) and not other.nullable
                for side, other in ((left, right), (right, left))
            )
        case _:
            return is_strict_in(predicate, column)


def may_raise(expr: Expr) -> bool:
    """Tell if computing an expression can fail for some row; yes if not known otherwise."""
    match expr:
        case Literal() | ColumnRef() | LambdaVariable():
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
    """Tell if sums and products of the type cannot overflow: Spark has given them the digits."""
    dtype = expr.dtype
    return is_floating(dtype) or (isinstance(dtype, DecimalType) and dtype.precision < 38)
