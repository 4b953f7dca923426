"""Puts real tables into a part of a Catalyst plan that was made over empty ones.

A fragment is a plan of Spark's own that our algebra cannot express. Its leaves are the
planning relations; each is replaced by the real table under a projection that gives the
columns the very ids the rest of the fragment reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.expr.sql import quote_name
from slackwater.frontend.sql.jvm_plan import relation_source
from slackwater.frontend.sql.sessions import clone_session, rebind


def bind_fragment(
    spark: SparkSession, plan: Any, find_table: Callable[[str], DataFrame]
) -> DataFrame:
    """The fragment as a DataFrame over the tables that `find_table` gives for its sources.

    Raises pyspark's `AnalysisException` where the optimizer has left something in the plan
    that Spark does not accept from a user.
    """
    jvm: Any = spark._jvm
    bound = _Binder(jvm, find_table).bind(plan)
    dataset = jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, bound)
    return DataFrame(dataset, spark)


def run_text(spark: SparkSession, sql: str, tables: Mapping[str, DataFrame]) -> DataFrame:
    """A query's own text over these tables, whatever else the session calls by their names."""
    apart = clone_session(spark)
    for name, table in tables.items():
        rebind(table, apart).createOrReplaceTempView(quote_name(name))
    return rebind(apart.sql(sql), spark)


class _Binder:
    def __init__(self, jvm: Any, find_table: Callable[[str], DataFrame]):
        self._jvm = jvm
        self._find_table = find_table

    def bind(self, plan: Any) -> Any:
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
        table = self._find_table(source)._jdf.queryExecution().analyzed()
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
