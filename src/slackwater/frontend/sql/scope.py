"""Our columns for Catalyst's attributes, and the numbers that new columns get."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from slackwater.algebra.columns import Column
from slackwater.expr.nodes import ColumnId
from slackwater.frontend.sql.catalyst import Node
from slackwater.types import DataType, parse_spark_type

Scope = Mapping[int, Column]
"""From a Catalyst expression id to the column that holds it."""


_COUNTED_NAME = re.compile(r"^(_common_expr)_\d+$")


class UnrepresentableError(Exception):
    """Something in the plan has no form in our algebra; the text says what."""


class OnlyAsTextError(UnrepresentableError):
    """A part of the plan would mean something else if Spark optimized it once more."""


@dataclass(slots=True)
class ColumnNumbers:
    """Hands out column ids in the order of definition, so that equal text gives equal plans."""

    _next: count[int] = field(default_factory=lambda: count(1))

    def new(self, name: str, dtype: DataType, nullable: bool) -> Column:
        """A column nobody has seen before; names Spark makes up lose their running number."""
        return self._column(_COUNTED_NAME.sub(r"\1", name), dtype, nullable)

    def from_attribute(self, attribute: Node) -> Column:
        """A new column for an attribute that Spark defines, under its exact name."""
        return self._column(
            str(attribute.value("name")),
            parse_spark_type(attribute.value("dataType")),
            bool(attribute.value("nullable")),
        )

    def _column(self, name: str, dtype: DataType, nullable: bool) -> Column:
        return Column(ColumnId(next(self._next)), name, dtype, nullable)


def expression_id(node: Node) -> int:
    """The id Catalyst gave an attribute or alias."""
    return int(node.value("exprId")["id"])


def attribute_types(plan: Any, into: dict[int, DataType] | None = None) -> dict[int, DataType]:
    """The type of every attribute mentioned anywhere in the JSON of a plan."""
    types: dict[int, DataType] = {} if into is None else into
    if isinstance(plan, list):
        for each in plan:
            attribute_types(each, types)
    elif isinstance(plan, dict):
        if plan.get("class", "").endswith(".AttributeReference"):
            types.setdefault(plan["exprId"]["id"], parse_spark_type(plan["dataType"]))
        else:
            for value in plan.values():
                if isinstance(value, list | dict):
                    attribute_types(value, types)
    return types
