"""Random queries over random histories, split into runs at random, stay exact.

Statements come from the generator of tests/property. Those that plain Spark refuses, or on which
it fails for some state of the tables, are left out; the others are kept in one home. What once
broke the law is kept in regressions/ with the history that showed it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.workloads.change_stream import ChangeSpec
from slackwater.workloads.database import ChangeBatch

from ..property.generator import Statement, random_statements
from .harness import DataSet, Kept, Law, Plain, Way, data_set

_EXAMPLES = int(os.environ.get("SLACKWATER_EXAMPLES", "0"))
_REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.sql"))
_PATIENT: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    # Trying smaller examples would cost a home each; what breaks is told query by query.
    "phases": (Phase.explicit, Phase.generate),
}


@dataclass(frozen=True)
class History:
    """Changes of the adversarial tables, and how many batches each run takes in."""

    seed: int
    batches: int
    deletes: float
    updates: float
    initial: float
    together: int
    way: Way = Way.DRIVER

    def runs(self, data: DataSet) -> list[list[ChangeBatch]]:
        """The batches of every run."""
        spec = ChangeSpec(
            self.seed,
            self.batches,
            self.deletes,
            self.updates,
            self.initial,
            include_undo=self.batches > 2,
        )
        batches = data.history(spec)
        return [batches[k : k + self.together] for k in range(0, len(batches), self.together)]


def histories(batches: int) -> st.SearchStrategy[History]:
    """Histories of so many batches."""
    shares = st.sampled_from((0.0, 0.2, 0.4))
    return st.builds(
        History,
        seed=st.integers(0, 2**16),
        batches=st.just(batches),
        deletes=shares,
        updates=shares,
        initial=st.sampled_from((0.0, 0.3, 0.7)),
        together=st.integers(1, 2),
        way=st.sampled_from(Way),
    )


def _check(
    spark: SparkSession, folder: Path, statements: Sequence[Statement], history: History
) -> None:
    views = [Kept(f"v{n}", each.sql, each.ordered) for n, each in enumerate(statements)]
    data = data_set("adversarial").read_by(views)
    runs = history.runs(data)
    schemas = {name: table.schema for name, table in data.tables.items()}
    views = _answerable(Plain(spark, folder / "tried", schemas), views, runs)
    law = Law(spark, folder, schemas, way=history.way)
    try:
        for view in views:
            law.add(view)
        law.refresh()
        for batches in runs:
            for batch in batches:
                law.take(batch)
            law.refresh()
            texts = {view.name: view.sql for view in views}
            found = [f"{each}\n{texts[each.view]}" for each in law.broken()]
            assert not found, f"{history}\n" + "\n\n".join(found)
        law.require_incremental()
    finally:
        law.close()


def _answerable(
    plain: Plain, views: Sequence[Kept], runs: Sequence[Sequence[ChangeBatch]]
) -> list[Kept]:
    """The statements that Spark can answer whatever the history has done so far."""
    kept = [view for view in views if _answers(plain, view)]
    for batches in runs:
        for batch in batches:
            plain.take(batch)
        kept = [view for view in kept if _answers(plain, view)]
    return kept


def _answers(plain: Plain, view: Kept) -> bool:
    try:
        plain.query(view.sql).write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError):
        return False
    return True


@settings(max_examples=_EXAMPLES or 1, derandomize=True, **_PATIENT)
@given(statements=st.lists(random_statements(), min_size=8, max_size=8), history=histories(4))
def test_random_histories(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    statements: list[Statement],
    history: History,
) -> None:
    _check(spark, tmp_path_factory.mktemp("random"), statements, history)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(2))
@settings(max_examples=_EXAMPLES or 6, **_PATIENT)
@given(statements=st.lists(random_statements(), min_size=8, max_size=8), history=histories(8))
def test_many_random_histories(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    part: int,  # noqa: ARG001 - each part draws examples of its own
    statements: list[Statement],
    history: History,
) -> None:
    _check(spark, tmp_path_factory.mktemp("random"), statements, history)


@pytest.mark.parametrize("path", _REGRESSIONS, ids=lambda path: path.stem)
def test_regressions(path: Path, spark: SparkSession, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = re.search(r"^-- history: (.*)$", text, re.MULTILINE)
    assert found is not None, "the file names no history"
    seed, batches, deletes, updates, initial, together = map(float, found[1].split())
    history = History(int(seed), int(batches), deletes, updates, initial, int(together))
    _check(spark, tmp_path, [Statement(text)], history)
