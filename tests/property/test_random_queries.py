"""Random well-typed queries obey the fidelity law, and so does every query that once did not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from pyspark.sql import SparkSession

from .generator import Statement, random_statements
from .law import Bench, Outcome, check_law, open_bench

_EXAMPLES = int(os.environ.get("SLACKWATER_EXAMPLES", "0"))
_REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.sql"))
_PATIENT = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "print_blob": True,
}


@pytest.fixture(scope="module")
def bench(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    return open_bench(spark, tmp_path_factory.mktemp("tables"))


def _obeys(bench: Bench, statement: Statement) -> None:
    outcome = check_law(bench, statement.sql, ordered=statement.ordered)
    event(outcome.value)
    assume(outcome is not Outcome.REFUSED)


@settings(max_examples=_EXAMPLES or 60, derandomize=True, database=None, **_PATIENT)
@given(statement=random_statements())
def test_random_queries(bench: Bench, statement: Statement) -> None:
    _obeys(bench, statement)


@pytest.mark.deep
@settings(max_examples=_EXAMPLES or 1500, **_PATIENT)
@given(statement=random_statements())
def test_many_random_queries(bench: Bench, statement: Statement) -> None:
    _obeys(bench, statement)


@pytest.mark.parametrize("path", _REGRESSIONS, ids=lambda path: path.stem)
def test_regressions(path: Path, bench: Bench) -> None:
    assert check_law(bench, path.read_text(encoding="utf-8")) is not Outcome.REFUSED
