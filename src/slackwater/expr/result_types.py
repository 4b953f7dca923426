"""Rules for the types of function results, exactly as Spark derives them.

A rule takes the argument expressions and gives the type, or None if it cannot tell.
By the time we see a plan Catalyst has made both sides of an operator agree, so the rules
need no coercion; decimals are the exception, where precision and scale may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slackwater.expr.nodes import Expr, Literal
from slackwater.types import (
    BIGINT,
    DATE,
    DOUBLE,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    IntervalType,
    MapType,
    StringType,
    StructType,
    is_integral,
)

ResultRule = Callable[[Sequence[Expr]], DataType | None]

_MAX_PRECISION = 38
_MIN_ADJUSTED_SCALE = 6
_DAY_TIME = IntervalType("DAY", "SECOND")


def always(dtype: DataType) -> ResultRule:
    """The same type whatever the arguments."""
    return lambda _args: dtype


def argument(position: int) -> ResultRule:
    """The type of one argument."""
    return lambda args: args[position].dtype if position < len(args) else None


def unknown(_args: Sequence[Expr]) -> DataType | None:
    """No rule: the type is taken from Spark where a column is defined."""
    return None


def element(position: int) -> ResultRule:
    """The element or value type of an array or map argument."""

    def rule(args: Sequence[Expr]) -> DataType | None:
        match args[position].dtype:
            case ArrayType(element=inner):
                return inner
            case MapType(value=inner):
                return inner
            case _:
                return None

    return rule


def array_of(rule: ResultRule, contains_null: bool = True) -> ResultRule:
    """An array of what another rule gives."""

    def wrapped(args: Sequence[Expr]) -> DataType | None:
        inner = rule(args)
        return None if inner is None else ArrayType(inner, contains_null)

    return wrapped


def map_part(part: str) -> ResultRule:
    """Array of the keys, the values or the entries of the map in the first argument."""

    def rule(args: Sequence[Expr]) -> DataType | None:
        dtype = args[0].dtype
        if not isinstance(dtype, MapType):
            return None
        if part == "keys":
            return ArrayType(dtype.key, False)
        if part == "values":
            return ArrayType(dtype.value, dtype.value_contains_null)
        fields = (
            Field("key", dtype.key, False),
            Field("value", dtype.value, dtype.value_contains_null),
        )
        return ArrayType(StructType(fields), False)

    return rule


def named_struct(args: Sequence[Expr]) -> DataType | None:
    """Names and values alternate."""
    fields = []
    for name, value in zip(args[::2], args[1::2], strict=True):
        if not isinstance(name, Literal) or name.value is None:
            return None
        fields.append(Field(name.value, value.dtype, value.nullable))
    return StructType(tuple(fields))


def bounded(precision: int, scale: int) -> DecimalType:
    """A decimal cut to the most digits Spark has."""
    return DecimalType(min(precision, _MAX_PRECISION), min(scale, _MAX_PRECISION))


def adjusted(precision: int, scale: int) -> DecimalType:
    """A decimal cut to fit by giving up scale first, but never below six digits of it."""
    if precision <= _MAX_PRECISION:
        return DecimalType(precision, scale)
    least = min(scale, _MIN_ADJUSTED_SCALE)
    return DecimalType(_MAX_PRECISION, max(_MAX_PRECISION - (precision - scale), least))


def _decimals(args: Sequence[Expr]) -> tuple[DecimalType, DecimalType] | None:
    left, right = args[0].dtype, args[1].dtype
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return left, right
    return None


def add(args: Sequence[Expr]) -> DataType | None:
    """Sums and differences; also dates and timestamps moved by intervals."""
    if both := _decimals(args):
        left, right = both
        scale = max(left.scale, right.scale)
        whole = max(left.precision - left.scale, right.precision - right.scale)
        return adjusted(whole + scale + 1, scale)
    left_type, right_type = args[0].dtype, args[1].dtype
    if isinstance(right_type, IntervalType) and not isinstance(left_type, IntervalType):
        if left_type == DATE and not right_type.counts_months and right_type.end != "DAY":
            return TIMESTAMP
        return left_type
    return left_type if left_type == right_type else None


def subtract(args: Sequence[Expr]) -> DataType | None:
    """Like `add`; two moments differ by an interval."""
    left, right = args[0].dtype, args[1].dtype
    if left == DATE and right == DATE:
        return IntervalType("DAY", "DAY")
    if left in (TIMESTAMP, TIMESTAMP_NTZ, DATE) and right in (TIMESTAMP, TIMESTAMP_NTZ, DATE):
        return _DAY_TIME
    return add(args)


def multiply(args: Sequence[Expr]) -> DataType | None:
    """Products; intervals times numbers stay intervals of the full range."""
    if both := _decimals(args):
        left, right = both
        return adjusted(left.precision + right.precision + 1, left.scale + right.scale)
    if isinstance(args[0].dtype, IntervalType):
        return _full_interval(args[0].dtype)
    return args[0].dtype if args[0].dtype == args[1].dtype else None


def divide(args: Sequence[Expr]) -> DataType | None:
    """Quotients."""
    if both := _decimals(args):
        left, right = both
        scale = max(_MIN_ADJUSTED_SCALE, left.scale + right.precision + 1)
        return adjusted(left.precision - left.scale + right.scale + scale, scale)
    if isinstance(args[0].dtype, IntervalType):
        return _full_interval(args[0].dtype)
    return args[0].dtype if args[0].dtype == args[1].dtype else None


def remainder(args: Sequence[Expr]) -> DataType | None:
    """Remainders."""
    if both := _decimals(args):
        left, right = both
        scale = max(left.scale, right.scale)
        whole = min(left.precision - left.scale, right.precision - right.scale)
        return adjusted(whole + scale, scale)
    return args[0].dtype if args[0].dtype == args[1].dtype else None


def _full_interval(dtype: IntervalType) -> IntervalType:
    return IntervalType("YEAR", "MONTH") if dtype.counts_months else _DAY_TIME


def rounded(args: Sequence[Expr]) -> DataType | None:
    """`round` and its kin: decimals shrink to the scale asked for."""
    dtype = args[0].dtype
    if not isinstance(dtype, DecimalType):
        return dtype
    scale_arg = args[1] if len(args) > 1 else None
    if not isinstance(scale_arg, Literal) or scale_arg.value is None:
        return None
    scale = int(scale_arg.value)
    whole = dtype.precision - dtype.scale + 1
    if scale < 0:
        return bounded(max(whole, -scale + 1), 0)
    kept = min(dtype.scale, scale)
    return bounded(whole + kept, kept)


def whole_number(args: Sequence[Expr]) -> DataType | None:
    """`floor` and `ceil`: BIGINT, or a decimal without scale."""
    dtype = args[0].dtype
    if isinstance(dtype, DecimalType):
        return dtype if dtype.scale == 0 else bounded(dtype.precision - dtype.scale + 1, 0)
    return BIGINT


def sum_type(args: Sequence[Expr]) -> DataType | None:
    """Sums get ten more digits, or the widest type of their kind."""
    dtype = args[0].dtype
    if isinstance(dtype, DecimalType):
        return bounded(dtype.precision + 10, dtype.scale)
    if isinstance(dtype, IntervalType):
        return dtype
    return BIGINT if is_integral(dtype) else DOUBLE


def average_type(args: Sequence[Expr]) -> DataType | None:
    """Averages get four more digits on either side of the point."""
    dtype = args[0].dtype
    if isinstance(dtype, DecimalType):
        return bounded(dtype.precision + 4, dtype.scale + 4)
    if isinstance(dtype, IntervalType):
        return _full_interval(dtype)
    return DOUBLE


def concatenation(args: Sequence[Expr]) -> DataType | None:
    """Strings, binaries or arrays of one type."""
    return args[0].dtype if args else StringType()


def first_known(args: Sequence[Expr]) -> DataType | None:
    """The type all alternatives share."""
    return args[0].dtype if args else None


def case_type(args: Sequence[Expr]) -> DataType | None:
    """CASE alternates conditions and values; the values share a type."""
    return args[1].dtype


def lambda_array(args: Sequence[Expr]) -> DataType | None:
    """Array of what the lambda in the last argument returns."""
    return ArrayType(args[-1].dtype, args[-1].nullable)
