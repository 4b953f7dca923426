"""Dates and timestamps: their parts, steps in the calendar, and numbers and texts of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.compiler.duckdb.date_casts import (
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    clock,
    clock_of_micros,
    day_number,
    day_of_number,
    finite_day,
    in_common_years,
    instant_of_seconds,
    micros,
    seconds,
)
from slackwater.compiler.duckdb.date_patterns import READ, strftime_pattern
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import quoted_text
from slackwater.expr.nodes import Call, Expr, Literal
from slackwater.types import (
    BIGINT,
    DATE,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    IntervalType,
    is_integral,
)

_TIMESTAMPS = (TIMESTAMP, TIMESTAMP_NTZ)
_MOMENTS = (DATE, *_TIMESTAMPS)
_CALENDAR_UNITS: Mapping[str, str] = {
    "WEEK": "week",
    **dict.fromkeys(("MON", "MONTH", "MM"), "month"),
    "QUARTER": "quarter",
    **dict.fromkeys(("YEAR", "YYYY", "YY"), "year"),
}
_CLOCK_UNITS: Mapping[str, str] = {
    "MINUTE": "minute",
    "HOUR": "hour",
    **dict.fromkeys(("DAY", "DD"), "day"),
}
_SMALL_UNITS: Mapping[str, str] = {
    "MICROSECOND": "microsecond",
    "MILLISECOND": "millisecond",
    "SECOND": "second",
}
_STEPS: Mapping[str, int] = {
    "MICROSECOND": 1,
    "MILLISECOND": 1000,
    "SECOND": MICROS_PER_SECOND,
    "MINUTE": 60 * MICROS_PER_SECOND,
    "HOUR": 3600 * MICROS_PER_SECOND,
    "DAY": MICROS_PER_DAY,
    "WEEK": 7 * MICROS_PER_DAY,
}
_DAYS: Mapping[str, int] = {"DAY": 1, "DAYOFYEAR": 1, "WEEK": 7}
_MONTHS: Mapping[str, int] = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_WEEKDAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
_MOST_DIGITS = 30
_MOST_MONTHS = 2**31 - 1


def _day_part(form: str) -> Form:
    def write(call: Call, scope: Scope) -> str:
        (value,) = call.args
        return f"CAST({form.format(_finite_day(call, value, scope))} AS INTEGER)"

    return write


def _finite_day(call: Call, value: Expr, scope: Scope) -> str:
    return finite_day(scope.text(_of_type(call, value, DATE)))


def _of_type(call: Call, value: Expr, *dtypes: DataType) -> Expr:
    if value.dtype not in dtypes:
        raise refused(call, f"{call.function} of such a value")
    return value


def _clock(call: Call, value: Expr, scope: Scope) -> str:
    return clock(scope.text(_of_type(call, value, *_TIMESTAMPS)), value.dtype)


def _clock_part(function: str) -> Form:
    def write(call: Call, scope: Scope) -> str:
        (value,) = call.args
        return f"CAST({function}({_clock(call, value, scope)}) AS INTEGER)"

    return write


def _extract(call: Call, scope: Scope) -> str:
    """The parts that have no function of their own."""
    (value,) = call.args
    match call.params:
        case ("SECOND",) if call.dtype == DecimalType(8, 6):
            count = f"CAST(microsecond({_clock(call, value, scope)}) AS DECIMAL(8,0))"
            return f"CAST({count} * CAST('0.000001' AS DECIMAL(7,6)) AS DECIMAL(8,6))"
        case ("YEAROFWEEK",):
            return _day_part("isoyear({})")(call, scope)
    raise refused(call, "such a part")


def _written(expr: Expr) -> str | None:
    """The text that is written there."""
    return expr.value if isinstance(expr, Literal) and expr.dtype == STRING else None


def _unit(expr: Expr) -> str:
    """The unit that is written there, in capitals; nothing if it is none."""
    written = _written(expr) or ""
    return written.upper() if written.isascii() else ""


def _date_trunc(call: Call, scope: Scope) -> str:
    """The start of a unit in the session's zone, where it may be one of two instants, or none."""
    unit, value = call.args
    name, text = _unit(unit), scope.text(_of_type(call, value, TIMESTAMP))
    if name in _SMALL_UNITS:
        # Offsets are whole seconds.
        start = f"date_trunc('{_SMALL_UNITS[name]}', {clock_of_micros(micros(text))})"
        return f"make_timestamptz(epoch_us({start}))"
    local = clock(text, TIMESTAMP)
    if name in _CLOCK_UNITS:
        return f"zone_instant_near(date_trunc('{_CLOCK_UNITS[name]}', {local}), {text})"
    if name in _CALENDAR_UNITS:
        start = f"date_trunc('{_CALENDAR_UNITS[name]}', {local})"
        return f"zone_day_start(CAST({start} AS DATE))"
    raise refused(call, "such a unit")


def _trunc(call: Call, scope: Scope) -> str:
    value, unit = call.args
    name = _CALENDAR_UNITS.get(_unit(unit))
    if name is None:
        raise refused(call, "such a unit")
    return f"CAST(date_trunc('{name}', {_finite_day(call, value, scope)}) AS DATE)"


def _of_instant(form: Callable[[str], str]) -> Form:
    def write(call: Call, scope: Scope) -> str:
        (value,) = call.args
        return form(scope.text(_of_type(call, value, TIMESTAMP)))

    return write


def _millis(text: str) -> str:
    return f"(epoch_us(date_trunc('millisecond', {clock_of_micros(micros(text))})) // 1000)"


def _of_number(form: Callable[[str], str]) -> Form:
    def write(call: Call, scope: Scope) -> str:
        (value,) = call.args
        if not is_integral(value.dtype):
            raise refused(call, f"{call.function} of something else than a whole number")
        return form(scope.text(value))

    return write


def _timestamp_seconds(call: Call, scope: Scope) -> str:
    """The timestamp of seconds in whole numbers, or in decimals of at most six digits."""
    (value,) = call.args
    match value.dtype:
        case DecimalType(precision=precision, scale=scale) if (
            scale <= 6 and precision <= _MOST_DIGITS
        ):
            count = f"{scope.text(value)} * CAST({MICROS_PER_SECOND} AS DECIMAL(7,0))"
            return f"make_timestamptz(CAST({count} AS BIGINT))"
    return _of_number(instant_of_seconds)(call, scope)


def _unix_date(call: Call, scope: Scope) -> str:
    (value,) = call.args
    return f"CAST({day_number(scope.text(_of_type(call, value, DATE)))} AS INTEGER)"


def _moved_days(sign: str) -> Form:
    def write(call: Call, scope: Scope) -> str:
        value, days = call.args
        if not is_integral(days.dtype) or days.dtype == BIGINT:
            raise refused(call, "such a number of days")
        number = day_number(scope.text(_of_type(call, value, DATE)))
        return day_of_number(f"({number} {sign} {scope.text(days)})")

    return write


def _datediff(call: Call, scope: Scope) -> str:
    end, start = (scope.text(_of_type(call, each, DATE)) for each in call.args)
    return f"CAST({end} - {start} AS INTEGER)"


def _add_months(call: Call, scope: Scope) -> str:
    value, months = call.args
    if not is_integral(months.dtype) or months.dtype == BIGINT:
        raise refused(call, "such a number of months")
    start = _finite_day(call, value, scope)
    return f"CAST({start} + to_months(CAST({scope.text(months)} AS INTEGER)) AS DATE)"


def _last_day(call: Call, scope: Scope) -> str:
    (value,) = call.args
    return f"last_day({_finite_day(call, value, scope)})"


def _next_day(call: Call, scope: Scope) -> str:
    """The first such weekday after a date: a week after the last that is not after it."""
    value, weekday = call.args
    name = _unit(weekday)
    places = [n for n, each in enumerate(_WEEKDAYS) if name in (each, each[:3], each[:2])]
    if not places:
        raise refused(call, "such a weekday")
    back = f"({_finite_day(call, value, scope)} - {places[0]})"
    return f"(CAST(date_trunc('week', {back}) AS DATE) + {places[0] + 7})"


def _make_date(call: Call, scope: Scope) -> str:
    if any(each.dtype != INTEGER for each in call.args):
        raise refused(call, "a date of such numbers")
    return f"make_date({', '.join(scope.texts(call.args))})"


def moved_or(otherwise: Form) -> Form:
    """A date or timestamp moved by an interval; other sums are written by the other form."""

    def write(call: Call, scope: Scope) -> str:
        value, interval = call.args
        if value.dtype not in _MOMENTS or not isinstance(interval.dtype, IntervalType):
            return otherwise(call, scope)
        if not isinstance(interval, Literal) or interval.value is None:
            raise refused(call, "an interval that is computed")
        count = int(interval.value)
        if interval.dtype.counts_months:
            return _moved_by_months(call, value, count, scope)
        days = abs(count) // MICROS_PER_DAY * (1 if count > 0 else -1)
        return _moved_by_days(call, value, days, count - days * MICROS_PER_DAY, scope)

    return write


def _moved_by_months(call: Call, value: Expr, months: int, scope: Scope) -> str:
    if abs(months) > _MOST_MONTHS:
        raise refused(call, "so many months")
    step = f"to_months({months})"
    if value.dtype == DATE:
        return f"CAST({_finite_day(call, value, scope)} + {step} AS DATE)"
    return _moved_on_clock(_clock(call, value, scope), step, value, scope)


def _moved_on_clock(local: str, step: str, value: Expr, scope: Scope) -> str:
    """A step on the calendar, after which the clock shows the same time if that exists."""
    moved = f"({local} + {step})"
    return f"zone_instant_near({moved}, {scope.text(value)})" if value.dtype == TIMESTAMP else moved


def _moved_by_days(call: Call, value: Expr, days: int, rest: int, scope: Scope) -> str:
    """Days are steps on the calendar, the microseconds that are left are time that passes."""
    text = scope.text(_of_type(call, value, *_TIMESTAMPS))
    if value.dtype == TIMESTAMP_NTZ:
        return clock_of_micros(f"{micros(text)} + ({days * MICROS_PER_DAY + rest})")
    if days:
        text = _moved_on_clock(clock(text, TIMESTAMP), f"to_days({days})", value, scope)
    return f"make_timestamptz({micros(text)} + ({rest}))" if rest else text


def _timestampadd(call: Call, scope: Scope) -> str:
    count, value = call.args
    (unit,) = (each.upper() for each in call.params)
    if not isinstance(count, Literal) or count.value is None or value.dtype not in _TIMESTAMPS:
        raise refused(call, "such a use of timestampadd")
    if unit in _MONTHS:
        return _moved_by_months(call, value, int(count.value) * _MONTHS[unit], scope)
    if unit in _DAYS:
        return _moved_by_days(call, value, int(count.value) * _DAYS[unit], 0, scope)
    if unit in _STEPS:
        return _moved_by_days(call, value, 0, int(count.value) * _STEPS[unit], scope)
    raise refused(call, "such a unit")


def _timestampdiff(call: Call, scope: Scope) -> str:
    """The whole units between two local times."""
    (unit,) = (each.upper() for each in call.params)
    if unit not in _STEPS:
        raise refused(call, "such a unit")
    start, end = (f"epoch_us({_clock(call, each, scope)})" for each in call.args)
    return f"(({end} - {start}) // {_STEPS[unit]})"


def _named_part(pattern: str) -> Form:
    def write(call: Call, scope: Scope) -> str:
        (value,) = call.args
        return f"strftime({_finite_day(call, value, scope)}, '{pattern}')"

    return write


def _date_format(call: Call, scope: Scope) -> str:
    value, pattern = call.args
    return _formatted(call, _clock(call, value, scope), pattern)


def _formatted(call: Call, local: str, pattern: Expr) -> str:
    written = _written(pattern)
    form = strftime_pattern(written) if written else None
    if form is None:
        raise refused(call, "such a pattern")
    return in_common_years(local, f"strftime({local}, {quoted_text(form)})")


def _from_unixtime(call: Call, scope: Scope) -> str:
    value, pattern = call.args
    if value.dtype != BIGINT:
        raise refused(call, "such a number of seconds")
    return _formatted(call, clock(instant_of_seconds(scope.text(value)), TIMESTAMP), pattern)


def _unix_timestamp(call: Call, scope: Scope) -> str:
    """The whole seconds since 1970, rounded towards it."""
    value, pattern = call.args
    if value.dtype == DATE:
        instant = f"zone_day_start({scope.text(value)})"
    elif value.dtype == STRING:
        instant = f"zone_instant({_read_by_pattern(call, value, pattern, scope)})"
    else:
        instant = scope.text(_of_type(call, value, TIMESTAMP))
    return f"({micros(instant)} // {MICROS_PER_SECOND})"


def _read_by_pattern(call: Call, value: Expr, pattern: Expr, scope: Scope) -> str:
    """A text with all digits of a pattern; Spark decides what others mean, or that they fail."""
    expected = READ.get(_written(pattern) or "")
    if expected is None or value.dtype != STRING:
        raise refused(call, "such a pattern")
    text = scope.text(value)
    # There is no year 0 in an era, by which these patterns count.
    unusual = f"NOT regexp_full_match({text}, '{expected}') OR starts_with({text}, '0000')"
    return f"(CASE WHEN {unusual} THEN error('such a text') ELSE CAST({text} AS TIMESTAMP) END)"


def _to_timestamp(form: str) -> Form:
    def write(call: Call, scope: Scope) -> str:
        value, pattern = call.args
        return form.format(_read_by_pattern(call, value, pattern, scope))

    return write


FORMS: Mapping[str, Form] = {
    "year": _day_part("year({})"),
    "quarter": _day_part("quarter({})"),
    "month": _day_part("month({})"),
    "day": _day_part("day({})"),
    "dayofweek": _day_part("dayofweek({}) + 1"),
    "weekday": _day_part("isodow({}) - 1"),
    "dayofyear": _day_part("dayofyear({})"),
    "weekofyear": _day_part("weekofyear({})"),
    "hour": _clock_part("hour"),
    "minute": _clock_part("minute"),
    "second": _clock_part("second"),
    "extract": _extract,
    "monthname": _named_part("%b"),
    "dayname": _named_part("%a"),
    "date_trunc": _date_trunc,
    "trunc": _trunc,
    "unix_micros": _of_instant(micros),
    "unix_millis": _of_instant(_millis),
    "unix_seconds": _of_instant(seconds),
    "unix_date": _unix_date,
    "timestamp_micros": _of_number("make_timestamptz(CAST({} AS BIGINT))".format),
    "timestamp_millis": _of_number("make_timestamptz(CAST({} AS BIGINT) * 1000)".format),
    "timestamp_seconds": _timestamp_seconds,
    "date_from_unix_date": _of_number(day_of_number),
    "date_add": _moved_days("+"),
    "date_sub": _moved_days("-"),
    "datediff": _datediff,
    "add_months": _add_months,
    "last_day": _last_day,
    "next_day": _next_day,
    "make_date": _make_date,
    "timestampadd": _timestampadd,
    "timestampdiff": _timestampdiff,
    "date_format": _date_format,
    "from_unixtime": _from_unixtime,
    "unix_timestamp": _unix_timestamp,
    "to_timestamp_ltz": _to_timestamp("zone_instant({})"),
    "to_timestamp_ntz": _to_timestamp("{}"),
}
