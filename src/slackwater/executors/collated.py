"""Finds work on texts with a collation, for which Spark must compile.

Where Spark interprets (`spark.sql.codegen.factoryMode=NO_CODEGEN`), aggregates and window functions
keep such a text by reference, in memory that the next row overwrites: a copy is made of STRING
alone. max('a' COLLATE UTF8_LCASE) over a table is then bytes of another row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from pyspark.sql import SparkSession

from slackwater.compiler.spark_sql import print_step
from slackwater.executors.places import Place
from slackwater.frontend.sql.planner import Fragment
from slackwater.frontend.sql.sessions import clone_session
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
    Step,
)
from slackwater.types import DataType, is_collated

_WORD = "collat"
"""In SQL and in plans of Spark's, wherever a collation is named."""


def compiling(session: SparkSession) -> SparkSession:
    """A clone that compiles expressions."""
    clone = clone_session(session)
    clone.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    return clone


def any_collated(types: Iterable[DataType], sql: str = "") -> bool:
    """Whether columns, or what a statement makes of them, are texts with a collation."""
    return any(map(is_collated, types)) or _WORD in sql.lower()


def handles_collations(program: Program, place: Place, fragments: Mapping[str, Fragment]) -> bool:
    """Whether any step of a program reads, computes or keeps such texts."""
    return any(any_collated(_types(step, place), _text(step, fragments)) for step in program.steps)


def _types(step: Step, place: Place) -> Iterator[DataType]:
    match step:
        case SourceChangesStep(source=source) | SourceRowsStep(source=source):
            yield from place.files.types(source)
        case StateRowsStep() | LookUpStep() | GatherStep() | AppendStep():
            yield from step.arrangement.types
        case ComputeStep() | FragmentStep():
            pass
        case _:
            assert_never(step)


def _text(step: Step, fragments: Mapping[str, Fragment]) -> str:
    match step:
        case ComputeStep():
            return print_step(step)
        case FragmentStep(fragment=name):
            fragment = fragments[name]
            return fragment.sql if fragment.sql is not None else str(fragment.plan.toString())
    return ""
