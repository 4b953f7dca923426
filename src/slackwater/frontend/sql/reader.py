"""The core of reading Catalyst expressions: columns, constants and the simple functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pyspark.sql import SparkSession

from slackwater.algebra.columns import Column
from slackwater.expr.build import with_type
from slackwater.expr.functions import call
from slackwater.expr.nodes import UNKNOWN_TYPE, AggregateCall, Expr, Literal, SortKey
from slackwater.frontend.sql.catalyst import Node, parse_plan
from slackwater.frontend.sql.expression_tables import (
    ARITHMETIC,
    EXTRACTED_FIELDS,
    RANKS,
    SIMPLE,
    TRANSPARENT,
)
from slackwater.frontend.sql.jvm_plan import JvmPlan, SparkConstant
from slackwater.frontend.sql.parameters import (
    EXPRESSION_PARAMETERS,
    SessionMeaning,
    unknown_parameter,
)
from slackwater.frontend.sql.scope import Scope, UnrepresentableError, expression_id
from slackwater.types import (
    BINARY,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    AtomicType,
    DataType,
    DecimalType,
    IntervalType,
    StringType,
    parse_spark_type,
    same_type,
)


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What holds for the whole plan an expression stands in."""

    spark: SparkSession
    """The session in which the query was planned."""
    jvm_plan: JvmPlan
    session: SessionMeaning


class ExpressionReader:
    """Reads expressions whose columns are in one scope."""

    special: ClassVar[Mapping[str, Callable[[Any, Node], Expr]]] = {}
    """Classes that need more than a name; filled where the functions for them are defined."""

    def __init__(
        self,
        facts: PlanFacts,
        scope: Scope,
        subqueries: Mapping[tuple[str | int, ...], Column] | None = None,
    ):
        """`subqueries` says which column holds the value of the subquery at a place in the plan."""
        self.facts = facts
        self.scope = scope
        self.subqueries = subqueries or {}
        self.lambda_names: dict[int, str] = {}

    def read(self, node: Node) -> Expr:
        """The expression in our form, or `UnrepresentableError` with the reason."""
        expr = self._read(node)
        if expr.dtype == UNKNOWN_TYPE:
            return with_type(expr, self.facts.jvm_plan.data_type(node))
        return expr

    def read_all(self, nodes: tuple[Node, ...]) -> tuple[Expr, ...]:
        """Several expressions."""
        return tuple(self.read(node) for node in nodes)

    def read_aggregate(self, node: Node) -> AggregateCall:
        """An aggregate with its DISTINCT and FILTER."""
        expr = self.read(node)
        if not isinstance(expr, AggregateCall):
            raise UnrepresentableError(f"{node.name} where an aggregate should stand")
        return expr

    def sort_key(self, node: Node) -> SortKey:
        """A SortOrder."""
        self.check(node)
        return SortKey(
            self.read(node.children[0]),
            ascending=node.object_name("direction") == "Ascending",
            nulls_first=node.object_name("nullOrdering") == "NullsFirst",
        )

    def _read(self, node: Node) -> Expr:
        name = node.name
        self.check(node)
        if name == "AttributeReference":
            return self._attribute(node)
        if name == "Literal":
            return self._literal(node)
        if name in self.special:
            return self.special[name](self, node)
        if name in SIMPLE:
            return call(SIMPLE[name], *self.read_all(node.children))
        if name in ARITHMETIC:
            return self._arithmetic(node)
        if name in TRANSPARENT:
            return self.read(node.children[0])
        if name in EXTRACTED_FIELDS:
            args = self.read_all(node.children)
            return call("extract", *args, params=(EXTRACTED_FIELDS[name],))
        if name in RANKS:
            return call(RANKS[name])
        raise UnrepresentableError(f"expression {name} is not known")

    def check(self, node: Node) -> None:
        """Refuse a node that says something we do not read."""
        problem = unknown_parameter(node, EXPRESSION_PARAMETERS, self.facts.session)
        if problem is not None:
            raise UnrepresentableError(problem)

    def is_try(self, node: Node) -> bool:
        """Whether an operation gives NULL instead of an error; other modes are the session's."""
        mode = self.facts.jvm_plan.evaluation_mode(node, self.facts.session.allow_precision_loss)
        if mode not in ("TRY", self.facts.session.mode):
            raise UnrepresentableError(f"{node.name} in evaluation mode {mode}")
        return mode == "TRY"

    def may_fail(self, node: Node) -> bool:
        """Whether bad input is an error; only where the session is in ANSI mode can SQL say so."""
        fails = bool(node.value("failOnError"))
        if fails and not self.facts.session.ansi:
            raise UnrepresentableError(f"{node.name} that fails although ANSI mode is off")
        return fails

    def is_quiet(self, node: Node) -> bool:
        """Whether bad input gives NULL although the session is in ANSI mode."""
        return not self.may_fail(node) and self.facts.session.ansi

    def constant(self, constant: SparkConstant) -> Literal:
        """A constant that Spark holds outside the plan's JSON."""
        if constant.literal is None:
            return Literal(constant.value, constant.dtype)
        way = self.facts.jvm_plan.adopt(constant.literal)
        return self._literal(parse_plan(str(constant.literal.toJSON()), way))

    def _attribute(self, node: Node) -> Expr:
        column = self.scope.get(expression_id(node))
        if column is None:
            raise UnrepresentableError(f"column {node.value('name')} comes from outside the plan")
        spark_type = parse_spark_type(node.value("dataType"))
        if not same_type(column.dtype, spark_type):
            raise UnrepresentableError(
                f"column {column.name} is {spark_type} to Spark but {column.dtype} to us"
            )
        return column.ref()

    def _literal(self, node: Node) -> Literal:
        """A constant; kinds of value that the JSON mangles are asked of Spark."""
        dtype = parse_spark_type(node.value("dataType"))
        value = node.value("value")
        jvm_plan = self.facts.jvm_plan
        if value is None:
            return Literal(None, dtype)
        if dtype == BINARY:
            return Literal(bytes(jvm_plan.literal_value(node)).hex().upper(), dtype)
        if dtype in (TIMESTAMP, TIMESTAMP_NTZ):
            return Literal(str(jvm_plan.literal_value(node)), dtype)
        if _has_text_form(dtype):
            return Literal(str(value), dtype)
        if node.value("dataType") == "object":
            raise UnrepresentableError("a Java object stands in the expression")
        return Literal(jvm_plan.literal_sql(node), dtype)

    def _arithmetic(self, node: Node) -> Expr:
        name, quiet_name = ARITHMETIC[node.name]
        if self.is_try(node):
            if quiet_name is None:
                raise UnrepresentableError(f"{node.name} that gives NULL instead of errors")
            name = quiet_name
        return call(name, *self.read_all(node.children))


def _has_text_form(dtype: DataType) -> bool:
    """Whether the JSON's text of a constant says all of it."""
    if isinstance(dtype, AtomicType):
        return dtype.name != "VARIANT"
    return isinstance(dtype, StringType | DecimalType | IntervalType)
