"""Every function that Spark describes, kept as a view while rows come, change and go.

A sample runs with all tests; `make test-deep ARGS=tests/functions` takes every example. With
`SLACKWATER_REGENERATE=1` the long version writes `docs/reference/functions.md` anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ..engine.harness import quick_session
from .examples import Case, Unturned, examples_of, spark_functions, turn
from .page import FunctionLine, lines_of, render
from .sweep import ENGINES, Sweep
from .verdicts import Verdict, judge

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "functions.md"
_SAMPLE = 24
"""One function in so many is looked at with all tests."""
_IN_A_HOME = 100


def _turned(
    spark: SparkSession, names: list[str]
) -> tuple[list[Case], list[FunctionLine], dict[str, Verdict]]:
    """The cases of some functions, what the page says of these, and the verdict on each case."""
    functions = spark_functions(spark)
    turned = {
        name: [turn(spark, each) for each in examples_of(name, functions[name][1])]
        for name in names
    }
    cases = [each for found in turned.values() for each in found if not isinstance(each, Unturned)]
    verdicts: dict[str, Verdict] = {}
    for start in range(0, len(cases), _IN_A_HOME):
        verdicts |= judge(spark, cases[start : start + _IN_A_HOME])
    lines = [
        FunctionLine(
            name,
            tuple(
                Verdict("not tried", each.reason)
                if isinstance(each, Unturned)
                else verdicts[each.name]
                for each in found
            ),
        )
        for name, found in turned.items()
    ]
    return cases, lines, verdicts


def _sample(spark: SparkSession) -> list[str]:
    return list(spark_functions(spark))[::_SAMPLE]


def test_a_sample_of_functions_is_kept_exactly(spark: SparkSession, tmp_path: Path) -> None:
    session = quick_session(spark)
    cases, lines, verdicts = _turned(session, _sample(session))
    written = lines_of(PAGE.read_text())
    assert [line.render() for line in lines] == [written[line.name] for line in lines]
    sweep = Sweep(session, cases, verdicts)
    found = [str(each) for engine in ENGINES for each in sweep.findings(tmp_path / engine, engine)]
    assert not found, "\n".join(found)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(12))
def test_all_functions_are_kept_exactly(part: int, spark: SparkSession, tmp_path: Path) -> None:
    session = quick_session(spark)
    cases, _, verdicts = _turned(session, list(spark_functions(session))[part::12])
    sweep = Sweep(session, cases, verdicts)
    found = [str(each) for engine in ENGINES for each in sweep.findings(tmp_path / engine, engine)]
    assert not found, "\n".join(found)


@pytest.mark.deep
def test_the_page_says_how_every_function_is_kept(spark: SparkSession) -> None:
    session = quick_session(spark)
    _, lines, _ = _turned(session, list(spark_functions(session)))
    page = render(".".join(session.version.split(".")[:2]), lines)
    if os.environ.get("SLACKWATER_REGENERATE"):
        PAGE.write_text(page)
    assert PAGE.read_text() == page
