"""Row expressions: numbers, texts, dates and times, one strategy per construct.

No strategy makes an expression that can raise: sums that could overflow use the `try_`
form, divisors cannot be zero, and texts are converted with `try_cast`.
"""

from __future__ import annotations

from dataclasses import replace

from .core import COMMON, Kind, Maker, Scope, Value, expression, literal, produces

_LIMITS = {Kind.INT: 2.0e9, Kind.LONG: 9.0e18, Kind.DECIMAL: 1.0e16, Kind.DOUBLE: 1.0e6}
_NUMBERS = tuple(_LIMITS)
_CARRIED = tuple(kind for kind in Kind if kind not in COMMON)


# Constructs of every kind -------------------------------------------------------------------


@produces(*Kind)
def case_when(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """CASE WHEN condition THEN value [ELSE value] END."""
    condition = expression(make, scope, Kind.BOOL, depth)
    then, other = (expression(make, scope, kind, depth) for _ in range(2))
    otherwise = "" if make.chance(30) else f" ELSE {other.sql}"
    return _either(f"CASE WHEN {condition.sql} THEN {then.sql}{otherwise} END", then, other)


@produces(*COMMON)
def case_of(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """CASE value WHEN constant THEN value ELSE value END."""
    subject = expression(make, scope, Kind.INT, 0)
    then, other = (expression(make, scope, kind, depth) for _ in range(2))
    key = make.pick(subject.samples or ("1", "2"))
    return _either(
        f"CASE {subject.sql} WHEN {key} THEN {then.sql} ELSE {other.sql} END", then, other
    )


@produces(*Kind, weight=2)
def coalesce(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """COALESCE of two values."""
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    name = make.pick(["coalesce", "nvl"])
    return _either(f"{name}({first.sql}, {second.sql})", first, second)


@produces(*COMMON)
def if_else(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """if(condition, value, value)."""
    condition = expression(make, scope, Kind.BOOL, depth)
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    return _either(f"if({condition.sql}, {first.sql}, {second.sql})", first, second)


@produces(*(kind for kind in COMMON if kind is not Kind.BOOL))
def null_if(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """NULLIF of a value and another."""
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    return replace(first, sql=f"nullif({first.sql}, {second.sql})", samples=())


@produces(Kind.INT, Kind.LONG, Kind.STRING, Kind.DATE)
def greatest_or_least(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """greatest or least of two values, which leave NULLs out."""
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    name = make.pick(["greatest", "least"])
    return _either(f"{name}({first.sql}, {second.sql})", first, second)


def _either(sql: str, first: Value, second: Value) -> Value:
    """What is known of a value that is one of two."""
    return Value(sql, first.kind, max(first.bound, second.bound), first.exact and second.exact)


# Numbers ------------------------------------------------------------------------------------


@produces(*_NUMBERS, weight=2)
def add_or_subtract(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """a + b or a - b; the `try_` form where the bound says that it may overflow."""
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    sign, function = make.pick([("+", "try_add"), ("-", "try_subtract")])
    bound = first.bound + second.bound
    exact = first.exact and second.exact
    if bound > _LIMITS[kind]:
        return Value(f"{function}({first.sql}, {second.sql})", kind, exact=exact and _whole(kind))
    return Value(f"({first.sql} {sign} {second.sql})", kind, bound, exact)


@produces(*_NUMBERS)
def multiply(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """a * b; the product of two doubles no longer adds exactly."""
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    bound = first.bound * second.bound if first.bound and second.bound else 0.0
    if bound > _LIMITS[kind]:
        return Value(f"try_multiply({first.sql}, {second.sql})", kind, exact=_whole(kind))
    return Value(f"({first.sql} * {second.sql})", kind, bound, _whole(kind))


def _whole(kind: Kind) -> bool:
    return kind is not Kind.DOUBLE


@produces(Kind.INT, Kind.LONG)
def remainder(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """a % constant, or pmod."""
    number = expression(make, scope, kind, depth)
    divisor = make.pick([3, 2, 5, 10])
    form = make.pick(["({} % {})", "pmod({}, {})"])
    return Value(form.format(number.sql, divisor), kind, divisor)


@produces(*_NUMBERS)
def absolute_or_negative(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """abs(a) or -a."""
    number = expression(make, scope, kind, depth)
    if number.bound > _LIMITS[kind]:
        return number
    return replace(number, sql=f"{make.pick(['abs', '-'])}({number.sql})", samples=())


@produces(Kind.DECIMAL, Kind.DOUBLE)
def divide(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """a / nullif(b, 0) or try_divide(a, b); decimals may overflow only in the second."""
    first, second = (expression(make, scope, kind, depth) for _ in range(2))
    sql = f"try_divide({first.sql}, {second.sql})"
    if kind is Kind.DOUBLE and make.chance(50):
        sql = f"({first.sql} / nullif({second.sql}, 0D))"
    return Value(sql, kind, exact=_whole(kind))


@produces(Kind.LONG)
def divide_whole(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """a div b, where b is not zero."""
    first = expression(make, scope, make.pick([Kind.INT, Kind.LONG]), depth)
    second = expression(make, scope, Kind.INT, depth)
    divisor = make.pick(["3", f"nullif({second.sql}, 0)"])
    if first.bound > 9.0e18:
        divisor = "3"
    return Value(f"({first.sql} div {divisor})", Kind.LONG, first.bound)


@produces(Kind.LONG, Kind.DOUBLE, Kind.DECIMAL, weight=2)
def widen_integer(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """An integer as a wider number."""
    number = expression(make, scope, Kind.INT, depth)
    if kind is Kind.DECIMAL:
        return Value(f"CAST({number.sql} AS DECIMAL(14,2))", kind, number.bound)
    return Value(
        f"CAST({number.sql} AS {kind.value})", kind, number.bound, exact=number.bound < 1e6
    )


@produces(Kind.INT)
def narrow_long(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A small BIGINT as INT."""
    number = expression(make, scope, Kind.LONG, depth)
    return Value(f"CAST(pmod({number.sql}, 1000) AS INT)", Kind.INT, 1000)


@produces(Kind.INT)
def integer_from_bool(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A condition as 0 or 1."""
    condition = expression(make, scope, Kind.BOOL, depth)
    return Value(f"CAST({condition.sql} AS INT)", Kind.INT, 1)


@produces(Kind.DECIMAL)
def rounded(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """round(a, digits)."""
    number = expression(make, scope, Kind.DECIMAL, depth)
    if number.bound > _LIMITS[Kind.DECIMAL]:
        return number
    return Value(f"round({number.sql}, {make.pick([1, 0, 2])})", Kind.DECIMAL, number.bound + 1)


@produces(Kind.LONG)
def floor_or_ceiling(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """floor or ceil of a double of moderate size."""
    number = expression(make, scope, Kind.DOUBLE, depth)
    if not number.bound < 1e15:
        return expression(make, scope, Kind.LONG, depth)
    return Value(f"{make.pick(['floor', 'ceil'])}({number.sql})", Kind.LONG, number.bound + 1)


@produces(Kind.DOUBLE)
def square_root(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """sqrt, which gives NaN for negative numbers."""
    number = expression(make, scope, Kind.DOUBLE, depth)
    return Value(f"sqrt({number.sql})", Kind.DOUBLE, exact=False)


# Texts --------------------------------------------------------------------------------------


@produces(Kind.STRING, weight=2)
def changed_text(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A function of one text."""
    text = expression(make, scope, Kind.STRING, depth)
    forms = [
        "upper({})",
        "lower({})",
        "trim({})",
        "reverse({})",
        "substring({}, 1, 2)",
        "substring({}, -2)",
        "left({}, 3)",
        "lpad({}, 4, '.')",
        "replace({}, 'a', 'xy')",
        "regexp_replace({}, '[aeiou]+', '*')",
        "split_part({}, 'a', 1)",
        "translate({}, 'abc', 'xy')",
    ]
    return Value(make.pick(forms).format(text.sql), Kind.STRING)


@produces(Kind.STRING)
def joined_texts(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """Two texts put together."""
    first, second = (expression(make, scope, Kind.STRING, depth) for _ in range(2))
    form = make.pick(["({} || {})", "concat_ws('-', {}, {})", "concat({}, '/', {})"])
    return Value(form.format(first.sql, second.sql), Kind.STRING)


@produces(Kind.STRING)
def text_of_value(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A value as text; not a double, as both zeros are equal but look different."""
    kinds = (Kind.INT, Kind.LONG, Kind.DATE, Kind.BOOL, Kind.DECIMAL, Kind.TIMESTAMP)
    value = expression(make, scope, make.pick(kinds), depth)
    return Value(f"CAST({value.sql} AS STRING)", Kind.STRING)


@produces(Kind.STRING)
def formatted_date(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """date_format with a fixed pattern."""
    day = expression(make, scope, Kind.DATE, depth)
    return Value(f"date_format({day.sql}, {make.pick(['yyyy-MM', 'DDD'])!r})", Kind.STRING)


@produces(Kind.INT, Kind.DATE, Kind.LONG, Kind.DECIMAL, Kind.TIMESTAMP)
def read_text(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """A text read as another type, or NULL."""
    text = expression(make, scope, Kind.STRING, depth)
    return Value(f"try_cast({text.sql} AS {kind.value})", kind)


@produces(Kind.INT)
def measured_text(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A number that a text gives."""
    text = expression(make, scope, Kind.STRING, depth)
    form = make.pick(["length({})", "instr({}, 'a')", "ascii({})", "levenshtein({}, 'abc')"])
    return Value(form.format(text.sql), Kind.INT, 2e6)


# Dates and times ----------------------------------------------------------------------------


@produces(Kind.DATE, weight=2)
def moved_date(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A day some days or months off, or the first or last of its month."""
    day = expression(make, scope, Kind.DATE, depth)
    forms = [
        "date_add({}, 1)",
        "date_sub({}, 30)",
        "add_months({}, 1)",
        "last_day({})",
        "trunc({}, 'MM')",
        "({} + INTERVAL '1' YEAR)",
        "next_day({}, 'Monday')",
    ]
    return Value(make.pick(forms).format(day.sql), Kind.DATE)


@produces(Kind.DATE)
def date_by_number(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A day moved by a number of the data."""
    day = expression(make, scope, Kind.DATE, depth)
    number = expression(make, scope, Kind.INT, depth)
    return Value(f"date_add({day.sql}, {number.sql} % 100)", Kind.DATE)


@produces(Kind.DATE)
def day_of_moment(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """The day of a timestamp."""
    moment = expression(make, scope, make.pick([Kind.TIMESTAMP, Kind.NTZ]), depth)
    return Value(f"CAST({moment.sql} AS DATE)", Kind.DATE)


@produces(Kind.TIMESTAMP, weight=2)
def moved_moment(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A moment truncated or moved."""
    moment = expression(make, scope, Kind.TIMESTAMP, depth)
    forms = [
        "date_trunc('HOUR', {})",
        "date_trunc('MONTH', {})",
        "({} + INTERVAL '1' DAY)",
        "({} - INTERVAL '90' MINUTE)",
        "timestampadd(HOUR, 5, {})",
    ]
    return Value(make.pick(forms).format(moment.sql), Kind.TIMESTAMP)


@produces(Kind.TIMESTAMP)
def moment_of_day(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """Midnight of a day."""
    day = expression(make, scope, Kind.DATE, depth)
    return Value(f"CAST({day.sql} AS TIMESTAMP)", Kind.TIMESTAMP)


@produces(Kind.INT)
def field_of_date(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A calendar field."""
    day = expression(make, scope, Kind.DATE, depth)
    forms = ["year({})", "month({})", "dayofweek({})", "extract(QUARTER FROM {})", "weekofyear({})"]
    return Value(make.pick(forms).format(day.sql), Kind.INT, 10_000)


@produces(Kind.INT)
def days_between(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """The days from one date to another."""
    first, second = (expression(make, scope, Kind.DATE, depth) for _ in range(2))
    return Value(f"datediff({first.sql}, {second.sql})", Kind.INT, 8e6)


# Arrays, structs and maps -------------------------------------------------------------------


@produces(Kind.INT)
def part_of_nested(make: Maker, scope: Scope, _depth: int, kind: Kind) -> Value:
    """A number inside a nested column; a literal where there is none."""
    forms = {
        Kind.INTS: ["try_element_at({}, 1)", "array_max({})", "size({})", "get({}, 1)"],
        Kind.STRINGS: ["size({})", "CAST(array_position({}, 'a') AS INT)"],
        Kind.POINT: ["{}.x"],
        Kind.MAP: ["{}['x']", "try_element_at({}, 'y')", "size({})"],
    }
    nested = [value for value in scope.values if value.kind in forms]
    if not nested:
        return literal(make, kind)
    column = make.pick(nested)
    part = make.pick(forms[column.kind]).format(column.sql)
    return Value(f"({part} % 1000)", Kind.INT, 1000)


@produces(Kind.STRING)
def text_of_nested(make: Maker, scope: Scope, _depth: int, kind: Kind) -> Value:
    """A text inside a nested column; a literal where there is none."""
    forms = {
        Kind.STRINGS: ["try_element_at({}, 1)", "array_join({}, '+')", "array_min({})"],
        Kind.POINT: ["{}.label"],
        Kind.MAP: ["array_join(array_sort(map_keys({})), ',')"],
    }
    nested = [value for value in scope.values if value.kind in forms]
    if not nested:
        return literal(make, kind)
    column = make.pick(nested)
    return Value(make.pick(forms[column.kind]).format(column.sql), Kind.STRING)


@produces(Kind.INTS, Kind.STRINGS)
def changed_array(make: Maker, scope: Scope, depth: int, kind: Kind) -> Value:
    """An array sorted, filtered or without repetitions."""
    array = expression(make, scope, kind, depth)
    forms = [
        "sort_array({})",
        "array_distinct({})",
        "filter({}, e -> e IS NOT NULL)",
        "reverse({})",
    ]
    return Value(make.pick(forms).format(array.sql), kind)
