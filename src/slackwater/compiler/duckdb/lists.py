"""Functions of arrays and maps."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.casts import under
from slackwater.compiler.duckdb.once import once
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import duckdb_type, is_exact
from slackwater.expr.build import is_null, number
from slackwater.expr.functions import call as apply
from slackwater.expr.nodes import Call, Expr, Lambda, Literal
from slackwater.types import (
    BIGINT,
    INTEGER,
    STRING,
    ArrayType,
    DataType,
    MapType,
    is_integral,
    same_type,
)

_LEAST = -(2**31)
_OUTSIDE = "error('a place outside of the array')"


def element_type(call: Call, *, compared: bool = False) -> DataType:
    """The type of the elements of an array, the first argument; engines must equate them alike."""
    dtype = call.args[0].dtype
    if not isinstance(dtype, ArrayType):
        raise refused(call, f"{call.function} of something else than an array")
    if compared and not is_exact(dtype.element):
        raise refused(call, "comparing elements")
    return dtype.element


def _size(call: Call, scope: Scope) -> str:
    """The number of elements; NULL of NULL, as the front end reads no other size of Spark's."""
    (values,) = call.args
    if not isinstance(values.dtype, ArrayType | MapType):
        raise refused(call, "the size of something else than an array")
    function = "len" if isinstance(values.dtype, ArrayType) else "cardinality"
    return f"CAST({function}({scope.text(values)}) AS INTEGER)"


def _get(call: Call, scope: Scope) -> str:
    """An element counted from zero; NULL if there is none."""
    element_type(call)
    _require_place(call)
    return once(
        call.args,
        scope,
        # DuckDB counts from the end where Spark finds nothing.
        lambda values, place: f"(CASE WHEN {place} >= 0 THEN ({values})[{place} + 1] END)",
    )


def _require_place(call: Call) -> None:
    place = call.args[1].dtype
    if not is_integral(place) or place == BIGINT:
        raise refused(call, f"such a use of {call.function}")


def _subscript(call: Call, scope: Scope) -> str:
    """An element counted from zero, which must exist, or a value of a map."""
    if isinstance(call.args[0].dtype, MapType):
        return _value_of_key(call, scope)
    element_type(call)
    _require_place(call)

    def write(values: str, place: str) -> str:
        found = f"WHEN {place} >= 0 AND {place} < len({values}) THEN ({values})[{place} + 1]"
        unknown = f"WHEN {place} IS NULL OR ({values}) IS NULL THEN NULL"
        return f"(CASE {found} {unknown} ELSE {_OUTSIDE} END)"

    return once(call.args, scope, write)


def _element_at(quiet: bool) -> Form:
    """An element counted from one, or from the end, or a value of a map."""

    def form(call: Call, scope: Scope) -> str:
        if isinstance(call.args[0].dtype, MapType):
            return _value_of_key(call, scope)
        element_type(call)
        _require_place(call)

        def write(values: str, place: str) -> str:
            there = f"{place} <> 0 AND abs(CAST({place} AS BIGINT)) <= len({values})"
            unknown = f"WHEN {place} IS NULL OR ({values}) IS NULL"
            # Of the least number, Spark reads some other memory.
            unknown += f" OR {place} NOT IN (0, {_LEAST}) THEN NULL" if quiet else " THEN NULL"
            found = f"WHEN {there} THEN ({values})[{place}]"
            return f"(CASE {found} {unknown} ELSE {_OUTSIDE} END)"

        return once(call.args, scope, write)

    return form


def _value_of_key(call: Call, scope: Scope) -> str:
    values, key = call.args
    dtype = values.dtype
    if not isinstance(dtype, MapType) or not is_exact(dtype.key):
        raise refused(call, "comparing keys")
    return f"({scope.text(values)})[{under(key, dtype.key, scope)}]"


def _map_part(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        (values,) = call.args
        if not isinstance(values.dtype, MapType):
            raise refused(call, f"{call.function} of something else than a map")
        return f"{function}({scope.text(values)})"

    return form


def _map(call: Call, scope: Scope) -> str:
    """A map of keys that are written out, all different."""
    keys, values, dtype = call.args[::2], call.args[1::2], call.dtype
    if not isinstance(dtype, MapType) or not keys:
        raise refused(call, "such a map")
    written = [each.value for each in keys if isinstance(each, Literal) and each.dtype == STRING]
    if dtype.key != STRING or None in written or len({*written}) < len(keys):
        raise refused(call, "a map whose keys may be equal")
    names = ", ".join(scope.texts(keys))
    members = ", ".join(under(each, dtype.value, scope) for each in values)
    return f"map([{names}], CAST([{members}] AS {duckdb_type(dtype.value)}[]))"


def _holds_null(values: str) -> str:
    return f"len({values}) > list_count({values})"


def _require_element(call: Call) -> None:
    """Refuse a second argument of another type than the elements of the first."""
    if not same_type(call.args[1].dtype, element_type(call, compared=True)):
        raise refused(call, "comparing values of two types")


def _contains(call: Call, scope: Scope) -> str:
    """Tell if a value is in an array; NULL if only a NULL there may be it."""
    _require_element(call)

    def write(values: str, value: str) -> str:
        unknown = f"{value} IS NULL OR {_holds_null(values)}"
        found = f"list_contains({values}, {value})"
        return f"(CASE WHEN {found} THEN TRUE WHEN {unknown} THEN NULL ELSE {found} END)"

    return once(call.args, scope, write)


def _position(call: Call, scope: Scope) -> str:
    """The place of a value, counted from one; zero if there is none."""
    _require_element(call)

    def write(values: str, value: str) -> str:
        place = f"coalesce(list_position({values}, {value}), 0)"
        known = f"({values}) IS NOT NULL AND {value} IS NOT NULL"
        return f"CAST(CASE WHEN {known} THEN {place} END AS BIGINT)"

    return once(call.args, scope, write)


def _remove(call: Call, scope: Scope) -> str:
    _require_element(call)

    def write(values: str, value: str) -> str:
        kept = f"list_filter({values}, lambda part: part IS NULL OR part <> {value})"
        return f"(CASE WHEN {value} IS NOT NULL THEN {kept} END)"

    return once(call.args, scope, write)


def _distinct(call: Call, scope: Scope) -> str:
    """Each value where it stands first."""
    element_type(call, compared=True)

    def write(values: str) -> str:
        return f"list_filter({values}, lambda part, nth: list_position({values}, part) = nth)"

    return once(call.args, scope, write)


def _extreme(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        element_type(call, compared=True)
        return f"{function}({scope.text(call.args[0])})"

    return form


def _overlap(call: Call, scope: Scope) -> str:
    """Tell if two arrays have a value in common; NULL if only a NULL may be it."""
    element = element_type(call, compared=True)
    if not same_type(call.args[1].dtype, ArrayType(element)):
        raise refused(call, "comparing values of two types")

    def write(one: str, other: str) -> str:
        found = f"list_has_any({one}, {other})"
        nulls = f"({_holds_null(one)} OR {_holds_null(other)})"
        unknown = f"len({one}) > 0 AND len({other}) > 0 AND {nulls}"
        return f"(CASE WHEN {found} THEN TRUE WHEN {unknown} THEN NULL ELSE {found} END)"

    return once(call.args, scope, write)


def _join(call: Call, scope: Scope) -> str:
    """The texts of an array with another between them; NULLs are left out or replaced."""
    if element_type(call) != STRING or any(each.dtype != STRING for each in call.args[1:]):
        raise refused(call, "joining something else than texts")
    if not isinstance(call.args[1], Literal):
        raise refused(call, "a separator that is computed")

    def write(values: str, between: str, instead: str | None = None) -> str:
        if instead is None:
            known = f"list_filter({values}, lambda part: part IS NOT NULL)"
            return f"array_to_string({known}, {between})"
        filled = f"list_transform({values}, lambda part: coalesce(part, {instead}))"
        return f"(CASE WHEN {instead} IS NOT NULL THEN array_to_string({filled}, {between}) END)"

    return once(call.args, scope, write)


def _slice(call: Call, scope: Scope) -> str:
    """A part of an array from a place counted from one, or from the end."""
    element_type(call)
    _, start, size = call.args
    first, length = _written_number(start), _written_number(size)
    if not first or length is None or length < 0:
        raise refused(call, "such a part of an array")

    def write(values: str) -> str:
        if first > 0:
            return f"list_slice({values}, {first}, {first + length - 1})"
        # A place before the first element leaves nothing.
        begin = f"len({values}) + {first + 1}"
        part = f"list_slice({values}, {begin}, {begin} + {length - 1})"
        return f"(CASE WHEN len({values}) < {-first} THEN ({values})[2:1] ELSE {part} END)"

    return once(call.args[:1], scope, write)


def _written_number(expr: Expr) -> int | None:
    if not isinstance(expr, Literal) or expr.dtype != INTEGER or expr.value is None:
        return None
    return int(expr.value)


def _flatten(call: Call, scope: Scope) -> str:
    """The elements of all arrays in an array; NULL if one of these is."""
    if not isinstance(element_type(call), ArrayType):
        raise refused(call, "flattening something else than arrays")
    return once(
        call.args,
        scope,
        lambda values: f"(CASE WHEN NOT ({_holds_null(values)}) THEN flatten({values}) END)",
    )


def _sorted(call: Call, scope: Scope) -> str:
    """Sort an array by its values, NULLs first if ascending, else last."""
    element_type(call, compared=True)
    values, ascending = call.args
    if not isinstance(ascending, Literal) or ascending.value not in ("true", "false"):
        raise refused(call, "an order that is computed")
    order = "'ASC', 'NULLS FIRST'" if ascending.value == "true" else "'DESC', 'NULLS LAST'"
    return f"list_sort({scope.text(values)}, {order})"


def _sorted_by(call: Call, scope: Scope) -> str:
    """In the order of the values, NULLs last: what array_sort does if it is given no order."""
    element_type(call, compared=True)
    values, order = call.args
    if not isinstance(order, Lambda) or not _is_natural(order):
        raise refused(call, "an order of one's own")
    return f"list_sort({scope.text(values)}, 'ASC', 'NULLS LAST')"


def _is_natural(order: Lambda) -> bool:
    """Tell if a lambda compares two values as Spark's own does, which has NULLs last."""
    left, right = order.variables
    zero, one, minus_one = (number(each, INTEGER) for each in (0, 1, -1))
    known = apply(
        "if", apply("<", left, right), minus_one, apply("if", apply(">", left, right), one, zero)
    )
    either = apply("if", is_null(left), one, apply("if", is_null(right), minus_one, known))
    both = apply("and", is_null(left), is_null(right))
    return order.body in (known, apply("if", both, zero, either))


FORMS: Mapping[str, Form] = {
    "size": _size,
    "get": _get,
    "subscript": _subscript,
    "element_at": _element_at(quiet=False),
    "try_element_at": _element_at(quiet=True),
    "map": _map,
    "map_keys": _map_part("map_keys"),
    "map_values": _map_part("map_values"),
    "map_entries": _map_part("map_entries"),
    "array_contains": _contains,
    "array_position": _position,
    "array_remove": _remove,
    "array_distinct": _distinct,
    "array_max": _extreme("list_max"),
    "array_min": _extreme("list_min"),
    "arrays_overlap": _overlap,
    "array_join": _join,
    "slice": _slice,
    "flatten": _flatten,
    "sort_array": _sorted,
    "array_sort": _sorted_by,
}
