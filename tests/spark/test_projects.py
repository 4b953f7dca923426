"""A project's folder in a program: what is opened when, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.api import write_example_project
from slackwater.errors import CatalogError, SetupError, SlackwaterError
from slackwater.events import Committed, Event, Progress
from slackwater.spark import session as sessions


@pytest.fixture(scope="module")
def filled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("projects") / "shop"
    write_example_project(folder)
    with sw.open_project(folder, spark) as project:
        project.refresh()
    return folder


@pytest.fixture
def shop(filled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(filled, tmp_path / "shop")


def test_what_happens_is_told_from_the_start(spark: SparkSession, tmp_path: Path) -> None:
    write_example_project(tmp_path / "shop")
    heard: list[Event] = []
    with sw.open_project(tmp_path / "shop", spark) as project:
        project.subscribe(heard.append)
        done = project.refresh()
    work = [event.work for event in heard if isinstance(event, Progress)]
    assert work[:2] == ["starting Spark", "comparing the project with its home"]
    assert "ingesting 2026-05-02.csv into customers" in work
    assert work.index("refreshing the views") > work.index("ingesting 2026-05-02.json into orders")
    kinds = [event.kind for event in heard if isinstance(event, Committed)]
    assert kinds[-5:] == ["ingest"] * 4 + ["run"]
    assert heard.count(Committed(done.run.commit, "run")) == 1


def test_looking_starts_no_spark(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(sessions._OWN, "acquire", refuse)
    with sw.open_project(shop) as project:
        assert project.status().home.commit > 0
        assert project.history("best_countries")[0].action == "filled"
        assert project.views() == ("revenue_by_country", "best_countries")


def test_the_home_is_free_between_requests(spark: SparkSession, shop: Path) -> None:
    with sw.open_project(shop, spark) as one, sw.open_project(shop, spark) as other:
        before = one.read("best_countries").collect()
        (shop / "data" / "orders" / "2030-01-01.json").write_text(
            '{"id": 9, "customer": 1, "amount": 99, "day": "2030-01-01"}\n'
        )
        assert one.status().waiting == {"customers": 0, "orders": 1}
        assert [each.names for each in other.refresh().ingested] == [("2030-01-01.json",)]
        assert one.read("best_countries").count() == len(before) + 1
        assert one.refresh().ingested == ()


def test_files_are_read_anew(spark: SparkSession, shop: Path) -> None:
    with sw.open_project(shop, spark) as project:
        (shop / "transformations" / "more.sql").write_text(
            "CREATE MATERIALIZED VIEW names AS SELECT name FROM customers"
        )
        assert project.apply().views == ("names",)
        assert project.views()[-1] == "names"
        assert project.read("names").count() == 0
        project.refresh()
        assert project.read("names").count() == 4
        (shop / "transformations" / "more.sql").unlink()
        assert project.apply(replace=True).dropped == ("names",)


def test_programs_ingest_rows_themselves(spark: SparkSession, shop: Path) -> None:
    with sw.open_project(shop, spark) as project:
        with project.session() as session:
            session.ingest(
                "customers", spark.sql("SELECT 7L AS id, 'Gil' AS name, 'GR' AS country")
            )
            assert session.refresh().views[0].rows_in == 1
            with pytest.raises(SlackwaterError, match="is being written by pid"):
                sw.open(shop / ".slackwater", spark)
        with pytest.raises(ZeroDivisionError), project.session():
            raise ZeroDivisionError
        assert project.verify("revenue_by_country").equal


def test_what_is_no_project_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"has no slackwater.yml"):
        sw.open_project(tmp_path)


def test_an_engine_that_does_not_exist_is_refused_at_once(shop: Path) -> None:
    with pytest.raises(SetupError, match="there is no engine 'cluster'"):
        sw.open_project(shop, engine="cluster")
