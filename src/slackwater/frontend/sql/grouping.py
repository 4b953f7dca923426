"""Reads the outputs of a Catalyst aggregate: expressions over aggregates and grouping keys.

Catalyst allows `sum(a) / count(*) + key` as one output. Ours keeps the group apart from what
is computed of it: one column per different aggregate, and a projection above.
"""

from __future__ import annotations

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Aggregate, Distinct, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import struct
from slackwater.expr.nodes import AggregateCall, ColumnRef, Expr, FieldAccess, walk
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expressions import CatalystReader
from slackwater.frontend.sql.scope import (
    ColumnNumbers,
    OnlyAsTextError,
    UnrepresentableError,
)
from slackwater.frontend.sql.session_windows import Sessions, is_session, merge_sessions
from slackwater.types import MapType, parts_of

_SORTED_KEY = "_groupingmapsort"
"""The name Spark gives a key whose maps it has sorted."""


class GroupReader:
    """Collects the keys and aggregates of one grouping while its outputs are read."""

    def __init__(self, reader: CatalystReader, numbers: ColumnNumbers):
        """`reader` reads expressions over the rows that are grouped."""
        self.rows = reader
        self._numbers = numbers
        self._keys: dict[Expr, Column] = {}
        self._aggregates: dict[AggregateCall, Column] = {}
        self._sessions: dict[Expr, dict[str, Expr]] = {}
        self._outputs = _OutputReader(self)

    def add_key(self, node: Node) -> None:
        """A grouping expression; a column of the input keeps its id."""
        expr = self.rows.read(node)
        if any(isinstance(part, MapType) for part in parts_of(expr.dtype)) and not _sorts(node):
            # As it does where it counts distinct maps; any other time it sorts their entries.
            raise OnlyAsTextError("Spark groups by maps in the order of their entries")
        if expr in self._keys:
            return
        if isinstance(expr, ColumnRef):
            self._keys[expr] = Column(expr.id, expr.name, expr.dtype, expr.nullable)
        else:
            self._keys[expr] = self._numbers.new("key", expr.dtype, expr.nullable)

    def add_keys(self, nodes: tuple[Node, ...], source: Rel) -> Rel:
        """All grouping expressions; the rows to group, with sessions merged if one is a session."""
        marked = [node for node in nodes if is_session(node, self.rows.facts.jvm_plan)]
        others = tuple(node for node in nodes if node not in marked)
        for node in others:
            self.add_key(node)
        if not marked:
            return source
        session = self.rows.read(marked[0])
        if len(marked) > 1 or not isinstance(session, ColumnRef):
            raise UnrepresentableError("groups by several sessions, or by a computed one")
        found = merge_sessions(source, session, self.rows.read_all(others), self._numbers)
        self._add_session(session, found)
        return found.rel

    def _add_session(self, session: ColumnRef, found: Sessions) -> None:
        """Sessions of a group are told by their start, and have a latest end."""
        start, latest = found.start, aggregate("max", found.end)
        end = self._numbers.new("end", latest.dtype, latest.nullable)
        self._keys[start] = Column(start.id, start.name, start.dtype, start.nullable)
        self._aggregates[latest] = end
        self._sessions[session] = {"start": start, "end": end.ref()}

    def read_output(self, node: Node, name: str) -> Expr:
        """An output expression over keys and aggregates; `name` is for a lone aggregate."""
        if node.name == "AggregateExpression":
            return self.aggregate(node, name)
        return self._outputs.read(node)

    def aggregate(self, node: Node, name: str | None = None) -> Expr:
        """The column of an aggregate, the same for equal aggregates."""
        found = self.rows.read_aggregate(node)
        if any(part in self._sessions for part in walk(found)):
            raise UnrepresentableError("an aggregate of the sessions that rows are grouped by")
        if found not in self._aggregates:
            column = self._numbers.new(name or found.function, found.dtype, found.nullable)
            self._aggregates[found] = column
        return self._aggregates[found].ref()

    def over_keys(self, node: Node) -> Expr:
        """A row expression in which grouping expressions are read from the group."""
        return self._replace_keys(self.rows.read(node))

    def _replace_keys(self, expr: Expr) -> Expr:
        if expr in self._keys:
            return self._keys[expr].ref()
        if isinstance(expr, FieldAccess) and expr.child in self._sessions:
            return self._sessions[expr.child][expr.field]
        if expr in self._sessions:
            return struct(self._sessions[expr])
        if not expr.children:
            return expr
        return expr.with_children(tuple(self._replace_keys(child) for child in expr.children))

    def column_of(self, expr: Expr) -> Column | None:
        """The column of the group that an output only hands on."""
        if not isinstance(expr, ColumnRef):
            return None
        columns = (*self._keys.values(), *self._aggregates.values())
        return next((column for column in columns if column.id == expr.id), None)

    def relation(self, source: Rel) -> Rel:
        """The grouping itself; grouping by all columns alone is DISTINCT."""
        keys = tuple(Output(column, expr) for expr, column in self._keys.items())
        if not self._aggregates and keys and all(key.passes_through for key in keys):
            ids = {key.column.id for key in keys}
            if ids == {column.id for column in source.columns}:
                return Distinct(source)
        aggregates = tuple(Output(column, expr) for expr, column in self._aggregates.items())
        return Aggregate(source, keys, aggregates)


def _sorts(node: Node) -> bool:
    """Tell whether Spark sorts the entries of maps, here or in the projection below."""
    return any(each.name == "MapSort" or each.value("name") == _SORTED_KEY for each in node.walk())


class _OutputReader(CatalystReader):
    """Reads an expression whose leaves are aggregates and keys."""

    def __init__(self, group: GroupReader):
        rows = group.rows
        super().__init__(rows.facts, rows.scope, rows.subqueries)
        self._group = group

    def read(self, node: Node) -> Expr:
        if node.name == "AggregateExpression":
            return self._group.aggregate(node)
        if all(each.name != "AggregateExpression" for each in node.walk()):
            return self._group.over_keys(node)
        return super().read(node)


def project_outputs(grouped: Rel, outputs: tuple[Output, ...]) -> Rel:
    """The outputs in the order asked for; nothing is added where the group has it already."""
    if tuple(output.column.id for output in outputs) == tuple(
        column.id for column in grouped.columns
    ) and all(output.passes_through for output in outputs):
        return grouped
    return Project(grouped, outputs)
