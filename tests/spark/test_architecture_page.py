"""The rule and the connector of docs/architecture.md, run as they stand."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import slackwater as sw
from slackwater import faults
from slackwater.api import PlanExplanation
from slackwater.compiler.lowering.table import LOWERINGS
from slackwater.optimizer import choose
from slackwater.project import workspace
from slackwater.project.load import load_project
from slackwater.project.project_files import OnMissing, SourceDeclaration

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
COLUMNS = "number BIGINT, kind STRING, size STRING"
DISTINCT = "SELECT DISTINCT kind, upper(size) AS size FROM item WHERE number > 0"


class Killed(BaseException):
    """Ends what runs as SIGKILL would, but for what `with` blocks do."""


@pytest.fixture(scope="module")
def page() -> SimpleNamespace:
    """What the page's blocks define."""
    names: dict[str, Any] = {"__name__": "architecture"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, PAGE.name, "exec", dont_inherit=True), names)
    return SimpleNamespace(**names)


def items(*rows: tuple[int, str | None, str]) -> pa.Table:
    numbers, kinds, sizes = zip(*rows, strict=True)
    return pa.table({"number": pa.array(numbers, pa.int64()), "kind": kinds, "size": sizes})


def test_the_rule_keeps_a_view(
    page: SimpleNamespace, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "RULES", page.rules)
    for name, lowering in page.lowerings.items():
        monkeypatch.setitem(LOWERINGS, name, lowering)
    with sw.open(tmp_path / "home", spark, engine="driver") as session:
        session.create_source("item", COLUMNS)
        view = session.create_view("kinds", DISTINCT, refresh="strict")
        plan = view.explain("plan")
        assert isinstance(plan, PlanExplanation)
        assert plan.root.method == "distinct_presence"
        held: Counter[Any] = Counter()
        history = [
            ([(1, "cup", "s"), (2, "cup", "S"), (3, None, "m"), (0, "jug", "l")], "insert"),
            ([(1, "cup", "s")], "delete"),
            ([(2, "cup", "S"), (0, "jug", "l")], "delete"),
            ([(4, None, "M"), (5, "jug", "l"), (6, "cup", "s")], "insert"),
            ([(3, None, "m"), (4, None, "M")], "delete"),
        ]
        actions = []
        for rows, op in history:
            session.ingest("item", items(*rows), op)
            actions.append(session.refresh())
            held.update(rows) if op == "insert" else held.subtract(rows)
            assert bag(view.read()) == plainly(spark, held)
        assert [run.views[0].action for run in actions] == ["filled", *["incremental"] * 4]
        assert {run.metrics.jobs for run in actions} == {0}
        assert session.verify("kinds").equal


def test_a_batch_of_the_connector_counts_once_after_a_kill(
    page: SimpleNamespace, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "shop.db"
    sell(database, "CREATE TABLE sale (id INTEGER PRIMARY KEY, item TEXT, price REAL)")
    sell(database, "INSERT INTO sale (item, price) VALUES ('cup', 2.5), ('jug', 9)")
    connect(page.TableConnector(database), tmp_path / "shop", monkeypatch)
    with sw.open_project(tmp_path / "shop", spark) as project:
        with monkeypatch.context() as killing:
            killing.setenv(faults.VARIABLE, "ingest.written")
            killing.setattr(faults.os, "kill", die)
            faults._arrivals.clear()
            with pytest.raises(Killed):
                project.refresh()
        assert [each.names for each in project.refresh().ingested] == [("ids 1 to 2",)]
        assert project.refresh().ingested == ()
        sell(database, "INSERT INTO sale (item, price) VALUES ('cup', 4)")
        assert [each.names for each in project.refresh().ingested] == [("ids 3 to 3",)]
        found = {row.item: (row.sold, row.paid) for row in project.read("sales").collect()}
        assert found == {"cup": (2, 6.5), "jug": (1, 9.0)}
        assert project.verify("sales").equal


def plainly(spark: SparkSession, held: Counter[Any]) -> Counter[Any]:
    """What plain Spark makes of the rows."""
    rows = spark.createDataFrame(list((+held).elements()), COLUMNS)
    return bag(spark.sql(DISTINCT.replace("item", "{item}"), item=rows))


def bag(rows: DataFrame) -> Counter[Any]:
    return Counter(map(tuple, rows.collect()))


def die(_process: int, _signal: int) -> None:
    raise Killed


def sell(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as shop, shop:
        shop.execute(statement)


def connect(connector: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with one source, which has the connector, as if its keys were known."""
    (folder / "transformations").mkdir(parents=True)
    (folder / "slackwater.yml").write_text("name: shop\nstorage: home\n")
    (folder / "transformations" / "sales.sql").write_text(
        "CREATE MATERIALIZED VIEW sales AS "
        "SELECT item, count(*) AS sold, sum(price) AS paid FROM sale GROUP BY item"
    )
    at = (folder / "slackwater.yml", 1)
    source = SourceDeclaration("sale", None, ("id",), True, OnMissing.ERROR, connector, *at)
    read = load_project
    monkeypatch.setattr(
        workspace, "load_project", lambda place: replace(read(place), sources=(source,))
    )
