"""Asks Spark for what a plan's JSON leaves out: binary constants, evaluation modes, local rows.

The JSON drops values it has no form for. Each is fetched by walking Spark's own plan along
the way the JSON node remembers. A call into the JVM costs about a tenth of a millisecond, so
only the few nodes that need it are visited.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from slackwater.frontend.sql.catalyst import Node
from slackwater.types import DataType, parse_spark_type


@dataclass(frozen=True, slots=True)
class SparkAttribute:
    """A column as Spark describes it."""

    id: int
    name: str
    dtype: DataType
    nullable: bool


def _attribute(attribute: Any) -> SparkAttribute:
    return SparkAttribute(
        int(attribute.exprId().id()),
        str(attribute.name()),
        parse_spark_type(json.loads(attribute.dataType().json())),
        bool(attribute.nullable()),
    )


class Companion:
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

    def is_try(self, node: Node) -> bool:
        """Whether an operation gives NULL instead of an error."""
        return str(self.locate(node.way).evalMode().toString()) == "TRY"

    def literal_sql(self, node: Node) -> str:
        """A constant as SQL text; for kinds of value that the JSON has no form for."""
        return str(self.locate(node.way).sql())

    def literal_value(self, node: Node) -> Any:
        """The raw value of a constant."""
        return self.locate(node.way).value()

    def attribute(self, node: Node, name: str) -> Any:
        """A constructor parameter of the JVM object."""
        return getattr(self.locate(node.way), name)()

    def texts(self, node: Node, name: str) -> tuple[str, ...]:
        """A sequence parameter, each element as text."""
        values = self.attribute(node, name)
        return tuple(str(values.apply(k)) for k in range(values.size()))

    def constant_sqls(self, node: Node, name: str, typed_as: str) -> tuple[str, ...]:
        """A sequence of raw constants of the type of another parameter, each as SQL text."""
        values = self.attribute(node, name)
        dtype = self.attribute(node, typed_as).dataType()
        return tuple(str(self._literal(values.apply(k), dtype).sql()) for k in range(values.size()))

    def integers(self, node: Node, name: str) -> tuple[int, ...]:
        """A sequence parameter of whole numbers."""
        values = self.attribute(node, name)
        return tuple(int(values.apply(k)) for k in range(values.size()))

    def local_rows(self, node: Node, limit: int) -> list[list[Any]] | None:
        """The rows of an inline table as Catalyst literals; None if it has too many values."""
        relation = self.locate(node.way)
        rows, attributes = relation.data(), relation.output()
        types = [attributes.apply(k).dataType() for k in range(attributes.size())]
        if rows.size() * len(types) > limit:
            return None
        return [
            [self._literal(row.get(k, dtype), dtype) for k, dtype in enumerate(types)]
            for row in (rows.apply(r) for r in range(rows.size()))
        ]

    def output_attributes(self, node: Node) -> list[SparkAttribute]:
        """The attributes a plan node gives."""
        attributes = self.locate(node.way).output()
        return [_attribute(attributes.apply(k)) for k in range(attributes.size())]

    def data_type(self, node: Node) -> DataType:
        """The type Spark derives for an expression."""
        return parse_spark_type(json.loads(self.locate(node.way).dataType().json()))

    def adopt(self, thing: Any) -> tuple[str | int, ...]:
        """Make a JVM object that stands outside the plan reachable by a way of its own."""
        way = ("adopted", len(self._found))
        self._found[way] = thing
        return way

    def _literal(self, value: Any, dtype: Any) -> Any:
        return self._jvm.org.apache.spark.sql.catalyst.expressions.Literal.create(value, dtype)

    def options(self, node: Node, name: str) -> dict[str, str]:
        """A map parameter as a dictionary."""
        converters = self._jvm.scala.jdk.javaapi.CollectionConverters
        return dict(converters.asJava(self.attribute(node, name)))

    def output_schema(self, node: Node) -> str:
        """The schema of a plan node, in Spark's JSON form."""
        return str(self.locate(node.way).schema().json())

    @property
    def _jvm(self) -> Any:
        return self._spark._jvm
