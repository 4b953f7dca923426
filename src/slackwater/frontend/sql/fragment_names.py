"""Names for parts of a query that are left to Spark: equal parts have equal names, others not."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.companion import Companion
from slackwater.frontend.sql.leaves import LEAVES

_ID_SUFFIX = re.compile(r"#(\d+)L?")
_MOST_VALUES = 10_000


def fragment_name(text: str, sources: Sequence[str], constants: Sequence[str]) -> str:
    """A name made from the text of a plan, with Catalyst's ids replaced by their order.

    The text does not say what its leaves stand for, so that their sources are part of the name;
    it leaves out the rows of inline tables and writes different constants alike, so that these
    are too.
    """
    order: dict[str, str] = {}
    stable = _ID_SUFFIX.sub(lambda found: f"#{order.setdefault(found[1], str(len(order)))}", text)
    whole = json.dumps([stable, sources, constants])
    return f"fragment_{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def sources_read(node: Node, companion: Companion) -> Iterator[str]:
    """The sources read anywhere below a plan node, leaf by leaf, subqueries included."""
    for each in node.walk():
        if each.name in LEAVES and "output" in each.fields:
            source = companion.source_name(each)
            if source is not None:
                yield source
        for name in each.fields:
            for expression in each.expressions(name):
                for inner in expression.walk():
                    if inner.fields.get("plan"):
                        yield from sources_read(inner.subplan(), companion)


def constants_of(plan: Any, jvm: Any) -> Iterator[str]:
    """The constants in a plan of Spark's, with their types, and the rows of its inline tables."""
    return _Constants(jvm).of_plan(plan)


class _Constants:
    """Walks plans inside the JVM: their JSON leaves out the values it has no form for."""

    def __init__(self, jvm: Any):
        expressions = jvm.org.apache.spark.sql.catalyst.expressions
        patterns = jvm.org.apache.spark.sql.catalyst.trees.TreePattern
        self._literal = expressions.Literal
        self._wanted = (patterns.LITERAL(), patterns.PLAN_EXPRESSION())
        name = "org.apache.spark.sql.catalyst.expressions.PlanExpression"
        self._subquery = jvm.java.lang.Class.forName(name)

    def of_plan(self, plan: Any) -> Iterator[str]:
        if plan.getClass().getSimpleName() == "LocalRelation":
            yield from self._inline_rows(plan)
        for expression in _items(plan.expressions()):
            yield from self._of_expression(expression)
        for child in _items(plan.children()):
            yield from self.of_plan(child)

    def _of_expression(self, expression: Any) -> Iterator[str]:
        if not any(expression.containsPattern(each) for each in self._wanted):
            return
        if expression.getClass().getSimpleName() == "Literal":
            yield f"{expression.sql()} {expression.dataType().json()}"
        if self._subquery.isInstance(expression):
            yield from self.of_plan(expression.plan())
        for child in _items(expression.children()):
            yield from self._of_expression(child)

    def _inline_rows(self, relation: Any) -> Iterator[str]:
        rows, types = relation.data(), [each.dataType() for each in _items(relation.output())]
        if rows.size() * len(types) > _MOST_VALUES:
            # Asking for each would take minutes; the rows' own hash is the same in all processes.
            yield f"{rows.size()} rows {rows.hashCode()}"
            return
        for row in _items(rows):
            for number, dtype in enumerate(types):
                yield self._text(row.get(number, dtype), dtype)

    def _text(self, value: Any, dtype: Any) -> str:
        """A value of the JVM; the gateway hands numbers over as Python's own."""
        if value is None or isinstance(value, int | float):
            return f"{value!r} {dtype.json()}"
        return str(self._literal.create(value, dtype).sql())


def _items(sequence: Any) -> list[Any]:
    """The elements of a sequence of Scala's."""
    return [sequence.apply(k) for k in range(sequence.size())]
