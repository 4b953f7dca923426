"""Leaves to Spark what our algebra cannot say: the smallest part of a plan that can stand alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.errors import AnalysisException

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Recompute
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_reader import PlanFacts
from slackwater.frontend.sql.fragment_names import fragment_name, sources_read, unsaid_by_text
from slackwater.frontend.sql.fragments import bind_fragment
from slackwater.frontend.sql.leaves import SOURCE_LEAVES
from slackwater.frontend.sql.metadata import unknown_metadata
from slackwater.frontend.sql.parameters import OPERATOR_PARAMETERS, unknown_parameter
from slackwater.frontend.sql.readout import Readout
from slackwater.frontend.sql.scope import ColumnNumbers, UnrepresentableError

WHOLE_QUERY = "whole query"
"""Stands in place of a fragment's plan where the user's query itself is to be run."""

_RUN_WHOLE = frozenset({"UnionLoop", "UnionLoopRef"})
"""Operators that lose their meaning when an optimized plan is optimized again."""


_READ_WHATEVER_THEY_SAY = SOURCE_LEAVES | {"Sample"}
"""Relations that we make ourselves, and samples, which are refused."""


def check_operator(node: Node, facts: PlanFacts) -> None:
    """Refuse an operator that says, or whose input says, something we do not read.

    What a column's metadata means is decided by the operators above it: marks that none of ours
    knows may say anything.
    """
    problem = None
    if node.name not in _READ_WHATEVER_THEY_SAY:
        problem = unknown_parameter(node, OPERATOR_PARAMETERS, facts.session)
    for child in node.children:
        problem = problem or unknown_metadata(facts.jvm_plan.schema(child))
    if problem is not None:
        raise UnrepresentableError(problem)


@dataclass(frozen=True, slots=True)
class Fallback:
    """Makes leaves of parts of a plan; `fragments` gathers Spark's plans of them by name."""

    facts: PlanFacts
    numbers: ColumnNumbers
    fragments: dict[str, Any]

    def subtree(self, node: Node, reason: str) -> Readout:
        """Leave the subtree to Spark, or, if it cannot stand alone, the one above it."""
        plan = self.facts.jvm_plan.locate(node.way)
        hides_plans = not plan.subqueriesAll().isEmpty()
        if hides_plans or any(each.name in _RUN_WHOLE for each in node.walk()):
            # Real tables cannot be put into plans that hide inside expressions, and some
            # operators do not survive being optimized a second time.
            raise UnrepresentableError(reason)
        try:
            bind_fragment(self.facts.spark, plan, self.facts.spark.table)
        except AnalysisException:
            raise UnrepresentableError(reason) from None
        return self._leaf(node, reason, plan)

    def whole_query(self, node: Node, reason: str) -> Readout:
        """Leave all of the query to Spark."""
        return self._leaf(node, reason, WHOLE_QUERY)

    def _leaf(self, node: Node, reason: str, plan: Any) -> Readout:
        """A leaf under a name that equal subtrees share."""
        read = tuple(sources_read(node, self.facts.jvm_plan))
        jvm_plan = self.facts.jvm_plan
        unsaid = tuple(unsaid_by_text(jvm_plan.locate(node.way), self.facts.spark._jvm))
        fragment = fragment_name(jvm_plan.text(node), read, unsaid)
        self.fragments[fragment] = plan
        scope: dict[int, Column] = {}
        columns = []
        for attribute in self.facts.jvm_plan.output_attributes(node):
            column = self.numbers.new(attribute.name, attribute.dtype, attribute.nullable)
            columns.append(column)
            scope.setdefault(attribute.id, column)
        sources = tuple(sorted(set(read)))
        return Readout(Recompute(fragment, reason, sources, tuple(columns)), scope)
