"""Fixtures of all tests. Spark starts once a process, and only when a test asks for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from slackwater.config import SparkSettings
from slackwater.defects import recorded_defects
from slackwater.spark.session import open_spark


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses the session, so that `-m "not spark"` leaves the quick ones."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session", autouse=True)
def _default_prices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Plans are chosen alike on every machine, whatever was calibrated there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLACKWATER_PRICES", str(tmp_path_factory.mktemp("none") / "prices.json"))
        yield


@pytest.fixture(autouse=True)
def _no_defects() -> Iterator[None]:
    """A defect that was survived is still one: the test that met it fails."""
    before = recorded_defects()
    yield
    assert recorded_defects() == before


_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
QUICK_JAVA = (
    ("spark.driver.extraJavaOptions", _QUICK),
    ("spark.executor.extraJavaOptions", _QUICK),
)
"""Tests run each statement a few times only: thorough compilation by the JVM never pays."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The Spark session of this test process; SLACKWATER_TEST_MASTER says where it runs."""
    master = os.environ.get("SLACKWATER_TEST_MASTER", "local[2]")
    if master.startswith("local-cluster"):
        os.environ["SPARK_HOME"] = str(_spark_home(tmp_path_factory.mktemp("spark")))
    settings = SparkSettings(master=master, shuffle_partitions=2, conf=QUICK_JAVA)
    with open_spark(settings) as session:
        yield session


def _spark_home(folder: Path) -> Path:
    """The installed Spark in another place: workers of a cluster leave their folders there."""
    for part in Path(pyspark.__file__).parent.iterdir():
        (folder / part.name).symlink_to(part)
    return folder


@pytest.fixture(autouse=True)
def _leave_spark_as_found(request: pytest.FixtureRequest) -> Iterator[None]:
    """Undo what a test did to the shared session: temporary views, functions and properties."""
    if "spark" not in request.fixturenames:
        yield
        return
    session: SparkSession = request.getfixturevalue("spark")
    views, properties = _temporary_views(session), session.conf.getAll
    functions = _functions(session)
    yield
    for view in _temporary_views(session) - views:
        session.catalog.dropTempView(view)
    for function in _functions(session) - functions:
        name = function.rsplit(".", 1)[-1]
        session._jsparkSession.sessionState().catalog().dropTempFunction(name, False)
    _restore_properties(session, properties)


def _temporary_views(session: SparkSession) -> set[str]:
    names = session._jsparkSession.sessionState().catalog().listLocalTempViews("*")
    return {names.apply(index).table() for index in range(names.size())}


def _functions(session: SparkSession) -> set[str]:
    """Names of all scalar and table functions of the session, built in or registered."""
    state = session._jsparkSession.sessionState()
    listed = (
        registry.listFunction().mkString("\n")
        for registry in (state.functionRegistry(), state.tableFunctionRegistry())
    )
    return {name for text in listed for name in text.split("\n")}


def _restore_properties(session: SparkSession, before: dict[str, str]) -> None:
    after = session.conf.getAll
    for name in after.keys() - before.keys():
        session.conf.unset(name)
    for name, value in before.items():
        if after.get(name) != value:
            session.conf.set(name, value)
