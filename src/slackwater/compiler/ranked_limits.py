"""A limit of each partition as engines write it: a rank, and a filter by it."""

from __future__ import annotations

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Filter, GroupLimit, Project, Window
from slackwater.algebra.rel import walk_rel
from slackwater.expr.build import number
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId, WindowCall


def as_filtered_window(rel: GroupLimit) -> Project:
    """The rows of each partition that a window numbers, filtered, without their numbers."""
    rank = WindowCall(call(rel.kind.value), None)
    free = max((column.id for each in walk_rel(rel) for column in each.columns), default=0) + 1
    place = Column(ColumnId(free), "place", rank.dtype, rank.nullable)
    numbered = Window(rel.input, rel.partition, rel.order, (Output(place, rank),))
    first = Filter(numbered, call("<=", place.ref(), number(rel.count, rank.dtype)))
    return Project(first, tuple(map(pass_through, rel.columns)))
