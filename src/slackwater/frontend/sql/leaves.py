"""Reads the leaves of a plan: sources, inline rows, ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.algebra.operators import Range, Scan, Values
from slackwater.errors import CatalogError
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_reader import PlanFacts
from slackwater.frontend.sql.expressions import CatalystReader
from slackwater.frontend.sql.readout import Readout, scope_of
from slackwater.frontend.sql.scope import ColumnNumbers, UnrepresentableError

_INLINE_VALUES_LIMIT = 10_000


def read_scan(facts: PlanFacts, numbers: ColumnNumbers, node: Node) -> Readout:
    """A planning relation: the source it stands for is in its columns' metadata."""
    attributes = node.expressions("output")
    source = facts.jvm_plan.source_name(node)
    if source is None:
        raise CatalogError(
            "the query reads a table that is not a source",
            where=", ".join(str(each.value("name")) for each in attributes),
            hint="Create a source for the table and read it by the source's name.",
        )
    columns = tuple(numbers.from_attribute(each) for each in attributes)
    return Readout(Scan(source, columns), scope_of(attributes, columns))


def read_local_relation(facts: PlanFacts, numbers: ColumnNumbers, node: Node) -> Readout:
    """Rows written into the query; the JSON drops them."""
    attributes = node.expressions("output")
    columns = tuple(numbers.from_attribute(each) for each in attributes)
    literals = facts.jvm_plan.local_rows(node, limit=_INLINE_VALUES_LIMIT)
    if literals is None:
        raise UnrepresentableError("an inline table with too many values")
    reader = CatalystReader(facts, {})
    rows = tuple(tuple(reader.constant(each) for each in row) for row in literals)
    return Readout(Values(columns, rows), scope_of(attributes, columns))


def read_one_row(_facts: PlanFacts, _numbers: ColumnNumbers, _node: Node) -> Readout:
    """One row without columns: what a SELECT without FROM reads."""
    return Readout(Values((), ((),)), {})


def read_range(_facts: PlanFacts, numbers: ColumnNumbers, node: Node) -> Readout:
    """A range of numbers."""
    attributes = node.expressions("output")
    column = numbers.from_attribute(attributes[0])
    start, end, step = (int(node.value(name)) for name in ("start", "end", "step"))
    return Readout(Range(column, start, end, step), scope_of(attributes, (column,)))


SOURCE_LEAVES = frozenset(
    {"LogicalRDD", "LogicalRelation", "InMemoryRelation", "HiveTableRelation"}
)
"""Relations that stand for a table; a source's is made by ourselves."""

LEAVES: Mapping[str, Callable[[PlanFacts, ColumnNumbers, Node], Readout]] = {
    **dict.fromkeys(SOURCE_LEAVES, read_scan),
    "LocalRelation": read_local_relation,
    "OneRowRelation": read_one_row,
    "Range": read_range,
}
