"""Homes of earlier versions open, and go on from the state they have.

Each archive in `tests/fixtures/homes` is a home as a version left it:

- `statements_as_text`: keys of state were texts of SQL, and so were statements.
- `settings_as_rows`: goals were part of definitions, and all else that is known of sources and
  views, positions of connectors and pinned settings were rows of one table.
"""

from __future__ import annotations

import tarfile
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.plan.facts import Facts
from slackwater.spark.pinned_settings import PINNED_SETTINGS

HOMES = Path(__file__).parents[1] / "fixtures" / "homes"
_SCHEMA = "id BIGINT, g STRING, x INT, d DECIMAL(12,2), f DOUBLE, m MAP<STRING,INT>, i INT"


def _rows(first: int, last: int) -> list[tuple[object, ...]]:
    """Rows as the home has them."""
    return [
        (n, "abc"[n % 3], n % 5, Decimal(n) / 4, n * 0.5 if n % 7 else -0.0, {"k": n % 2}, None)
        for n in range(first, last)
    ]


_ANEW = {"statements_as_text": {"fl": "rebuilt"}, "settings_as_rows": {}}
"""What a run does with views that cannot go on from their state: in the first, sums of
floating-point numbers were kept by the rows of their groups."""
_NO_NEWS = {"nothing": "skipped"}


def _unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("archive", sorted(HOMES.glob("*.tar.gz")), ids=lambda path: path.name)
def test_state_is_kept_and_taken_on(spark: SparkSession, tmp_path: Path, archive: Path) -> None:
    anew = _ANEW[archive.name.removesuffix(".tar.gz")]
    with sw.open(_unpacked(archive, tmp_path / "home"), spark=spark) as session:
        views = list(session.views())
        before = {view: str(session.view(view).explain("why")) for view in views}
        session.ingest("t", spark.createDataFrame(_rows(3, 5) + _rows(50, 60), _SCHEMA))
        session.ingest("t", spark.createDataFrame(_rows(10, 13), _SCHEMA), op="delete")
        session.ingest("u", spark.createDataFrame([("c", "C")], "g STRING, name STRING"))
        result = session.refresh()
        actions = {**dict.fromkeys(views, "incremental"), **_NO_NEWS, **anew}
        assert {run.view: run.action for run in result.views} == {
            view: actions[view] for view in views
        }
        assert len(views) == len(before) > 10
        assert [view for view in views if "not filled yet" in before[view]] == list(anew)
        assert [view for view in views if not session.verify(view).equal] == []


def test_what_were_settings_is_known(spark: SparkSession, tmp_path: Path) -> None:
    home = _unpacked(HOMES / "settings_as_rows.tar.gz", tmp_path / "home")
    with sw.open(home, spark=spark) as session:
        assert session.marks("u") == {"u/1.csv": "7 1", "u/2.csv": "9 2"}
        assert session.marks("t") == {}
        catalog = session.keeper.catalog()
        goals = {name: view.goal for name, view in catalog.views.items() if view.goal is not None}
        assert goals == {
            "sums": sw.Goal(slack="30s"),
            "ext": sw.Goal(final_work=0.25),
            "j": sw.Goal(fresh=True),
        }
        assert catalog.facts == Facts(True, frozenset({"u"}), sums_fit=False)
        assert catalog.pinned.keys() == set(PINNED_SETTINGS)
        plans = {name: catalog.stored_plan(name) for name in catalog.views}
        assert {name: plan and plan.answer.id for name, plan in plans.items()} == {
            name: catalog.answer(name) for name in catalog.views
        }
        session.ingest("u", spark.createDataFrame([("c", "C")], "g STRING, name STRING"))
        session.refresh()
        history = session.history()
        assert not any(each.action == "replanned" for each in history)
        assert session.view("names").read().count() == 3
