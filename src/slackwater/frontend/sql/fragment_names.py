"""Names for parts of a query that are left to Spark: equal parts have equal names, others not."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.jvm_plan import JvmPlan
from slackwater.frontend.sql.leaves import LEAVES
from slackwater.frontend.sql.metadata import unknown_metadata

_ID_SUFFIX = re.compile(r"#(\d+)L?")
_MOST_VALUES = 10_000
MODES = ("evalMode", "evalContext")
"""Parameters that expressions leave out of their text."""


def fragment_name(text: str, sources: Sequence[str], unsaid: Sequence[str]) -> str:
    """A name made from the text of a plan, with Catalyst's ids replaced by their order.

    The text does not say what its leaves stand for, so that their sources are part of the name;
    it leaves out the rows of inline tables, evaluation modes and metadata, and writes different
    constants alike, so that these are too.
    """
    order: dict[str, str] = {}
    stable = _ID_SUFFIX.sub(lambda found: f"#{order.setdefault(found[1], str(len(order)))}", text)
    whole = json.dumps([stable, sources, unsaid])
    return f"fragment_{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def sources_read(node: Node, jvm_plan: JvmPlan) -> Iterator[str]:
    """The sources read anywhere below a plan node, leaf by leaf, subqueries included."""
    for each in node.walk():
        if each.name in LEAVES and "output" in each.fields:
            source = jvm_plan.source_name(each)
            if source is not None:
                yield source
        for name in each.fields:
            for expression in each.expressions(name):
                for inner in expression.walk():
                    if inner.fields.get("plan"):
                        yield from sources_read(inner.subplan(), jvm_plan)


def unsaid_by_text(plan: Any, jvm: Any) -> Iterator[str]:
    """List what the text of a plan of Spark's leaves open.

    These are its constants with their types, the rows of inline tables, what operations do with
    errors, and the marks on columns.
    """
    return _Unsaid(jvm).of_plan(plan)


class _Unsaid:
    """Walks plans inside the JVM: their JSON leaves out the values it has no form for."""

    def __init__(self, jvm: Any):
        expressions = jvm.org.apache.spark.sql.catalyst.expressions
        self._reflection = jvm.org.apache.spark.sql.catalyst.ScalaReflection
        self._literal = expressions.Literal
        name = "org.apache.spark.sql.catalyst.expressions.PlanExpression"
        self._subquery = jvm.java.lang.Class.forName(name)
        self._modes: dict[str, str | None] = {}

    def of_plan(self, plan: Any) -> Iterator[str]:
        if plan.getClass().getSimpleName() == "LocalRelation":
            yield from self._inline_rows(plan)
        mark = unknown_metadata(json.loads(str(plan.schema().json())))
        if mark is not None:
            yield mark
        for expression in _items(plan.expressions()):
            yield from self._of_expression(expression)
        for child in _items(plan.children()):
            yield from self.of_plan(child)

    def _of_expression(self, expression: Any) -> Iterator[str]:
        kind = expression.getClass()
        name = str(kind.getName())
        if name.endswith(".Literal"):
            yield f"{expression.sql()} {expression.dataType().json()}"
        if name not in self._modes:
            self._modes[name] = self._mode_parameter(kind)
        parameter = self._modes[name]
        if parameter is not None:
            yield str(getattr(expression, parameter)().toString())
        if self._subquery.isInstance(expression):
            yield from self.of_plan(expression.plan())
        for child in _items(expression.children()):
            yield from self._of_expression(child)

    def _mode_parameter(self, kind: Any) -> str | None:
        """The parameter of a class that says what it does with errors."""
        names = self._reflection.getConstructorParameterNames(kind)
        return next((name for name in MODES if names.contains(name)), None)

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
