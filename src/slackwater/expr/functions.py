"""The functions we know: their result type, what NULL does to them, and their algebraic facts.

One line a function, by Spark SQL name. An operator such as `+` is a function of that name.
A function that is not listed cannot be represented and sends its operator to recomputation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from slackwater.expr.nodes import UNKNOWN_TYPE, Call, Expr
from slackwater.expr.result_types import (
    ResultRule,
    add,
    always,
    argument,
    array_of,
    case_type,
    concatenation,
    divide,
    element,
    first_known,
    lambda_array,
    map_part,
    multiply,
    named_struct,
    remainder,
    rounded,
    subtract,
    unknown,
    whole_number,
)
from slackwater.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    IntervalType,
)


class Nulls(Enum):
    """The treatment of NULL by a function."""

    STRICT = "strict"
    """NULL if and only if some argument is NULL."""
    PARTIAL = "partial"
    """NULL if some argument is NULL, and possibly otherwise."""
    NEVER = "never"
    """Never NULL."""
    ANY = "any"
    """No rule: may be NULL, and may be a value although an argument is NULL."""


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """The properties of one scalar function."""

    name: str
    result: ResultRule
    nulls: Nulls


def _specs(nulls: Nulls, result: ResultRule, names: str) -> Iterable[FunctionSpec]:
    for name in names.split():
        yield FunctionSpec(name, result, nulls)


_STRICT, _PARTIAL, _NEVER, _ANY = Nulls.STRICT, Nulls.PARTIAL, Nulls.NEVER, Nulls.ANY
_bool, _int, _bigint = always(BOOLEAN), always(INTEGER), always(BIGINT)
_double, _string, _binary = always(DOUBLE), always(STRING), always(BINARY)
_date, _timestamp = always(DATE), always(TIMESTAMP)
_strings = always(ArrayType(STRING))
_same, _second = argument(0), argument(1)

_LOGIC = (
    *_specs(_STRICT, _bool, "= < <= > >= not"),
    *_specs(_NEVER, _bool, "<=> isnull isnotnull isnan at_least_n_non_nulls"),
    *_specs(_ANY, _bool, "and or in"),
    *_specs(_ANY, first_known, "coalesce"),
    *_specs(_ANY, _second, "if"),
    *_specs(_ANY, case_type, "case"),
    *_specs(_ANY, first_known, "greatest least"),
    *_specs(_ANY, _second, "nanvl"),
    *_specs(_ANY, unknown, "raise_error"),
)

# Without ANSI mode arithmetic can overflow to NULL and division by zero is NULL.
_ARITHMETIC = (
    *_specs(_PARTIAL, add, "+ try_add"),
    *_specs(_PARTIAL, subtract, "- try_subtract"),
    *_specs(_PARTIAL, multiply, "* try_multiply"),
    *_specs(_PARTIAL, divide, "/ try_divide"),
    *_specs(_PARTIAL, _bigint, "div"),
    *_specs(_PARTIAL, remainder, "% pmod try_mod"),
    *_specs(_PARTIAL, _same, "negative"),
    *_specs(_STRICT, _same, "positive"),
    *_specs(_PARTIAL, _same, "abs"),
    *_specs(_STRICT, _same, "& | ^ ~ shiftleft shiftright shiftrightunsigned"),
    *_specs(_STRICT, _int, "bit_count"),
    *_specs(_PARTIAL, unknown, "getbit"),
    *_specs(_PARTIAL, whole_number, "floor ceil"),
    *_specs(_PARTIAL, rounded, "round bround round_floor round_ceil"),
    *_specs(_STRICT, _double, "sqrt cbrt exp expm1 sinh degrees radians rint"),
    *_specs(_STRICT, _double, "sin cos tan cot sec csc asin acos atan asinh acosh atanh cosh tanh"),
    *_specs(_STRICT, _double, "sign atan2 hypot power"),
    *_specs(_PARTIAL, _double, "ln log10 log2 log1p"),
    *_specs(_PARTIAL, _double, "log"),
    *_specs(_PARTIAL, _bigint, "factorial width_bucket"),
    *_specs(_PARTIAL, _string, "conv"),
    *_specs(_STRICT, _string, "bin hex"),
    *_specs(_PARTIAL, _binary, "unhex"),
    *_specs(_NEVER, _int, "hash"),
    *_specs(_NEVER, _bigint, "xxhash64"),
)

_STRINGS = (
    *_specs(_STRICT, _same, "upper lower initcap trim ltrim rtrim reverse substring repeat"),
    *_specs(_STRICT, _same, "replace translate substring_index lpad rpad overlay"),
    *_specs(_STRICT, concatenation, "concat"),
    *_specs(_ANY, _same, "concat_ws"),
    *_specs(_ANY, unknown, "elt"),
    *_specs(_STRICT, _int, "length octet_length bit_length ascii instr find_in_set"),
    *_specs(_ANY, _int, "locate levenshtein"),
    *_specs(_STRICT, _bool, "like ilike rlike contains startswith endswith"),
    *_specs(_ANY, _bool, "like_any like_all not_like_any not_like_all"),
    *_specs(_STRICT, _strings, "split regexp_extract_all"),
    *_specs(_STRICT, _string, "regexp_replace regexp_extract soundex chr space md5 sha1"),
    *_specs(_STRICT, _string, "base64 to_char"),
    *_specs(_PARTIAL, _string, "split_part sha2"),
    *_specs(_STRICT, _int, "regexp_instr"),
    *_specs(_PARTIAL, _binary, "unbase64 encode to_binary"),
    *_specs(_PARTIAL, _string, "decode_charset url_encode url_decode parse_url try_url_decode"),
    *_specs(_PARTIAL, _string, "try_parse_url"),
    *_specs(_ANY, _string, "mask format_string"),
    *_specs(_STRICT, _string, "monthname dayname"),
    *_specs(_PARTIAL, unknown, "to_number try_to_number"),
    *_specs(_STRICT, _bigint, "crc32"),
    *_specs(_PARTIAL, _string, "format_number"),
    *_specs(_ANY, unknown, "sentences str_to_map"),
    *_specs(_STRICT, unknown, "collate"),
    *_specs(_STRICT, _bool, "luhn_check is_valid_utf8"),
    *_specs(_STRICT, _string, "make_valid_utf8 validate_utf8 quote"),
    *_specs(_PARTIAL, _string, "try_validate_utf8"),
    *_specs(_PARTIAL, _binary, "try_to_binary aes_encrypt aes_decrypt try_aes_decrypt"),
    *_specs(_STRICT, _bigint, "bitmap_count bitmap_bit_position bitmap_bucket_number"),
)

_TIME = (
    *_specs(_STRICT, _int, "year quarter"),
    *_specs(_STRICT, _int, "month day dayofweek weekday dayofyear weekofyear"),
    *_specs(_STRICT, _int, "hour minute second"),
    *_specs(_STRICT, unknown, "extract"),
    *_specs(_STRICT, _date, "date_add date_sub add_months last_day"),
    *_specs(_PARTIAL, _date, "next_day trunc make_date"),
    *_specs(_STRICT, _int, "datediff"),
    *_specs(_STRICT, _double, "months_between"),
    *_specs(_PARTIAL, _second, "date_trunc"),
    *_specs(_STRICT, _string, "date_format from_unixtime"),
    *_specs(_PARTIAL, _bigint, "unix_timestamp"),
    *_specs(_PARTIAL, _timestamp, "to_timestamp_ltz try_to_timestamp make_timestamp_ltz"),
    *_specs(_PARTIAL, _timestamp, "try_make_timestamp_ltz"),
    *_specs(_PARTIAL, always(TIMESTAMP_NTZ), "to_timestamp_ntz make_timestamp_ntz"),
    *_specs(_PARTIAL, always(TIMESTAMP_NTZ), "try_make_timestamp_ntz"),
    *_specs(_PARTIAL, unknown, "timestampadd"),
    *_specs(_PARTIAL, _bigint, "timestampdiff"),
    *_specs(_PARTIAL, always(CALENDAR_INTERVAL), "make_interval try_make_interval"),
    *_specs(_PARTIAL, always(IntervalType("YEAR", "MONTH")), "make_ym_interval"),
    *_specs(_PARTIAL, always(IntervalType("DAY", "SECOND")), "make_dt_interval"),
    *_specs(_STRICT, _timestamp, "from_utc_timestamp to_utc_timestamp"),
    *_specs(_STRICT, unknown, "convert_timezone"),
    *_specs(_STRICT, _bigint, "unix_seconds unix_millis unix_micros"),
    *_specs(_STRICT, _int, "unix_date"),
    *_specs(_PARTIAL, _timestamp, "timestamp_seconds timestamp_millis timestamp_micros"),
    *_specs(_STRICT, _date, "date_from_unix_date"),
)

_COLLECTIONS = (
    *_specs(_NEVER, array_of(_same), "array"),
    *_specs(_NEVER, unknown, "map"),
    *_specs(_NEVER, named_struct, "named_struct"),
    *_specs(_ANY, _int, "size"),
    *_specs(_PARTIAL, element(0), "element_at try_element_at subscript get array_min array_max"),
    *_specs(_PARTIAL, _bool, "array_contains arrays_overlap exists forall"),
    *_specs(_STRICT, _same, "array_distinct array_remove sort_array slice array_sort filter"),
    *_specs(_STRICT, _same, "array_except array_intersect array_union map_filter"),
    *_specs(_PARTIAL, _bigint, "array_position"),
    *_specs(_PARTIAL, _string, "array_join"),
    *_specs(_PARTIAL, element(0), "flatten"),
    *_specs(_PARTIAL, array_of(_same, contains_null=False), "sequence"),
    *_specs(_ANY, array_of(_same), "array_repeat"),
    *_specs(_STRICT, unknown, "arrays_zip"),
    *_specs(_ANY, unknown, "array_insert"),
    *_specs(_STRICT, map_part("keys"), "map_keys"),
    *_specs(_STRICT, map_part("values"), "map_values"),
    *_specs(_STRICT, map_part("entries"), "map_entries"),
    *_specs(_PARTIAL, unknown, "map_from_arrays map_from_entries map_concat"),
    *_specs(_STRICT, lambda_array, "transform zip_with"),
    *_specs(_ANY, unknown, "aggregate transform_keys transform_values map_zip_with"),
)

_DOCUMENTS = (
    *_specs(_PARTIAL, _string, "get_json_object to_json"),
    *_specs(_PARTIAL, always(VARIANT), "parse_json try_parse_json"),
    *_specs(_PARTIAL, unknown, "variant_get try_variant_get schema_of_variant"),
    *_specs(_ANY, _bool, "is_variant_null is_valid_variant"),
    *_specs(_PARTIAL, unknown, "xpath xpath_boolean xpath_short xpath_int xpath_long"),
    *_specs(_PARTIAL, unknown, "xpath_float xpath_double xpath_string"),
    *_specs(_PARTIAL, unknown, "from_json from_csv to_csv json_array_length json_object_keys"),
)

# Functions that only stand inside a window.
_WINDOW = (
    *_specs(_NEVER, _int, "row_number rank dense_rank ntile"),
    *_specs(_NEVER, _double, "percent_rank cume_dist"),
    *_specs(_ANY, _same, "lag lead nth_value"),
)

# Functions that give several rows for one.
_GENERATORS = (*_specs(_ANY, unknown, "explode posexplode inline stack json_tuple replicate_rows"),)

# Forms in which state stores, hashes and compares values of types that Arrow or Spark cannot.
_FORMS = (*_specs(_ANY, unknown, "stored_form value_of_stored hash_form comparable_form"),)

# A text that differs for floating-point numbers with other bits, all NaN aside: a key, no result.
_BITS = (*_specs(_STRICT, _string, "bits_of"),)

# A coarse image of a double that keeps the order: see expr/buckets.py.
_BUCKETS = (*_specs(_STRICT, _bigint, "bucket_of"),)

# Exact sums of floating-point numbers.
_LIMBS = (
    *_specs(_NEVER, _double, "near_value near_product near_product_error"),
    *_specs(_ANY, _double, "far_value far_product far_product_error limbs_value comoment"),
    *_specs(_STRICT, _bigint, "near_digit"),
    *_specs(_ANY, _same, "add_limbs"),
)

# How many values a sketch holds.
_SKETCHES = (*_specs(_NEVER, _bigint, "registers_estimate"),)

FUNCTIONS: Mapping[str, FunctionSpec] = MappingProxyType(
    {
        spec.name: spec
        for family in (
            _LOGIC,
            _ARITHMETIC,
            _STRINGS,
            _TIME,
            _COLLECTIONS,
            _DOCUMENTS,
            _WINDOW,
            _GENERATORS,
            _FORMS,
            _BITS,
            _BUCKETS,
            _LIMBS,
            _SKETCHES,
        )
        for spec in family
    }
)


def call(function: str, *args: Expr, params: tuple[str, ...] = ()) -> Call:
    """Apply a known function, deriving the type and nullability of the result.

    >>> from slackwater.expr.nodes import Literal
    >>> from slackwater.types import INTEGER
    >>> call("=", Literal("1", INTEGER), Literal("2", INTEGER)).dtype.sql()
    'BOOLEAN'
    """
    spec = FUNCTIONS[function]
    return Call(
        function=function,
        args=args,
        call_type=spec.result(args) or UNKNOWN_TYPE,
        call_nullable=_nullable(spec, args),
        params=params,
    )


def _nullable(spec: FunctionSpec, args: tuple[Expr, ...]) -> bool:
    match spec.nulls:
        case Nulls.NEVER:
            return False
        case Nulls.STRICT:
            return any(arg.nullable for arg in args)
        case Nulls.PARTIAL:
            return True
        case Nulls.ANY:
            return _nullable_by_name(spec.name, args)


def _nullable_by_name(name: str, args: tuple[Expr, ...]) -> bool:
    """The few functions whose NULLs follow a rule of their own."""
    match name:
        case "and" | "or" | "in":
            return any(arg.nullable for arg in args)
        case "coalesce" | "greatest" | "least":
            return all(arg.nullable for arg in args)
        case "if":
            return args[1].nullable or args[2].nullable
        case "case":
            values = [*args[1::2], *([args[-1]] if len(args) % 2 else [])]
            return len(args) % 2 == 0 or any(value.nullable for value in values)
        case _:
            return True
