"""Every parameter of every Catalyst class we read is listed, in the Spark that runs the tests."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from slackwater.frontend.sql.aggregates import SPECIAL_AGGREGATES
from slackwater.frontend.sql.expression_tables import (
    AGGREGATES,
    ARITHMETIC,
    EXTRACTED_FIELDS,
    RANKS,
    SIMPLE,
    TRANSPARENT,
)
from slackwater.frontend.sql.leaves import LEAVES, SOURCE_LEAVES
from slackwater.frontend.sql.parameters import (
    EXPRESSION_PARAMETERS,
    OPERATOR_PARAMETERS,
    Parameter,
    Treatment,
)
from slackwater.frontend.sql.plan_reader import _OPERATORS, _TRANSPARENT
from slackwater.frontend.sql.special import SPECIAL

_CATALYST = "org.apache.spark.sql.catalyst."
_PACKAGES = (
    f"{_CATALYST}expressions.",
    f"{_CATALYST}expressions.aggregate.",
    f"{_CATALYST}expressions.objects.",
    f"{_CATALYST}expressions.variant.",
    f"{_CATALYST}optimizer.",
    f"{_CATALYST}plans.logical.",
    "org.apache.spark.sql.execution.python.",
)
_BY_NAME = {*SIMPLE, *AGGREGATES, *RANKS, *EXTRACTED_FIELDS, *TRANSPARENT}
_BY_FUNCTION = {*SPECIAL, *SPECIAL_AGGREGATES}
_BY_PLACE = {
    "Alias",
    "AttributeReference",
    "Literal",
    "SortOrder",
    "AggregateExpression",
    "WindowExpression",
    "WindowSpecDefinition",
    "SpecifiedWindowFrame",
}


@pytest.mark.parametrize("table", [EXPRESSION_PARAMETERS, OPERATOR_PARAMETERS])
def test_parameters_are_those_of_sparks_constructors(
    spark: SparkSession, table: Mapping[str, Mapping[str, Parameter]]
) -> None:
    reflection = spark._jvm.org.apache.spark.sql.catalyst.ScalaReflection
    told = {}
    for name in table:
        names = reflection.getConstructorParameterNames(_find_class(spark, name))
        told[name] = str(names.mkString(" ")).split()
    assert {name: list(parameters) for name, parameters in table.items()} == told


def _find_class(spark: SparkSession, name: str) -> object:
    for package in _PACKAGES:
        try:
            return spark._jvm.java.lang.Class.forName(package + name)
        except Py4JJavaError:
            continue
    raise AssertionError(f"Spark has no class {name}")


def test_every_expression_we_read_lists_its_parameters() -> None:
    read = _BY_NAME | _BY_FUNCTION | _BY_PLACE | set(ARITHMETIC)
    assert set(EXPRESSION_PARAMETERS) == read


def test_every_operator_we_read_lists_its_parameters() -> None:
    read = {*_OPERATORS, *_TRANSPARENT, *LEAVES} - SOURCE_LEAVES - {"Sample"}
    assert set(OPERATOR_PARAMETERS) == read


def test_no_class_that_is_read_by_name_alone_needs_a_parameter_to_be_read() -> None:
    silent = {Treatment.READ, Treatment.MODE}
    unread = {
        name: [each.name for each in EXPRESSION_PARAMETERS[name].values()]
        for name in _BY_NAME
        if any(each.treatment in silent for each in EXPRESSION_PARAMETERS[name].values())
    }
    assert unread == {}


def test_modes_are_read_wherever_there_are_any() -> None:
    with_modes = {
        name
        for name, parameters in EXPRESSION_PARAMETERS.items()
        if any(each.treatment is Treatment.MODE for each in parameters.values())
    }
    assert with_modes == {*ARITHMETIC, "Cast", "Sum", "Average"}
