"""The Spark session in which queries are planned, apart from the user's own.

A clone of the user's session shares its functions and settings but not its views: tables are
registered in it as empty relations, and optimizer rules that would hide a query's structure
are switched off, without the user's session noticing.
"""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.catalog import TableDefinition
from slackwater.frontend.sql.metadata import SOURCE_KEY
from slackwater.frontend.sql.parameters import SessionMeaning

_OPTIMIZER = "org.apache.spark.sql.catalyst.optimizer."
_EXCLUDED_RULES = (
    # Turns long IN lists into a set whose values the plan's JSON drops.
    "OptimizeIn",
    # Computes decimal sums on unscaled integers, with functions that SQL does not have.
    "DecimalAggregates",
    # Merge scalar subqueries into shared plans that the JSON shows only in part.
    "MergeScalarSubqueries",
    "MergeSubplans",
    # Scatters local limits over the plan; they mean nothing without the global one.
    "LimitPushDown",
)
_PLANNING_CONF = {
    "spark.sql.optimizer.windowGroupLimitThreshold": "-1",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
}
_RULES_KEY = "spark.sql.optimizer.excludedRules"


def clone_session(spark: SparkSession) -> SparkSession:
    """A session with the same settings, functions and views that can be changed freely."""
    return SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())


def rebind(frame: DataFrame, session: SparkSession) -> DataFrame:
    """The analysed query of a frame, planned and run by the settings of the session."""
    jvm: Any = session._jvm
    plan = frame._jdf.queryExecution().analyzed()
    dataset = jvm.org.apache.spark.sql.classic.Dataset.ofRows(session._jsparkSession, plan)
    return DataFrame(dataset, session)


def exclude_rules(session: SparkSession, rules: tuple[str, ...]) -> None:
    """Switch optimizer rules off in a session of our own, beside those the user has off."""
    excluded = [rule for rule in (session.conf.get(_RULES_KEY, "") or "").split(",") if rule]
    excluded += [_OPTIMIZER + rule for rule in rules]
    session.conf.set(_RULES_KEY, ",".join(excluded))


def planning_session(spark: SparkSession) -> SparkSession:
    """A clone whose optimizer keeps plans in a form we can read."""
    planning = clone_session(spark)
    exclude_rules(planning, _EXCLUDED_RULES)
    for key, value in _PLANNING_CONF.items():
        planning.conf.set(key, value)
    return planning


def session_meaning(session: SparkSession) -> SessionMeaning:
    """Read the settings of a session that change the meaning of expressions planned in it."""
    conf = session.conf
    return SessionMeaning(
        ansi=conf.get("spark.sql.ansi.enabled") == "true",
        zone=str(conf.get("spark.sql.session.timeZone")),
        allow_precision_loss=(conf.get("spark.sql.decimalOperations.allowPrecisionLoss") == "true"),
    )


def register_planning_relation(planning: SparkSession, table: TableDefinition) -> None:
    """Make a table known for planning: no rows, its columns, its size.

    The relation must not be one that Spark knows to be empty, or whole queries would fold
    away. Its columns carry the source's name as metadata, which comes back in the plan.
    """
    java_session = planning._jsparkSession
    schema = json.loads(table.spark_schema)
    for field in schema["fields"]:
        field["metadata"] = {**field.get("metadata", {}), SOURCE_KEY: table.name}
    java_schema = java_session.parseDataType(json.dumps(schema))
    no_rows = planning.sparkContext._jsc.emptyRDD()
    frame = java_session.createDataFrame(no_rows, java_schema)
    if table.statistics.rows is not None:
        frame = _with_statistics(planning, frame, table.statistics.rows)
    frame.createOrReplaceTempView(_quoted(table.name))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _with_statistics(planning: SparkSession, frame: Any, rows: int) -> Any:
    """The relation with the number of rows it stands for.

    Spark's statistics cannot be built through the Python gateway, which turns their big
    integers into Python's; those of a range of as many rows serve instead.
    """
    jvm: Any = planning._jvm
    java_session = planning._jsparkSession
    plan = frame.logicalPlan()
    size = java_session.range(rows).queryExecution().optimizedPlan().stats()
    arguments = [
        plan.output(),
        plan.rdd(),
        plan.outputPartitioning(),
        plan.outputOrdering(),
        plan.isStreaming(),
        plan.stream(),
        java_session,
        jvm.scala.Option.apply(size),
        jvm.scala.Option.empty(),
    ]
    if plan.getClass().getConstructors()[0].getParameterCount() > len(arguments):
        # Spark 4.3 adds a flag that is off for ordinary relations.
        arguments.append(False)
    relation = jvm.org.apache.spark.sql.execution.LogicalRDD(*arguments)
    return jvm.org.apache.spark.sql.classic.Dataset.ofRows(java_session, relation)
