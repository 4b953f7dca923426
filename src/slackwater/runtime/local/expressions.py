"""Translates expressions of our statements from Spark SQL to DuckDB, each with its Spark type.

Every result is cast to the type Spark gives it, so that what follows computes with the same
digits. What is not listed here raises `NotLocalError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from sqlglot import exp

from slackwater.expr.result_types import adjusted
from slackwater.runtime.local.hashing import SEED
from slackwater.runtime.local.types import NotLocalError, as_decimal, duckdb_type, is_simple, wider
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    StructType,
    is_integral,
)

AggregateForm = Callable[..., "Typed"]

_MAX_DIGITS = 38
DIVIDE = "divide_exactly"
"""A function of ours in DuckDB, which has no division of decimals."""


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression for DuckDB and the type that Spark gives it."""

    sql: str
    dtype: DataType


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns an expression may name; those it does are noted in `used`."""

    columns: Mapping[str, Typed]
    used: set[str] = field(default_factory=set)

    def column(self, name: str) -> Typed | None:
        """The column of that name, if there is one."""
        found = self.columns.get(name)
        if found is not None:
            self.used.add(name)
        return found

    def with_variable(self, name: str, dtype: DataType) -> Scope:
        """The scope inside a lambda."""
        return replace(self, columns={**self.columns, name: Typed(name, dtype)})


def translate(node: exp.Expression, scope: Scope) -> Typed:
    """An expression of Spark SQL for DuckDB."""
    form = _FORMS.get(type(node))
    if form is None:
        raise NotLocalError(f"{type(node).__name__.lower()} in a statement")
    return form(node, scope)


def quoted(name: str) -> str:
    """A name as DuckDB quotes it."""
    return '"' + name.replace('"', '""') + '"'


def cast(value: Typed, dtype: DataType) -> Typed:
    """The value under a type that holds it, or an error of DuckDB's if it does not."""
    if value.dtype == dtype:
        return value
    return Typed(f"CAST({value.sql} AS {duckdb_type(dtype)})", dtype)


def together(values: Sequence[Typed]) -> list[Typed]:
    """Values brought to one type."""
    dtype = reduce(wider, (value.dtype for value in values))
    return [cast(value, dtype) for value in values]


def _all(nodes: Iterable[exp.Expression], scope: Scope) -> list[Typed]:
    return [translate(node, scope) for node in nodes]


def _column(node: exp.Column, scope: Scope) -> Typed:
    name, table = node.name, node.table
    if not table:
        found = scope.column(name)
        if found is None:
            raise NotLocalError(f"the column {name}")
        return found
    struct = scope.column(table)
    if struct is None:
        raise NotLocalError(f"the column {table}.{name}")
    return _field(struct, name)


def _identifier(node: exp.Identifier, scope: Scope) -> Typed:
    found = scope.column(node.name)
    if found is None:
        raise NotLocalError(f"the name {node.name}")
    return found


def _dot(node: exp.Dot, scope: Scope) -> Typed:
    return _field(translate(node.this, scope), node.expression.name)


def _field(struct: Typed, name: str) -> Typed:
    if isinstance(struct.dtype, StructType):
        for each in struct.dtype.fields:
            if each.name == name:
                return Typed(f"struct_extract({struct.sql}, '{name}')", each.dtype)
    raise NotLocalError(f"the field {name}")


def _literal(node: exp.Literal, _scope: Scope) -> Typed:
    if node.is_string:
        return Typed("'" + node.name.replace("'", "''") + "'", STRING)
    if not re.fullmatch(r"\d{1,18}", node.name):
        raise NotLocalError(f"the number {node.name}")
    dtype = INTEGER if int(node.name) < 2**31 else BIGINT
    return Typed(f"CAST({node.name} AS {duckdb_type(dtype)})", dtype)


def _null(_node: exp.Null, _scope: Scope) -> Typed:
    return Typed("NULL", VOID)


def _boolean(node: exp.Boolean, _scope: Scope) -> Typed:
    return Typed("TRUE" if node.this else "FALSE", BOOLEAN)


def _paren(node: exp.Paren, scope: Scope) -> Typed:
    inner = translate(node.this, scope)
    return replace(inner, sql=f"({inner.sql})")


_CAST_TARGETS: Mapping[Any, DataType] = {
    exp.DataType.Type.BOOLEAN: BOOLEAN,
    exp.DataType.Type.TINYINT: TINYINT,
    exp.DataType.Type.SMALLINT: SMALLINT,
    exp.DataType.Type.INT: INTEGER,
    exp.DataType.Type.BIGINT: BIGINT,
    exp.DataType.Type.DATE: DATE,
    exp.DataType.Type.TEXT: STRING,
    exp.DataType.Type.TIMESTAMPLTZ: TIMESTAMP,
    exp.DataType.Type.TIMESTAMPTZ: TIMESTAMP,
    exp.DataType.Type.TIMESTAMP: TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ: TIMESTAMP_NTZ,
}


def _target(node: exp.DataType) -> DataType:
    if node.this is exp.DataType.Type.DECIMAL:
        precision, scale = (int(each.name) for each in node.expressions)
        return DecimalType(precision, scale)
    dtype = _CAST_TARGETS.get(node.this)
    if dtype is None:
        raise NotLocalError(f"a cast to {node.sql()}")
    return dtype


def _cast(node: exp.Cast, scope: Scope) -> Typed:
    if type(node) is not exp.Cast:
        raise NotLocalError("a cast that gives NULL where it fails")
    target = _target(node.to)
    if isinstance(node.this, exp.Literal) and node.this.is_string:
        return _typed_literal(node.this.name, target)
    value = translate(node.this, scope)
    if value.dtype in (target, VOID):
        return cast(value, target)
    number = as_decimal(value.dtype)
    to_text = target == STRING and is_integral(value.dtype)
    whole = number is not None and (number.scale == 0 or not is_integral(target))
    if to_text or (whole and as_decimal(target) is not None):
        return cast(value, target)
    raise NotLocalError(f"a cast from {value.dtype} to {target}")


def _typed_literal(text: str, target: DataType) -> Typed:
    """A date or a decimal written out; other texts are for Spark to read."""
    if target == DATE and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return Typed(f"DATE '{text}'", DATE)
    if isinstance(target, DecimalType) and re.fullmatch(r"-?\d+(\.\d+)?", text):
        return Typed(f"CAST('{text}' AS {duckdb_type(target)})", target)
    raise NotLocalError(f"the literal {text} as {target}")


def _condition(node: exp.Expression, scope: Scope) -> str:
    value = translate(node, scope)
    if value.dtype not in (BOOLEAN, VOID):
        raise NotLocalError(f"a condition of type {value.dtype}")
    return f"({value.sql})"


def _connective(sign: str) -> Callable[[Any, Scope], Typed]:
    def form(node: exp.Binary, scope: Scope) -> Typed:
        left, right = (_condition(each, scope) for each in (node.this, node.expression))
        return Typed(f"({left} {sign} {right})", BOOLEAN)

    return form


def _not(node: exp.Not, scope: Scope) -> Typed:
    return Typed(f"(NOT {_condition(node.this, scope)})", BOOLEAN)


def _is(node: exp.Is, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if isinstance(node.expression, exp.Null):
        return Typed(f"({value.sql} IS NULL)", BOOLEAN)
    if isinstance(node.expression, exp.Boolean) and value.dtype == BOOLEAN:
        return Typed(f"({value.sql} IS {node.expression.sql()})", BOOLEAN)
    raise NotLocalError("such a use of IS")


def _comparison(sign: str) -> Callable[[Any, Scope], Typed]:
    def form(node: exp.Binary, scope: Scope) -> Typed:
        left, right = together(_all((node.this, node.expression), scope))
        if not is_simple(left.dtype):
            raise NotLocalError(f"comparing {left.dtype}")
        return Typed(f"({left.sql} {sign} {right.sql})", BOOLEAN)

    return form


def _between(node: exp.Between, scope: Scope) -> Typed:
    value, low, high = together(_all((node.this, node.args["low"], node.args["high"]), scope))
    if not is_simple(value.dtype):
        raise NotLocalError(f"comparing {value.dtype}")
    return Typed(f"({value.sql} BETWEEN {low.sql} AND {high.sql})", BOOLEAN)


def _in(node: exp.In, scope: Scope) -> Typed:
    if not node.expressions:
        raise NotLocalError("IN with a subquery")
    value, *options = together(_all((node.this, *node.expressions), scope))
    if not is_simple(value.dtype):
        raise NotLocalError(f"comparing {value.dtype}")
    return Typed(f"({value.sql} IN ({', '.join(each.sql for each in options)}))", BOOLEAN)


def _case(node: exp.Case, scope: Scope) -> Typed:
    conditions, outcomes = [], []
    for branch in node.args["ifs"]:
        if node.this is None:
            conditions.append(_condition(branch.this, scope))
        else:
            left, right = together(_all((node.this, branch.this), scope))
            conditions.append(f"({left.sql} = {right.sql})")
        outcomes.append(branch.args["true"])
    otherwise = node.args.get("default") or exp.Null()
    return _choice(conditions, _all((*outcomes, otherwise), scope))


def _if(node: exp.If, scope: Scope) -> Typed:
    otherwise = node.args.get("false") or exp.Null()
    condition = _condition(node.this, scope)
    return _choice([condition], _all((node.args["true"], otherwise), scope))


def _choice(conditions: list[str], outcomes: list[Typed]) -> Typed:
    *values, otherwise = together(outcomes)
    parts = (f"WHEN {when} THEN {then.sql}" for when, then in zip(conditions, values, strict=True))
    return Typed(f"CASE {' '.join(parts)} ELSE {otherwise.sql} END", otherwise.dtype)


def _coalesce(node: exp.Coalesce, scope: Scope) -> Typed:
    values = together(_all((node.this, *node.expressions), scope))
    return Typed(f"coalesce({', '.join(each.sql for each in values)})", values[0].dtype)


def _extreme(function: str) -> Callable[[Any, Scope], Typed]:
    def form(node: exp.Func, scope: Scope) -> Typed:
        values = together(_all((node.this, *node.expressions), scope))
        if not is_simple(values[0].dtype):
            raise NotLocalError(f"comparing {values[0].dtype}")
        return Typed(f"{function}({', '.join(each.sql for each in values)})", values[0].dtype)

    return form


def _negative(node: exp.Neg, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if as_decimal(value.dtype) is None:
        raise NotLocalError(f"minus {value.dtype}")
    return cast(Typed(f"(- {value.sql})", VOID), value.dtype)


def _absolute(node: exp.Abs, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if as_decimal(value.dtype) is None:
        raise NotLocalError(f"the absolute value of {value.dtype}")
    return Typed(f"abs({value.sql})", value.dtype)


def _sum_or_difference(sign: str) -> Callable[[Any, Scope], Typed]:
    def form(node: exp.Binary, scope: Scope) -> Typed:
        left, right = _all((node.this, node.expression), scope)
        if is_integral(left.dtype) and is_integral(right.dtype):
            left, right = together((left, right))
            return Typed(f"({left.sql} {sign} {right.sql})", left.dtype)
        one, other = _decimals(left, right)
        scale = max(one.scale, other.scale)
        whole = max(one.precision - one.scale, other.precision - other.scale)
        result = adjusted(whole + scale + 1, scale)
        if result.scale != scale or whole + scale > _MAX_DIGITS:
            raise NotLocalError("a sum with more than 38 digits")
        left, right = cast(left, result), cast(right, result)
        return Typed(f"CAST({left.sql} {sign} {right.sql} AS {duckdb_type(result)})", result)

    return form


def _product(node: exp.Mul, scope: Scope) -> Typed:
    left, right = _all((node.this, node.expression), scope)
    if is_integral(left.dtype) and is_integral(right.dtype):
        left, right = together((left, right))
        return Typed(f"({left.sql} * {right.sql})", left.dtype)
    one, other = _decimals(left, right)
    digits, scale = one.precision + other.precision, one.scale + other.scale
    result = adjusted(digits + 1, scale)
    if result.scale != scale:
        raise NotLocalError("a product with more than 38 digits")
    if digits > _MAX_DIGITS:
        one, other = _narrowed(one, other)
    left, right = cast(left, one), cast(right, other)
    return Typed(f"CAST({left.sql} * {right.sql} AS {duckdb_type(result)})", result)


_LEAST_WHOLE_DIGITS = 6


def _narrowed(one: DecimalType, other: DecimalType) -> tuple[DecimalType, DecimalType]:
    """Types with 38 digits between them, which values seldom need; one that does not fit fails."""
    digits = max(other.scale + _LEAST_WHOLE_DIGITS, _MAX_DIGITS - one.precision)
    second = DecimalType(min(other.precision, digits), other.scale)
    rest = _MAX_DIGITS - second.precision
    if rest < min(one.precision, one.scale + _LEAST_WHOLE_DIGITS):
        raise NotLocalError("a product with more than 38 digits")
    return DecimalType(min(one.precision, rest), one.scale), second


def _decimals(left: Typed, right: Typed) -> tuple[DecimalType, DecimalType]:
    one, other = as_decimal(left.dtype), as_decimal(right.dtype)
    if one is None or other is None:
        raise NotLocalError(f"arithmetic on {left.dtype} and {right.dtype}")
    return one, other


def _quotient(node: exp.Div, scope: Scope) -> Typed:
    left, right = _all((node.this, node.expression), scope)
    if not isinstance(left.dtype, DecimalType) or not isinstance(right.dtype, DecimalType):
        raise NotLocalError(f"dividing {left.dtype} by {right.dtype}")
    one, other = left.dtype, right.dtype
    scale = max(6, one.scale + other.precision + 1)
    result = adjusted(one.precision - one.scale + other.scale + scale, scale)
    operands = ", ".join(f"CAST({each.sql} AS VARCHAR)" for each in (left, right))
    text = f"{DIVIDE}({operands}, {result.scale})"
    return Typed(f"CAST({text} AS {duckdb_type(result)})", result)


def _remainder(node: exp.Mod, scope: Scope) -> Typed:
    left, right = _all((node.this, node.expression), scope)
    divisor = node.expression.unnest()
    number = _plain_number(divisor.this if isinstance(divisor, exp.Cast) else divisor)
    if not number:
        raise NotLocalError("a remainder by something else than a number")
    if not is_integral(left.dtype) or not is_integral(right.dtype):
        raise NotLocalError(f"a remainder of {left.dtype}")
    left, right = together((left, right))
    return Typed(f"({left.sql} % {right.sql})", left.dtype)


def _length(node: exp.Length, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if value.dtype != STRING:
        raise NotLocalError(f"the length of {value.dtype}")
    return Typed(f"CAST(length({value.sql}) AS INTEGER)", INTEGER)


def _like(node: exp.Like, scope: Scope) -> Typed:
    value, pattern = translate(node.this, scope), node.expression
    plain = isinstance(pattern, exp.Literal) and pattern.is_string and "\\" not in pattern.name
    if value.dtype != STRING or not plain:
        raise NotLocalError("such a pattern")
    return Typed(f"({value.sql} LIKE {translate(pattern, scope).sql})", BOOLEAN)


def _escaped(node: exp.Escape, scope: Scope) -> Typed:
    pattern = node.this.expression
    if isinstance(pattern, exp.Literal) and node.expression.name not in pattern.name:
        return translate(node.this, scope)
    raise NotLocalError("such a pattern")


def _text_test(function: str) -> Callable[[Any, Scope], Typed]:
    def form(node: exp.Expression, scope: Scope) -> Typed:
        value, part = _all((node.this, node.expression), scope)
        if value.dtype != STRING or part.dtype != STRING:
            raise NotLocalError(f"{function} of {value.dtype}")
        return Typed(f"{function}({value.sql}, {part.sql})", BOOLEAN)

    return form


def _substring(node: exp.Substring, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    start, length = (_plain_number(node.args.get(part)) for part in ("start", "length"))
    if value.dtype != STRING or not start or length is None:
        raise NotLocalError("such a substring")
    return Typed(f"substring({value.sql}, {start}, {length})", STRING)


def _plain_number(node: exp.Expression | None) -> int | None:
    plain = isinstance(node, exp.Literal) and not node.is_string
    return int(node.name) if plain and node is not None else None


def _date_part(function: str) -> Callable[[Any, Scope], Typed]:
    def form(node: exp.Func, scope: Scope) -> Typed:
        inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate) else node.this
        value = translate(inner, scope)
        if value.dtype != DATE:
            raise NotLocalError(f"{function} of {value.dtype}")
        return Typed(f"CAST({function}({value.sql}) AS INTEGER)", INTEGER)

    return form


def _sum(node: exp.Sum, scope: Scope, only: str = "") -> Typed:
    value = translate(_not_distinct(node), scope)
    if is_integral(value.dtype):
        return Typed(f"CAST(sum({value.sql}){only} AS BIGINT)", BIGINT)
    if not isinstance(value.dtype, DecimalType):
        raise NotLocalError(f"a sum of {value.dtype}")
    digits = min(value.dtype.precision + 10, _MAX_DIGITS)
    result = DecimalType(digits, value.dtype.scale)
    return Typed(f"CAST(sum({value.sql}){only} AS {duckdb_type(result)})", result)


def _count(node: exp.Count, scope: Scope, only: str = "") -> Typed:
    if isinstance(node.this, exp.Star):
        return Typed(f"count(*){only}", BIGINT)
    distinct = isinstance(node.this, exp.Distinct)
    values = _all(node.this.expressions if distinct else (node.this, *node.expressions), scope)
    if len(values) != 1 or not is_simple(values[0].dtype):
        raise NotLocalError("such a count")
    return Typed(f"count({'DISTINCT ' if distinct else ''}{values[0].sql}){only}", BIGINT)


def _average(node: exp.Avg, scope: Scope, only: str = "") -> Typed:
    value = translate(_not_distinct(node), scope)
    if not isinstance(value.dtype, DecimalType):
        raise NotLocalError(f"the average of {value.dtype}")
    total = f"CAST(sum({value.sql}){only} AS VARCHAR)"
    count = f"CAST(nullif(count({value.sql}){only}, 0) AS VARCHAR)"
    digits, scale = value.dtype.precision + 4, value.dtype.scale + 4
    result = DecimalType(min(digits, _MAX_DIGITS), min(scale, _MAX_DIGITS))
    quotient = f"{DIVIDE}({total}, {count}, {result.scale})"
    return Typed(f"CAST({quotient} AS {duckdb_type(result)})", result)


def _aggregate(function: str) -> AggregateForm:
    def form(node: exp.Func, scope: Scope, only: str = "") -> Typed:
        value = translate(_not_distinct(node), scope)
        if not is_simple(value.dtype):
            raise NotLocalError(f"{function} of {value.dtype}")
        return Typed(f"{function}({value.sql}){only}", value.dtype)

    return form


def _not_distinct(node: exp.Func) -> exp.Expression:
    inner: exp.Expression = node.this
    if isinstance(inner, exp.Distinct) or node.expressions:
        raise NotLocalError("such an aggregate")
    return inner


def _filtered(node: exp.Filter, scope: Scope) -> Typed:
    aggregate = _AGGREGATES.get(type(node.this))
    if aggregate is None:
        raise NotLocalError("FILTER after something else than an aggregate")
    condition = _condition(node.expression.this, scope)
    return aggregate(node.this, scope, f" FILTER (WHERE {condition})")


_RANKS: Mapping[type[exp.Expression], str] = {
    exp.RowNumber: "row_number()",
    exp.Rank: "rank()",
    exp.DenseRank: "dense_rank()",
}


def _window(node: exp.Window, scope: Scope) -> Typed:
    kind = type(node.this)
    if kind in _RANKS:
        text, dtype = _RANKS[kind], INTEGER
        return Typed(f"CAST({text} OVER ({_over(node, scope)}) AS INTEGER)", dtype)
    if kind in _AGGREGATES and kind is not exp.AnyValue:
        return _AGGREGATES[kind](node.this, scope, f" OVER ({_over(node, scope)})")
    raise NotLocalError(f"{kind.__name__.lower()} over a window")


def _over(node: exp.Window, scope: Scope) -> str:
    parts = []
    keys = _all(node.args.get("partition_by") or (), scope)
    if keys:
        parts.append(f"PARTITION BY {', '.join(key.sql for key in keys)}")
    order = node.args.get("order")
    ordered = order.expressions if order is not None else ()
    sorted_by = [translate(each.this, scope) for each in ordered]
    if not all(is_simple(key.dtype) for key in (*keys, *sorted_by)):
        raise NotLocalError("a window over such columns")
    if sorted_by:
        pairs = zip(ordered, sorted_by, strict=True)
        parts.append("ORDER BY " + ", ".join(sort_key(each, key) for each, key in pairs))
    if node.args.get("spec") is not None:
        parts.append(_frame(node.args["spec"]))
    return " ".join(parts)


def sort_key(node: exp.Ordered, key: Typed) -> str:
    """A key of ORDER BY with direction and place of NULLs."""
    direction = "DESC" if node.args.get("desc") else "ASC"
    return f"{key.sql} {direction} NULLS {'FIRST' if node.args.get('nulls_first') else 'LAST'}"


def _frame(spec: exp.WindowSpec) -> str:
    """A frame between ends that name no distance."""
    edges = []
    for edge in ("start", "end"):
        value, side = spec.args.get(edge), spec.args.get(f"{edge}_side") or ""
        if value not in ("UNBOUNDED", "CURRENT ROW"):
            raise NotLocalError("such a window frame")
        edges.append(f"{value} {side}".strip())
    if spec.args["kind"] not in ("ROWS", "RANGE"):
        raise NotLocalError("such a window frame")
    return f"{spec.args['kind']} BETWEEN {edges[0]} AND {edges[1]}"


def _array(node: exp.Array, scope: Scope) -> Typed:
    values = together(_all(node.expressions, scope))
    return Typed(f"[{', '.join(each.sql for each in values)}]", ArrayType(values[0].dtype))


def _struct(node: exp.Struct, scope: Scope) -> Typed:
    fields, parts = [], []
    for each in node.expressions:
        name, value = each.this.name, translate(each.expression, scope)
        fields.append(Field(name, value.dtype))
        parts.append(f"{quoted(name)} := {value.sql}")
    return Typed(f"struct_pack({', '.join(parts)})", StructType(tuple(fields)))


def _array_filter(node: exp.ArrayFilter, scope: Scope) -> Typed:
    values = translate(node.this, scope)
    if not isinstance(values.dtype, ArrayType):
        raise NotLocalError("filter of something else than an array")
    (variable,) = (each.name for each in node.expression.expressions)
    inner = scope.with_variable(variable, values.dtype.element)
    condition = _condition(node.expression.this, inner)
    return replace(values, sql=f"list_filter({values.sql}, lambda {variable}: {condition})")


def _explode(node: exp.Explode, scope: Scope) -> Typed:
    values = translate(node.this, scope)
    if not isinstance(values.dtype, ArrayType):
        raise NotLocalError("explode of something else than an array")
    return Typed(f"unnest({values.sql})", values.dtype.element)


def _get(node: exp.Anonymous, scope: Scope) -> Typed:
    values, place = _all(node.expressions, scope)
    if not isinstance(values.dtype, ArrayType) or not is_integral(place.dtype):
        raise NotLocalError("such a use of get")
    return Typed(f"({values.sql})[{place.sql} + 1]", values.dtype.element)


def _hash(node: exp.Anonymous, scope: Scope) -> Typed:
    text = f"CAST({SEED} AS BIGINT)"
    for value in _all(node.expressions, scope):
        function, argument = _hashed_as(value)
        text = f"{function}({text}, {argument})"
    return Typed(text, BIGINT)


_LONG_DIGITS = 18
"""Decimals of up to this many digits hash as 64-bit numbers, wider ones as bytes."""


def _hashed_as(value: Typed) -> tuple[str, str]:
    """The function of ours that hashes a value, and the value as it takes it."""
    match value.dtype:
        case DecimalType(precision=precision) if precision > _LONG_DIGITS:
            return "hash_wide_decimals", f"CAST({value.sql} AS VARCHAR)"
        case DecimalType(scale=scale):
            shift = f"CAST({10**scale} AS DECIMAL({scale + 1},0))"
            return "hash_longs", f"CAST({value.sql} * {shift} AS BIGINT)"
        case _ if value.dtype in (BIGINT, VOID):
            return "hash_longs", f"CAST({value.sql} AS BIGINT)"
        case _ if value.dtype in (TIMESTAMP, TIMESTAMP_NTZ):
            return "hash_longs", f"epoch_us({value.sql})"
        case _ if value.dtype == DATE:
            return "hash_ints", f"CAST({value.sql} - DATE '1970-01-01' AS INTEGER)"
        case _ if value.dtype == BOOLEAN or is_integral(value.dtype):
            return "hash_ints", f"CAST({value.sql} AS INTEGER)"
        case _ if value.dtype == STRING:
            return "hash_texts", value.sql
    raise NotLocalError(f"the hash of {value.dtype}")


_NAMED: Mapping[str, Callable[[exp.Anonymous, Scope], Typed]] = {"get": _get, "xxhash64": _hash}


def _anonymous(node: exp.Anonymous, scope: Scope) -> Typed:
    form = _NAMED.get(node.name.lower())
    if form is None:
        raise NotLocalError(f"the function {node.name}")
    return form(node, scope)


_AGGREGATES: Mapping[type[exp.Expression], AggregateForm] = {
    exp.Sum: _sum,
    exp.Avg: _average,
    exp.Count: _count,
    exp.Min: _aggregate("min"),
    exp.Max: _aggregate("max"),
    exp.AnyValue: _aggregate("any_value"),
}
_FORMS: Mapping[type[exp.Expression], Callable[[Any, Scope], Typed]] = {
    exp.Column: _column,
    exp.Identifier: _identifier,
    exp.Dot: _dot,
    exp.Literal: _literal,
    exp.Null: _null,
    exp.Boolean: _boolean,
    exp.Paren: _paren,
    exp.Cast: _cast,
    exp.And: _connective("AND"),
    exp.Or: _connective("OR"),
    exp.Not: _not,
    exp.Is: _is,
    exp.EQ: _comparison("="),
    exp.NEQ: _comparison("<>"),
    exp.LT: _comparison("<"),
    exp.LTE: _comparison("<="),
    exp.GT: _comparison(">"),
    exp.GTE: _comparison(">="),
    exp.NullSafeEQ: _comparison("IS NOT DISTINCT FROM"),
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Greatest: _extreme("greatest"),
    exp.Least: _extreme("least"),
    exp.Neg: _negative,
    exp.Abs: _absolute,
    exp.Add: _sum_or_difference("+"),
    exp.Sub: _sum_or_difference("-"),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.Mod: _remainder,
    exp.Length: _length,
    exp.Like: _like,
    exp.Escape: _escaped,
    exp.Window: _window,
    exp.StartsWith: _text_test("starts_with"),
    exp.EndsWith: _text_test("ends_with"),
    exp.Contains: _text_test("contains"),
    exp.Substring: _substring,
    exp.Year: _date_part("year"),
    exp.Month: _date_part("month"),
    exp.Day: _date_part("day"),
    exp.Filter: _filtered,
    **_AGGREGATES,
    exp.Array: _array,
    exp.Struct: _struct,
    exp.ArrayFilter: _array_filter,
    exp.Explode: _explode,
    exp.Anonymous: _anonymous,
}
