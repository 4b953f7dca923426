"""What users are told when a job of Spark's fails; the exceptions are Java's own."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.cli.failures import explain_failure
from slackwater.errors import ExecutionError
from slackwater.spark.failures import execution_error

_TOLD = "Java ran out of memory in Spark; nothing was changed"


def _failure(spark: SparkSession, thrown: Any) -> Py4JJavaError:
    """What py4j raises for an exception that Java throws."""
    jvm: Any = spark._jvm
    failing = jvm.java.util.concurrent.CompletableFuture()
    failing.completeExceptionally(thrown)
    with pytest.raises(Py4JJavaError) as raised:
        failing.get()
    return raised.value


@pytest.mark.parametrize(
    "message", ["Java heap space", "GC overhead limit exceeded", "unable to create native thread"]
)
def test_a_heap_that_ran_out_below_other_causes(spark: SparkSession, message: str) -> None:
    java: Any = spark._jvm
    lack = java.java.lang.OutOfMemoryError(message)
    aborted = java.java.lang.RuntimeException("job aborted", lack)
    found = execution_error(_failure(spark, java.java.lang.IllegalStateException("", aborted)))
    assert found.what == _TOLD
    assert "spark.driver.memory" in str(found.hint)
    assert "SLACKWATER_SPARK_DRIVER_MEMORY" in str(found.hint)
    assert "spark.executor.memory" in str(found.hint)


def test_a_heap_of_an_executor_that_only_a_message_tells_of(spark: SparkSession) -> None:
    java: Any = spark._jvm
    said = "Job aborted due to stage failure: Task 0 failed: java.lang.OutOfMemoryError: x"
    found = execution_error(_failure(spark, java.java.lang.RuntimeException(said)))
    assert found.what == _TOLD


def test_commands_tell_the_same(spark: SparkSession) -> None:
    java: Any = spark._jvm
    problem = _failure(spark, java.java.lang.OutOfMemoryError("Java heap space"))
    assert explain_failure(problem).as_dict() == execution_error(problem).as_dict()


def test_other_failures_of_java_speak_of_no_memory(spark: SparkSession) -> None:
    java: Any = spark._jvm
    lost = java.java.lang.RuntimeException("a stage was lost")
    found = execution_error(_failure(spark, lost))
    assert isinstance(found, ExecutionError)
    assert "a stage was lost" in found.what
    assert "memory" not in f"{found.what} {found.hint}"


def test_errors_of_data_keep_their_condition(spark: SparkSession) -> None:
    with pytest.raises(PySparkException) as raised:
        spark.range(1).selectExpr("1 / (id - id)").collect()
    found = execution_error(raised.value)
    assert found.where == "DIVIDE_BY_ZERO"
