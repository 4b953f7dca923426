"""Reads the Catalyst aggregates: simple ones by table, the others by one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from slackwater.expr.aggregates import aggregate
from slackwater.expr.literals import print_literal
from slackwater.expr.nodes import AggregateCall, Expr, SortKey
from slackwater.frontend.sql.bias_tables import read_sketch
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_reader import ExpressionReader
from slackwater.frontend.sql.expression_tables import AGGREGATES
from slackwater.frontend.sql.scope import UnrepresentableError
from slackwater.types import BINARY, STRING


def aggregate_expression(reader: ExpressionReader, node: Node) -> AggregateCall:
    """An aggregate with its DISTINCT and FILTER."""
    if node.object_name("mode") != "Complete":
        raise UnrepresentableError(f"an aggregate in mode {node.object_name('mode')}")
    function, *rest = node.children
    if function.name not in SPECIAL_AGGREGATES and function.name not in AGGREGATES:
        raise UnrepresentableError(f"aggregate {function.name} is not known")
    reader.check(function)
    where = reader.read(rest[0]) if rest else None
    distinct = bool(node.value("isDistinct"))
    if function.name in SPECIAL_AGGREGATES:
        return SPECIAL_AGGREGATES[function.name](reader, function, distinct, where)
    args = reader.read_all(function.children)
    return aggregate(AGGREGATES[function.name], *args, distinct=distinct, where=where)


def sum_or_average(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """Sums and averages, which may give NULL instead of overflowing."""
    function = "sum" if node.name == "Sum" else "avg"
    if reader.is_try(node):
        function = f"try_{function}"
    return aggregate(function, *reader.read_all(node.children), distinct=distinct, where=where)


def first_or_last(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """The first or last value met."""
    function = "first" if node.name == "First" else "last"
    params = ("TRUE",) if node.value("ignoreNulls") else ()
    args = reader.read_all(node.children)
    return aggregate(function, *args, distinct=distinct, where=where, params=params)


def percentile(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """Exact percentiles; counted from above they need the WITHIN GROUP form."""
    child, percentage, *frequency = reader.read_all(node.children)
    disc = node.name == "PercentileDisc"
    if disc and node.value("legacyCalculation"):
        raise UnrepresentableError("percentile_disc with legacy calculation")
    if not disc and not node.value("reverse"):
        return aggregate(
            "percentile", child, percentage, *frequency, distinct=distinct, where=where
        )
    order = (SortKey(child, ascending=not node.value("reverse")),)
    function = "percentile_disc" if disc else "percentile_cont"
    return aggregate(function, percentage, distinct=distinct, where=where, order=order)


def mode(reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None) -> AggregateCall:
    """The most frequent value; ties are decided only if an order is given."""
    (child,) = reader.read_all(node.children)
    reverse = node.value("reverseOpt")
    if reverse is False:
        order = (SortKey(child, ascending=False),)
        return aggregate("mode_within", distinct=distinct, where=where, order=order)
    params = () if reverse is None else ("TRUE",)
    return aggregate("mode", child, distinct=distinct, where=where, params=params)


def approx_distinct(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """approx_count_distinct with its error bound, and the sketch that Spark makes for it."""
    error = node.value("relativeSD")
    sketch = read_sketch(reader.facts.spark._jvm, float(error))
    params = (f"{error}D", *(() if sketch is None else sketch.params))
    args = reader.read_all(node.children)
    return aggregate("approx_count_distinct", *args, distinct=distinct, where=where, params=params)


def collect(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """collect_list and collect_set, which leave out NULLs."""
    if node.value("ignoreNulls") is False:
        raise UnrepresentableError(f"{node.name} that keeps NULLs")
    function = "collect_list" if node.name == "CollectList" else "collect_set"
    return aggregate(function, *reader.read_all(node.children), distinct=distinct, where=where)


def listagg(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """Strings put together in an order."""
    child, delimiter, *keys = node.children
    args = reader.read_all((child,))
    if not (delimiter.name == "Literal" and delimiter.value("value") is None):
        args = (*args, reader.read(delimiter))
    order = tuple(reader.sort_key(key) for key in keys)
    result = aggregate("listagg", *args, distinct=distinct, where=where, order=order)
    return replace(result, call_type=BINARY if args[0].dtype == BINARY else STRING)


def regression_sum(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """regr_sxx and regr_syy, which Spark has already reduced to one argument."""
    (child,) = reader.read_all(node.children)
    return aggregate("regr_sxx", child, child, distinct=distinct, where=where)


def pivot_first(
    reader: ExpressionReader, node: Node, distinct: bool, where: Expr | None
) -> AggregateCall:
    """One slot per pivot value; the values are asked of Spark."""
    if distinct or where is not None:
        raise UnrepresentableError("pivot with DISTINCT or FILTER")
    constants = reader.facts.jvm_plan.constants(node, "pivotColumnValues", "pivotColumn")
    texts = tuple(print_literal(reader.constant(each)) for each in constants)
    pivot, value = reader.read_all(node.children)
    return aggregate("pivot_first", pivot, value, params=texts)


AggregateReader = Callable[[ExpressionReader, Node, bool, Expr | None], AggregateCall]

SPECIAL_AGGREGATES: Mapping[str, AggregateReader] = {
    "Sum": sum_or_average,
    "Average": sum_or_average,
    "First": first_or_last,
    "Last": first_or_last,
    "Percentile": percentile,
    "PercentileDisc": percentile,
    "Mode": mode,
    "HyperLogLogPlusPlus": approx_distinct,
    "CollectList": collect,
    "CollectSet": collect,
    "ListAgg": listagg,
    "RegrReplacement": regression_sum,
    "PivotFirst": pivot_first,
}
