"""Turns an optimized Catalyst plan into our algebra, operator by operator.

One rule holds throughout: column i of what we build is attribute i of Catalyst's operator.
What cannot be represented becomes a `Recompute` leaf at the smallest subtree that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from py4j.protocol import Py4JError

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import (
    Expand,
    Filter,
    Generate,
    JoinKind,
    Limit,
    Project,
    Sort,
    Union,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.defects import record_defect
from slackwater.errors import InvariantError, NonDeterministicError
from slackwater.expr.nodes import Call, Expr, WindowCall
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_reader import PlanFacts
from slackwater.frontend.sql.expressions import CatalystReader
from slackwater.frontend.sql.fallback import Fallback, check_operator
from slackwater.frontend.sql.grouping import GroupReader, project_outputs
from slackwater.frontend.sql.joins import split_condition
from slackwater.frontend.sql.leaves import LEAVES
from slackwater.frontend.sql.readout import Readout, refreshed, scope_of
from slackwater.frontend.sql.scope import (
    ColumnNumbers,
    OnlyAsTextError,
    Scope,
    UnrepresentableError,
    expression_id,
)
from slackwater.frontend.sql.subqueries import (
    Joined,
    SubqueryJoiner,
    find_subqueries,
    join_rows,
    split_by_aggregates,
    subqueries_in,
)
from slackwater.frontend.sql.windows import read_window_call, with_repeated
from slackwater.types import BOOLEAN, DataType, Field, StructType, same_type

_TRANSPARENT = frozenset(
    {
        "Repartition",
        "RepartitionByExpression",
        "RebalancePartitions",
        "CollectMetrics",
        "ResolvedHint",
        "SubqueryAlias",
        "EventTimeWatermark",
        # A lone LocalLimit only announces the global limit above it.
        "LocalLimit",
    }
)


@dataclass(slots=True)
class PlanReader:
    """Reads one plan."""

    facts: PlanFacts
    types: Mapping[int, DataType]
    numbers: ColumnNumbers = field(default_factory=ColumnNumbers)
    fragments: dict[str, Any] = field(default_factory=dict)

    @property
    def _fallback(self) -> Fallback:
        return Fallback(self.facts, self.numbers, self.fragments)

    def read(self, node: Node) -> Readout:
        """The operator and everything below it."""
        try:
            return self._operator(node)
        except OnlyAsTextError:
            raise
        except UnrepresentableError as problem:
            return self._fallback.subtree(node, str(problem))
        except (InvariantError, Py4JError, LookupError, TypeError, ValueError) as problem:
            # Ours, or a release of Spark with another plan: the answer must still be right.
            record_defect(f"reading {node.name}", problem)
            return self._fallback.subtree(node, f"Slackwater failed to read operator {node.name}")

    def read_root(self, node: Node, schema: DataType) -> Rel:
        """The whole plan; where no part of it can be left to Spark, Spark runs all of it."""
        try:
            rel = self.read(node).rel
        except UnrepresentableError as problem:
            return self._fallback.whole_query(node, str(problem)).rel
        ours = StructType(
            tuple(Field(column.name, column.dtype, column.nullable) for column in rel.columns)
        )
        if isinstance(schema, StructType) and _types_agree(ours, schema):
            return rel
        reason = f"our rules give {ours}, Spark gives {schema}"
        return self._fallback.whole_query(node, reason).rel

    def _operator(self, node: Node) -> Readout:
        check_operator(node, self.facts)
        if node.name in _TRANSPARENT:
            return self.read(node.children[0])
        if node.name in _OPERATORS:
            return _OPERATORS[node.name](self, node)
        if node.name in LEAVES:
            return LEAVES[node.name](self.facts, self.numbers, node)
        raise UnrepresentableError(f"operator {node.name} is not known")

    def _reader(self, scope: Scope, joined: Joined | None = None) -> CatalystReader:
        return CatalystReader(self.facts, scope, joined.values if joined else None)

    def _join_subqueries(self, node: Node, fields: tuple[str, ...], rel: Rel) -> Joined:
        """The operator's input with the value of every subquery in its expressions."""
        return join_rows(rel, self._joiner.rows(find_subqueries(node, fields)))

    @property
    def _joiner(self) -> SubqueryJoiner:
        return SubqueryJoiner(self.numbers, lambda plan: self.read(plan).rel)

    def _new_output(self, alias: Node, expr: Expr) -> Output:
        """The column an alias defines; Spark's own type for it, where known, must agree."""
        told = self.types.get(expression_id(alias))
        if told is not None and not same_type(told, expr.dtype):
            raise UnrepresentableError(
                f"{alias.value('name')} is {told} to Spark but {expr.dtype} by our rules"
            )
        name = str(alias.value("name"))
        return Output(self.numbers.new(name, told or expr.dtype, expr.nullable), expr)

    def _filter(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        joined = self._join_subqueries(node, ("condition",), source.rel)
        condition = self._reader(source.scope, joined).read(node.expression("condition"))
        return refreshed(joined.drop_values(Filter(joined.rel, condition)), source.scope)

    def _project(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        joined = self._join_subqueries(node, ("projectList",), source.rel)
        reader = self._reader(source.scope, joined)
        outputs: list[Output] = []
        scope: dict[int, Column] = {}
        for each in node.expressions("projectList"):
            output = self._project_output(each, reader, scope)
            outputs.append(output)
            scope.setdefault(expression_id(each), output.column)
        return Readout(Project(joined.rel, tuple(outputs)), scope)

    def _project_output(self, node: Node, reader: CatalystReader, seen: Scope) -> Output:
        if node.name == "Alias":
            return self._new_output(node, reader.read(node.children[0]))
        expr = reader.read(node)
        known = reader.scope[expression_id(node)]
        if expression_id(node) in seen:
            # The same column twice: the second needs an id of its own.
            return Output(self.numbers.new(known.name, known.dtype, known.nullable), expr)
        return pass_through(known)

    def _join(self, node: Node) -> Readout:
        left, right = (self.read(child) for child in node.children)
        if set(left.scope) & set(right.scope):
            raise UnrepresentableError("both sides of a join have the same attribute")
        joined = self._join_subqueries(node, ("condition",), left.rel)
        scope = {**left.scope, **right.scope}
        conditions = node.expressions("condition")
        condition = self._reader(scope, joined).read(conditions[0]) if conditions else None
        join = split_condition(node.object_name("joinType"), joined.rel, right.rel, condition)
        mark = None
        if join.kind is JoinKind.MARK:
            (attribute,) = node.value("joinType")["exists"]
            mark = self.numbers.new("exists", BOOLEAN, False)
            scope[attribute["exprId"]["id"]] = mark
        return refreshed(joined.drop_values(join.build(mark)), scope)

    def _aggregate(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        nodes = node.expressions("aggregateExpressions")
        inside, beside = split_by_aggregates(nodes)
        keys = find_subqueries(node, ("groupingExpressions",))
        joined = join_rows(source.rel, self._joiner.rows(chain(keys, inside)))
        # Values used beside aggregates are joined to the groups, not to their rows.
        rows = self._joiner.rows(beside)
        values = {**joined.values, **{way: row.columns[0] for way, row in rows.items()}}
        group = GroupReader(CatalystReader(self.facts, source.scope, values), self.numbers)
        rel = group.add_keys(node.expressions("groupingExpressions"), joined.rel)
        outputs: list[Output] = []
        scope: dict[int, Column] = {}
        for each in nodes:
            output = self._group_output(each, group, scope)
            outputs.append(output)
            scope.setdefault(expression_id(each), output.column)
        grouped = join_rows(group.relation(rel), rows).rel
        return Readout(project_outputs(grouped, tuple(outputs)), scope)

    def _group_output(self, node: Node, group: GroupReader, seen: Scope) -> Output:
        """One output of a grouping; a lone aggregate or key keeps the column it has there."""
        aliased = node.name == "Alias"
        inner = node.children[0] if aliased else node
        name = str(node.value("name"))
        expr = group.read_output(inner, name)
        taken = {column.id for column in seen.values()}
        column = group.column_of(expr)
        if column is not None and column.name == name and column.id not in taken:
            told = self.types.get(expression_id(node))
            if told is None or same_type(told, column.dtype):
                return pass_through(column)
        if aliased:
            return self._new_output(node, expr)
        return Output(self.numbers.new(name, expr.dtype, expr.nullable), expr)

    def _window(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        fields = ("windowExpressions", "partitionSpec", "orderSpec")
        joined = self._join_subqueries(node, fields, source.rel)
        reader = self._reader(source.scope, joined)
        partition = reader.read_all(node.expressions("partitionSpec"))
        order = tuple(reader.sort_key(key) for key in node.expressions("orderSpec"))
        scope = dict(source.scope)
        outputs: list[Output] = []
        for each in node.expressions("windowExpressions"):
            output = self._window_output(each, reader, scope)
            outputs.append(output)
            scope.setdefault(expression_id(each), output.column)
        functions = tuple(each for each in outputs if isinstance(each.expr, WindowCall))
        rel = joined.drop_values(Window(joined.rel, partition, order, functions))
        return Readout(with_repeated(rel, source.rel, tuple(outputs)), scope)

    def _window_output(self, node: Node, reader: CatalystReader, seen: Scope) -> Output:
        """A window function, or a column of the input that Spark repeats beside the functions."""
        if node.name == "Alias" and node.children[0].name == "WindowExpression":
            return self._new_output(node, read_window_call(reader, node.children[0]))
        return self._project_output(node, reader, seen)

    def _expand(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        rows = self._projections(node)
        subqueries = self._joiner.rows(subqueries_in(chain.from_iterable(rows)))
        joined = join_rows(source.rel, subqueries)
        reader = self._reader(source.scope, joined)
        projections = tuple(reader.read_all(row) for row in rows)
        attributes = node.expressions("output")
        columns = tuple(
            self._expanded(attribute, tuple(row[k] for row in projections), source.scope)
            for k, attribute in enumerate(attributes)
        )
        return Readout(Expand(joined.rel, projections, columns), scope_of(attributes, columns))

    def _projections(self, node: Node) -> tuple[tuple[Node, ...], ...]:
        if node.value("projections") is None:
            return self.facts.jvm_plan.expression_rows(node, "projections")
        return node.expression_rows("projections")

    def _expanded(self, attribute: Node, values: tuple[Expr, ...], scope: Scope) -> Column:
        """An input column that every projection hands on keeps its id; others are new."""
        known = scope.get(expression_id(attribute))
        if known is not None and all(value == known.ref() for value in values):
            return known
        nullable = any(value.nullable for value in values)
        told = self.numbers.from_attribute(attribute)
        return Column(told.id, told.name, told.dtype, nullable)

    def _generate(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        generator = self._reader(source.scope).read(node.expression("generator"))
        if not isinstance(generator, Call):
            raise UnrepresentableError("a generator that is not a function")
        attributes = node.expressions("generatorOutput")
        outer = bool(node.value("outer"))
        columns = tuple(self.numbers.from_attribute(each) for each in attributes)
        if outer:
            columns = tuple(column.as_nullable() for column in columns)
        rel: Rel = Generate(source.rel, generator, outer, columns)
        dropped = self.facts.jvm_plan.integers(node, "unrequiredChildIndex")
        if dropped:
            kept = [c for k, c in enumerate(source.rel.columns) if k not in dropped]
            rel = Project(rel, tuple(pass_through(column) for column in (*kept, *columns)))
        return refreshed(rel, {**source.scope, **scope_of(attributes, columns)})

    def _sort(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        if not node.value("global"):
            return source
        joined = self._join_subqueries(node, ("order",), source.rel)
        reader = self._reader(source.scope, joined)
        keys = tuple(reader.sort_key(key) for key in node.expressions("order"))
        return refreshed(joined.drop_values(Sort(joined.rel, keys)), source.scope)

    def _limit(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        count = _row_count(node.expression("limitExpr"))
        if isinstance(source.rel, Limit) and source.rel.count is None:
            return Readout(Limit(source.rel.input, count, source.rel.offset), source.scope)
        return Readout(Limit(source.rel, count), source.scope)

    def _offset(self, node: Node) -> Readout:
        source = self.read(node.children[0])
        offset = _row_count(node.expression("offsetExpr"))
        return Readout(Limit(source.rel, None, offset), source.scope)

    def _union(self, node: Node) -> Readout:
        branches = [self.read(child) for child in node.children]
        first = branches[0].rel.columns
        columns = tuple(
            self.numbers.new(
                column.name,
                column.dtype,
                any(branch.rel.columns[k].nullable for branch in branches),
            )
            for k, column in enumerate(first)
        )
        places = {column.id: k for k, column in enumerate(first)}
        scope = {
            number: columns[places[column.id]]
            for number, column in branches[0].scope.items()
            if column.id in places
        }
        return Readout(Union(tuple(branch.rel for branch in branches), columns), scope)

    def _python(self, node: Node) -> Readout:
        """Python functions evaluated beside the input's columns."""
        source = self.read(node.children[0])
        reader = self._reader(source.scope)
        attributes = node.expressions("resultAttrs")
        calls = reader.read_all(node.expressions("udfs"))
        columns = tuple(self.numbers.from_attribute(each) for each in attributes)
        outputs = (
            *(pass_through(column) for column in source.rel.columns),
            *(
                Output(column.as_nullable(), call)
                for column, call in zip(columns, calls, strict=True)
            ),
        )
        scope = {**source.scope, **scope_of(attributes, columns)}
        return refreshed(Project(source.rel, outputs), scope)

    def _sample(self, _node: Node) -> Readout:
        raise NonDeterministicError(
            "a sample depends on how Spark happens to split the data",
            hint="Filter on a hash of a key instead: WHERE hash(key) % 100 < 10.",
        )


def _types_agree(ours: StructType, told: StructType) -> bool:
    return len(ours.fields) == len(told.fields) and all(
        same_type(one.dtype, other.dtype)
        for one, other in zip(ours.fields, told.fields, strict=True)
    )


def _row_count(node: Node) -> int:
    if node.name != "Literal" or node.value("value") is None:
        raise UnrepresentableError("a limit that is not a constant")
    return int(node.value("value"))


_OPERATORS: Mapping[str, Callable[[PlanReader, Node], Readout]] = {
    "Filter": PlanReader._filter,
    "Project": PlanReader._project,
    "Join": PlanReader._join,
    "Aggregate": PlanReader._aggregate,
    "Window": PlanReader._window,
    "Expand": PlanReader._expand,
    "Generate": PlanReader._generate,
    "Sort": PlanReader._sort,
    "GlobalLimit": PlanReader._limit,
    "Offset": PlanReader._offset,
    "Union": PlanReader._union,
    "BatchEvalPython": PlanReader._python,
    "ArrowEvalPython": PlanReader._python,
    "Sample": PlanReader._sample,
}
