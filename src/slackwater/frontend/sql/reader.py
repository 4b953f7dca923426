"""The core of reading Catalyst expressions: columns, constants and the simple functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pyspark.sql import SparkSession

from slackwater.algebra.columns import Column
from slackwater.errors import NonDeterministicError
from slackwater.expr.functions import call
from slackwater.expr.nodes import UNKNOWN_TYPE, AggregateCall, Expr, Literal, SortKey, with_type
from slackwater.frontend.sql.catalyst import Node, parse_plan
from slackwater.frontend.sql.companion import Companion, SparkConstant
from slackwater.frontend.sql.expression_tables import (
    AMBIENT_FIELDS,
    ANSI_FIELDS,
    ARITHMETIC,
    EXTRACTED_FIELDS,
    NON_DETERMINISTIC,
    NOT_ANSI_BOUND,
    RANKS,
    SIMPLE,
    TRANSPARENT,
    USUAL_VALUES,
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
    companion: Companion
    ansi: bool
    may_try: bool
    """Whether the query uses functions that replace errors by NULL, so that modes must be asked."""


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
            return with_type(expr, self.facts.companion.data_type(node))
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
        return SortKey(
            self.read(node.children[0]),
            ascending=node.object_name("direction") == "Ascending",
            nulls_first=node.object_name("nullOrdering") == "NullsFirst",
        )

    def _read(self, node: Node) -> Expr:
        name = node.name
        if name == "AttributeReference":
            return self._attribute(node)
        if name == "Literal":
            return self._literal(node)
        if name in self.special:
            return self.special[name](self, node)
        if name in SIMPLE:
            self.check_parameters(node)
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
        raise self._unknown(name)

    def _unknown(self, name: str) -> Exception:
        if name in NON_DETERMINISTIC:
            return NonDeterministicError(
                f"{NON_DETERMINISTIC[name]}() gives another value each time the query runs",
                hint="Compute the value when the data is written and store it as a column.",
            )
        return UnrepresentableError(f"expression {name} is not known")

    def check_parameters(self, node: Node) -> None:
        """Refuse a node with a parameter that the SQL text of its function would lose."""
        for name, value in node.fields.items():
            if value is None or isinstance(value, bool | str | float):
                self.check_parameter(node, name, value)

    def check_parameter(self, node: Node, name: str, value: object) -> None:
        """Refuse one parameter unless the session's settings give it again."""
        if name in AMBIENT_FIELDS or name == "dataType":
            return
        if name in ANSI_FIELDS:
            if node.name in NOT_ANSI_BOUND or value == self.facts.ansi:
                return
        elif name in USUAL_VALUES and USUAL_VALUES[name] == value:
            return
        raise UnrepresentableError(f"{node.name} with {name} = {value} has no SQL form")

    def is_try(self, node: Node) -> bool:
        """Whether an operation gives NULL instead of an error."""
        return self.facts.may_try and self.facts.companion.is_try(node)

    def constant(self, constant: SparkConstant) -> Literal:
        """A constant that Spark holds outside the plan's JSON."""
        if constant.literal is None:
            return Literal(constant.value, constant.dtype)
        way = self.facts.companion.adopt(constant.literal)
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
        companion = self.facts.companion
        if value is None:
            return Literal(None, dtype)
        if dtype == BINARY:
            return Literal(bytes(companion.literal_value(node)).hex().upper(), dtype)
        if dtype in (TIMESTAMP, TIMESTAMP_NTZ):
            return Literal(str(companion.literal_value(node)), dtype)
        if _has_text_form(dtype):
            return Literal(str(value), dtype)
        if node.value("dataType") == "object":
            raise UnrepresentableError("a Java object stands in the expression")
        return Literal(companion.literal_sql(node), dtype)

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
