"""Puts real tables into a part of a Catalyst plan that was made over empty ones.

A fragment is a plan of Spark's own that our algebra cannot express. Its leaves are the
planning relations; each is replaced by the real table under a projection that gives the
columns the very ids the rest of the fragment reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.errors import ExecutionError
from slackwater.frontend.sql.companion import relation_source


def bind_fragment(spark: SparkSession, plan: Any, tables: Mapping[str, DataFrame]) -> Any:
    """The fragment's plan over the real tables."""
    return _Binder(spark, tables).bind(plan)


class _Binder:
    def __init__(self, spark: SparkSession, tables: Mapping[str, DataFrame]):
        self._jvm: Any = spark._jvm
        self._tables = tables

    def bind(self, plan: Any) -> Any:
        if not plan.subqueriesAll().isEmpty():
            raise ExecutionError(
                "a part of the query that Spark must run holds a subquery",
                where=str(plan.nodeName()),
                hint="Move the subquery into a WITH clause or a join.",
            )
        children = plan.children()
        if children.isEmpty():
            return self._leaf(plan)
        bound = [self.bind(children.apply(k)) for k in range(children.size())]
        return plan.withNewChildren(self._seq(bound))

    def _leaf(self, plan: Any) -> Any:
        source = relation_source(plan)
        if source is None:
            return plan
        output = plan.output()
        table = self._tables[source]._jdf.queryExecution().analyzed()
        real = table.output()
        aliases = [self._alias(real.apply(k), output.apply(k)) for k in range(output.size())]
        project = self._jvm.org.apache.spark.sql.catalyst.plans.logical.Project
        return project(self._seq(aliases), table)

    def _alias(self, real: Any, wanted: Any) -> Any:
        """The real column under the id that the fragment reads."""
        alias = self._jvm.org.apache.spark.sql.catalyst.expressions.Alias
        return alias(
            real,
            wanted.name(),
            wanted.exprId(),
            wanted.qualifier(),
            self._jvm.scala.Option.empty(),
            self._seq([]),
        )

    def _seq(self, items: list[Any]) -> Any:
        converters = self._jvm.scala.jdk.javaapi.CollectionConverters
        java_list = self._jvm.java.util.ArrayList()
        for item in items:
            java_list.add(item)
        return converters.asScala(java_list).toSeq()
