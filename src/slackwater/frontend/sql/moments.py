"""Reads the Catalyst expressions about moments that need more than a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slackwater.expr.build import with_type
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Literal
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.reader import ExpressionReader
from slackwater.frontend.sql.scope import UnrepresentableError
from slackwater.types import CALENDAR_INTERVAL, TIMESTAMP, IntervalType, parse_spark_type


def timestamp_unit(reader: ExpressionReader, node: Node) -> Expr:
    """timestampadd and timestampdiff, which name a unit."""
    function = "timestampadd" if node.name == "TimestampAdd" else "timestampdiff"
    args = reader.read_all(node.children)
    result = call(function, *args, params=(str(node.value("unit")),))
    return result if function == "timestampdiff" else with_type(result, args[1].dtype)


def parse_timestamp(reader: ExpressionReader, node: Node) -> Expr:
    """Text read as a moment by a format."""
    args = reader.read_all(node.children)
    plain = parse_spark_type(node.value("dataType")) == TIMESTAMP
    if reader.is_quiet(node):
        if not plain:
            raise UnrepresentableError("try_to_timestamp without time zone has no SQL form")
        return call("try_to_timestamp", *args)
    return call("to_timestamp_ltz" if plain else "to_timestamp_ntz", *args)


def make_timestamp(reader: ExpressionReader, node: Node) -> Expr:
    """A moment from its fields."""
    plain = parse_spark_type(node.value("dataType")) == TIMESTAMP
    function = "make_timestamp_ltz" if plain else "make_timestamp_ntz"
    if reader.is_quiet(node):
        function = f"try_{function}"
    return call(function, *reader.read_all(node.children))


def precise_timestamp(reader: ExpressionReader, node: Node) -> Expr:
    """A moment as microseconds and back: what time windows are made of."""
    (child,) = node.children
    if child.name == node.name and child.value("fromType") == node.value("toType"):
        return reader.read(child.children[0])
    to_number = node.value("toType") == "long"
    return call("unix_micros" if to_number else "timestamp_micros", reader.read(child))


def add_interval(reader: ExpressionReader, node: Node) -> Expr:
    """A moment and an interval of months, days and time; by a constant of one kind if it is one."""
    start, interval = reader.read_all(node.children)
    if isinstance(interval, Literal) and interval.dtype == CALENDAR_INTERVAL and interval.value:
        interval = _of_one_kind(reader.facts.jvm_plan.literal_value(node.children[1])) or interval
    return call("+", start, interval)


def _of_one_kind(value: Any) -> Literal | None:
    """The same interval in months, or in days and less than a day of the same sign."""
    period, duration = value.extractAsPeriod(), value.extractAsDuration()
    months, days = int(period.getMonths()), int(period.getDays())
    micros = int(duration.getSeconds()) * 1_000_000 + int(duration.getNano()) // 1000
    if not days and not micros:
        return Literal(str(months), IntervalType("YEAR", "MONTH"))
    if months or days * micros < 0 or abs(micros) >= _DAY:
        return None
    return Literal(str(days * _DAY + micros), IntervalType("DAY", "SECOND"))


def make_interval(reader: ExpressionReader, node: Node) -> Expr:
    """An interval from its parts."""
    function = "try_make_interval" if reader.is_quiet(node) else "make_interval"
    return call(function, *reader.read_all(node.children))


_DAY = 86_400_000_000
TIMES: Mapping[str, Callable[[ExpressionReader, Node], Expr]] = {
    "TimestampAdd": timestamp_unit,
    "TimestampDiff": timestamp_unit,
    "GetTimestamp": parse_timestamp,
    "MakeTimestamp": make_timestamp,
    "PreciseTimestampConversion": precise_timestamp,
    "TimestampAddInterval": add_interval,
    "MakeInterval": make_interval,
}
