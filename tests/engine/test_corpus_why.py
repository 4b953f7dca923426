"""Law 3: every query of the corpus is kept, and for each it is on record by which rules.

`SLACKWATER_REGENERATE=1` writes the record anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
import sys

import pytest
from pyspark.sql import SparkSession

from slackwater.algebra.root import split_root
from slackwater.catalog.definitions import SourceDefinition
from slackwater.frontend.sql.planner import Planner
from slackwater.optimizer.choose import first_fit
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import OperatorPlan
from slackwater.planning.views import normalized_root
from slackwater.workloads.corpus import DATA_SETS

from .corpus import CORPUS, WHY
from .harness import data_set, quick_session, source_schema

_MOST_RECOMPUTED = 0.10


@pytest.fixture(scope="module")
def chosen(spark: SparkSession) -> dict[str, tuple[OperatorPlan, ...]]:
    """The choice for every operator of every query, when sources may lose rows."""
    planners = {}
    for name in DATA_SETS:
        planners[name] = Planner(quick_session(spark))
        for table, rows in data_set(name).tables.items():
            source = SourceDefinition(table, source_schema(rows.schema).json())
            planners[name].add_table(source.table(None))
    found = {}
    for query in CORPUS:
        plan = normalized_root(planners[query.data].plan_sql(query.sql).rel)
        found[query.name] = tuple(first_fit(split_root(plan).stored, Facts()).kept())
    return found


def _record(chosen: dict[str, tuple[OperatorPlan, ...]]) -> list[str]:
    lines = []
    for name, found in chosen.items():
        lines.append(f"{name}: {', '.join(sorted({each.method for each in found}))}")
        reasons = {
            f"  recomputes {type(e.rel).__name__}: {e.chosen.recomputes}"
            for e in found
            if e.chosen.recomputes
        }
        lines += sorted(reasons)
    return lines


def test_rules_are_on_record(chosen: dict[str, tuple[OperatorPlan, ...]]) -> None:
    made = _record(chosen)
    known = WHY.read_text(encoding="utf-8").splitlines() if WHY.exists() else []
    if os.environ.get("SLACKWATER_REGENERATE"):
        WHY.write_text("\n".join(made) + "\n", encoding="utf-8")
    assert made == known


def test_little_is_recomputed(
    chosen: dict[str, tuple[OperatorPlan, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    recomputed = [name for name, found in chosen.items() if any(e.chosen.recomputes for e in found)]
    with capsys.disabled():
        sys.stdout.write(f"\nrecomputed in part: {len(recomputed)} of {len(chosen)} queries\n")
    assert len(recomputed) <= _MOST_RECOMPUTED * len(chosen), ", ".join(recomputed)
