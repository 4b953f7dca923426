"""Asks Spark for what a plan's JSON leaves out: binary constants, evaluation modes, local rows.

The JSON drops values it has no form for. Each is fetched by walking Spark's own plan along
the way the JSON node remembers. A call into the JVM costs about a tenth of a millisecond, so
only the few nodes that need it are visited.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.expr.sql import quote_name
from slackwater.frontend.sql.catalyst import Node, parse_plan
from slackwater.frontend.sql.metadata import SOURCE_KEY
from slackwater.types import DATE, DataType, parse_spark_type

_ALL_FIELDS = 2**31 - 1


def relation_source(relation: Any) -> str | None:
    """The source that a leaf of a Spark plan stands for."""
    output = relation.output()
    if output.isEmpty():
        return None
    return cast("str | None", json.loads(output.apply(0).metadata().json()).get(SOURCE_KEY))


@dataclass(frozen=True, slots=True)
class SparkAttribute:
    """A column as Spark describes it."""

    id: int
    name: str
    dtype: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class SparkConstant:
    """A constant outside the plan's JSON: its text, or Spark's literal if that must be read."""

    value: str | None
    dtype: DataType
    literal: Any


def _attribute(attribute: Any) -> SparkAttribute:
    return SparkAttribute(
        int(attribute.exprId().id()),
        str(attribute.name()),
        parse_spark_type(json.loads(attribute.dataType().json())),
        bool(attribute.nullable()),
    )


class JvmPlan:
    """Spark's plan beside the JSON of it."""

    def __init__(self, spark: SparkSession, plan: Any):
        """Keep the session and the JVM object of the plan."""
        self._spark = spark
        self._plan = plan
        self._found: dict[tuple[str | int, ...], Any] = {(): plan}

    def locate(self, way: Sequence[str | int]) -> Any:
        """The JVM object at the end of a way from the root."""
        way = tuple(way)
        if way not in self._found:
            *before, last = way
            if before and before[-1] == "expression":
                found = self.locate(before[:-1]).expressions().apply(last)
            elif last == "plan":
                found = self.locate(before).plan()
            else:
                found = self.locate(before).children().apply(last)
            self._found[way] = found
        return self._found[way]

    def text(self, node: Node) -> str:
        """The plan below a node in Spark's words, however many columns it has."""
        plan = self.locate(node.way)
        arguments = (True, False, _ALL_FIELDS, False)
        try:
            return str(plan.treeString(*arguments, False))
        except Py4JError:  # Releases differ in the number of options.
            return str(plan.treeString(*arguments))

    def evaluation_mode(self, node: Node, allow_precision_loss: bool) -> str:
        """ANSI, LEGACY or TRY: what an operation does with errors.

        Operations on numbers say in the same place how decimals are rounded; where that is not
        as asked for, all of it is returned.
        """
        holder = self.locate(node.way)
        if "evalContext" not in node.fields:
            return str(holder.evalMode().toString())
        context = str(holder.evalContext().toString())
        mode = context.removeprefix("NumericEvalContext(").split(",")[0]
        expected = f"NumericEvalContext({mode},{str(allow_precision_loss).lower()})"
        return mode if context == expected else context

    def literal_sql(self, node: Node) -> str:
        """A constant as SQL text; for kinds of value that the JSON has no form for."""
        return str(self.locate(node.way).sql())

    def literal_value(self, node: Node) -> Any:
        """The raw value of a constant."""
        return self.locate(node.way).value()

    def map_values(self, node: Node) -> dict[str, str | None]:
        """A constant map of texts."""
        found = self.literal_value(node)
        keys, values = found.keyArray(), found.valueArray()
        return {
            str(keys.getUTF8String(k)): (
                None if values.isNullAt(k) else str(values.getUTF8String(k))
            )
            for k in range(found.numElements())
        }

    def attribute(self, node: Node, name: str) -> Any:
        """A constructor parameter of the JVM object."""
        return getattr(self.locate(node.way), name)()

    def texts(self, node: Node, name: str) -> tuple[str, ...]:
        """A sequence parameter, each element as text."""
        values = self.attribute(node, name)
        return tuple(str(values.apply(k)) for k in range(values.size()))

    def constants(self, node: Node, name: str, typed_as: str) -> list[SparkConstant]:
        """A sequence of raw constants of the type of another parameter."""
        values = self.attribute(node, name)
        dtype = self.attribute(node, typed_as).dataType()
        return [self._constant(values.apply(k), dtype) for k in range(values.size())]

    def expression_rows(self, node: Node, name: str) -> tuple[tuple[Node, ...], ...]:
        """A field that is a list of lists of expressions.

        The JSON has it only if the inner lists happen to be linked ones.
        """
        rows = self.attribute(node, name)
        return tuple(
            tuple(self._expression(row.apply(k)) for k in range(row.size()))
            for row in (rows.apply(r) for r in range(rows.size()))
        )

    def _expression(self, expression: Any) -> Node:
        return parse_plan(str(expression.toJSON()), self.adopt(expression))

    def integers(self, node: Node, name: str) -> tuple[int, ...]:
        """A sequence parameter of whole numbers."""
        values = self.attribute(node, name)
        return tuple(int(values.apply(k)) for k in range(values.size()))

    def local_rows(self, node: Node, limit: int) -> list[list[SparkConstant]] | None:
        """The rows of an inline table; None if it has too many values."""
        relation = self.locate(node.way)
        rows, attributes = relation.data(), relation.output()
        types = [attributes.apply(k).dataType() for k in range(attributes.size())]
        if rows.size() * len(types) > limit:
            return None
        return [
            [self._constant(row.get(k, dtype), dtype) for k, dtype in enumerate(types)]
            for row in (rows.apply(r) for r in range(rows.size()))
        ]

    def schema(self, node: Node) -> dict[str, Any]:
        """The columns a plan node gives, with the metadata that its JSON drops."""
        return cast("dict[str, Any]", json.loads(str(self.locate(node.way).schema().json())))

    def output_attributes(self, node: Node) -> list[SparkAttribute]:
        """The attributes a plan node gives."""
        attributes = self.locate(node.way).output()
        return [_attribute(attributes.apply(k)) for k in range(attributes.size())]

    def data_type(self, node: Node) -> DataType:
        """The type Spark derives for an expression."""
        return parse_spark_type(json.loads(self.locate(node.way).dataType().json()))

    def is_registered(self, node: Node) -> bool:
        """Tell if the session knows this very Python function by the name it goes by."""
        function = self.locate(node.way)
        nulls = ", ".join(["NULL"] * len(node.children))
        try:
            called = self._spark.sql(f"SELECT {quote_name(str(function.name()))}({nulls})")
        except PySparkException:
            return False
        plan = called._jdf.queryExecution().analyzed()
        known = plan.expressions().apply(0).children().apply(0)
        return str(known.getClass().getName()) == node.full_name and bool(
            known.func().equals(function.func())
        )

    def adopt(self, thing: Any) -> tuple[str | int, ...]:
        """Make a JVM object that stands outside the plan reachable by a way of its own."""
        way = ("adopted", len(self._found))
        self._found[way] = thing
        return way

    def _constant(self, value: Any, dtype: Any) -> SparkConstant:
        """A raw value of the JVM; the gateway hands numbers over as Python's own."""
        our_type = parse_spark_type(json.loads(dtype.json()))
        if isinstance(value, bool):
            return SparkConstant(str(value).lower(), our_type, None)
        if value is None or (isinstance(value, int) and our_type != DATE):
            return SparkConstant(None if value is None else str(value), our_type, None)
        literal = self._jvm.org.apache.spark.sql.catalyst.expressions.Literal
        return SparkConstant(None, our_type, literal.create(value, dtype))

    def options(self, node: Node, name: str) -> dict[str, str]:
        """A map parameter as a dictionary."""
        return self.dictionary(self.attribute(node, name))

    def dictionary(self, scala_map: Any) -> dict[str, str]:
        """A map of Scala's."""
        converters = self._jvm.scala.jdk.javaapi.CollectionConverters
        return dict(converters.asJava(scala_map))

    def source_name(self, node: Node) -> str | None:
        """The source a relation stands for, if it is one of ours."""
        return relation_source(self.locate(node.way))

    @property
    def _jvm(self) -> Any:
        return self._spark._jvm
