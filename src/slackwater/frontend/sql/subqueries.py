"""Joins the values of uncorrelated scalar subqueries into the operator that uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Aggregate, Join, JoinKind, Project, Values
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.nodes import ColumnId
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.scope import ColumnNumbers

Way = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A relation with the values of subqueries beside its own columns."""

    rel: Rel
    values: dict[Way, Column]
    """The column that holds the value of the subquery at a place in the plan."""

    def drop_values(self, rel: Rel) -> Rel:
        """An operator over this relation, without the subqueries' columns."""
        dropped: set[ColumnId] = {column.id for column in self.values.values()}
        if not dropped:
            return rel
        kept = (column for column in rel.columns if column.id not in dropped)
        return Project(rel, tuple(pass_through(column) for column in kept))


@dataclass(frozen=True, slots=True)
class SubqueryJoiner:
    """Joins subqueries in; `read_plan` reads the plan inside one."""

    numbers: ColumnNumbers
    read_plan: Callable[[Node], Rel]

    def rows(self, subqueries: Iterable[Node]) -> dict[Way, Rel]:
        """Each subquery as a relation of one row."""
        return {
            subquery.way: self._one_row(self.read_plan(subquery.subplan()))
            for subquery in subqueries
        }

    def _one_row(self, rel: Rel) -> Rel:
        """A relation of exactly one row: NULL if there was none, an error if there were more."""
        if _has_exactly_one_row(rel):
            return rel
        value = rel.columns[0]
        only = aggregate("single_value", value.ref())
        column = self.numbers.new(value.name, only.dtype, only.nullable)
        return Aggregate(rel, (), (Output(column, only),))


def join_rows(rel: Rel, rows: Mapping[Way, Rel]) -> Joined:
    """The relation crossed with the one row of each subquery."""
    for row in rows.values():
        rel = Join(JoinKind.CROSS, rel, row)
    return Joined(rel, {way: row.columns[0] for way, row in rows.items()})


def find_subqueries(node: Node, fields: tuple[str, ...]) -> Iterator[Node]:
    """The scalar subqueries in some of a plan node's fields."""
    for name in fields:
        yield from subqueries_in(node.expressions(name))


def subqueries_in(expressions: Iterable[Node]) -> Iterator[Node]:
    """The scalar subqueries in some expressions."""
    for expression in expressions:
        yield from (each for each in expression.walk() if each.name == "ScalarSubquery")


def split_by_aggregates(nodes: tuple[Node, ...]) -> tuple[list[Node], list[Node]]:
    """The scalar subqueries inside aggregates, which rows read, and those beside them."""
    inside: list[Node] = []
    beside: list[Node] = []

    def visit(node: Node, aggregated: bool) -> None:
        if node.name == "ScalarSubquery":
            (inside if aggregated else beside).append(node)
        for child in node.children:
            visit(child, aggregated or node.name == "AggregateExpression")

    for node in nodes:
        visit(node, False)
    return inside, beside


def _has_exactly_one_row(rel: Rel) -> bool:
    if isinstance(rel, Project):
        return _has_exactly_one_row(rel.input)
    if isinstance(rel, Values):
        return len(rel.rows) == 1
    return isinstance(rel, Aggregate) and not rel.keys
