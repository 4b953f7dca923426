"""A connector of another kind goes through the protocol alone: lines of one file that grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.api import write_example_project
from slackwater.catalog.source_spec import SourceSpec
from slackwater.errors import CatalogError, DataError
from slackwater.events import Committed, Event
from slackwater.project.apply import apply_project
from slackwater.project.load import load_project
from slackwater.project.project_files import OnMissing, ProjectFiles, SourceDeclaration
from slackwater.project.take_in import count_waiting, take_in
from slackwater.project.workspace import Workspace
from slackwater.sources.connector import Discovery, Position


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of the log: from the one at `start` on."""

    start: int
    lines: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"line {self.start + number}" for number in range(len(self.lines)))


@dataclass(frozen=True, slots=True)
class LogConnector:
    """Takes in the lines of a log, two at a time; the position is how many it has taken in."""

    file: Path
    op: str | None = None

    def schema(self, _spark: SparkSession) -> StructType | None:
        return StructType.fromDDL("v INT") if self._lines() else None

    def discover(self, after: Position) -> Discovery[Lines]:
        start = int(after.get("lines", 0))
        lines = self._lines()
        if len(lines) < start:
            raise DataError("the log has been cut", where=str(self.file))
        new = range(start, len(lines), 2)
        batches = tuple(Lines(at, lines[at : at + 2]) for at in new)
        return Discovery(tuple(name for each in batches for name in each.names), lambda: batches)

    def read(self, spark: SparkSession, _spec: SourceSpec, batch: Lines) -> DataFrame:
        rows = ", ".join(f"('{line}')" for line in batch.lines)
        return spark.sql(f"SELECT CAST(line AS INT) AS v FROM VALUES {rows} AS t(line)")

    def confirm(self, batch: Lines) -> Position:
        if self._lines()[batch.start : batch.start + len(batch.lines)] != batch.lines:
            raise DataError("the log was rewritten while it was being read", where=str(self.file))
        return {"lines": str(batch.start + len(batch.lines))}

    def diagnose(
        self, _spark: SparkSession, spec: SourceSpec, batch: Lines, _problem: Exception
    ) -> Exception:
        return DataError(f"{spec.name}: {batch.names[0]} is no number", where=str(self.file))

    def _lines(self) -> tuple[str, ...]:
        return tuple(self.file.read_text().splitlines()) if self.file.exists() else ()


@dataclass
class Place:
    """A project whose only source is the log."""

    workspace: Workspace
    log: Path
    files: ProjectFiles

    def take(self) -> list[tuple[str, ...]]:
        with self.workspace.writer(self.files) as keeper:
            if "log" not in keeper.catalog().sources:
                keeper.create_source("log", "v INT", (), False, "error")
                keeper.create_view("total", "SELECT sum(v) AS s FROM log", None, "auto", "all")
            taken = take_in(keeper, self.files)
            keeper.refresh()
        return [each.names for each in taken]

    def total(self) -> int | None:
        with self.workspace.writer(self.files) as keeper:
            (row,) = keeper.read("total", None).collect()
            return row.s


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Iterator[Place]:
    folder = tmp_path / "shop"
    write_example_project(folder)
    log = tmp_path / "log.txt"
    source = SourceDeclaration(
        "log", None, (), False, OnMissing.ERROR, LogConnector(log), folder / "slackwater.yml", 1
    )
    files = replace(load_project(folder), sources=(source,), views=())
    workspace = Workspace(folder, spark, None)
    yield Place(workspace, log, files)
    workspace.close()


def test_each_batch_is_taken_in_once(place: Place) -> None:
    place.log.write_text("1\n2\n3\n")
    heard: list[Event] = []
    with place.workspace.events.subscribe(heard.append, Committed):
        assert place.take() == [("line 0", "line 1", "line 2")]
    kinds = [event.kind for event in heard if isinstance(event, Committed)]
    assert kinds.count("ingest") == 2
    assert place.take() == []
    with place.log.open("a") as end:
        end.write("10\n")
    assert place.take() == [("line 3",)]
    assert place.total() == 16


def test_a_position_moves_with_its_batch_alone(place: Place) -> None:
    """The second batch fails: what came before it is in, and is not taken in again."""
    place.log.write_text("1\n2\nthree\n")
    with pytest.raises(DataError, match="log: line 2 is no number"):
        place.take()
    with place.workspace.writer(place.files) as keeper:
        assert keeper.marks("log") == {"lines": "2"}
        assert count_waiting(keeper.home, place.files) == {"log": 1}
    place.log.write_text("1\n2\n3\n")
    assert place.take() == [("line 2",)]
    assert place.total() == 6


def test_a_batch_that_is_not_confirmed_is_not_taken_in(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.log.write_text("1\n2\n")
    read = LogConnector.read

    def rewriting(self: LogConnector, *given: object) -> DataFrame:
        rows = read(self, *given)  # type: ignore[arg-type]
        place.log.write_text("5\n6\n")
        return rows

    with monkeypatch.context() as patched:
        patched.setattr(LogConnector, "read", rewriting)
        with pytest.raises(DataError):
            place.take()
    assert place.take() == [("line 0", "line 1")]
    assert place.total() == 11


def test_a_connector_that_refuses_to_look_is_left_out_of_the_status(place: Place) -> None:
    place.log.write_text("1\n2\n")
    place.take()
    place.log.write_text("1\n")
    with place.workspace.writer(place.files) as keeper:
        assert count_waiting(keeper.home, place.files) == {}
    with pytest.raises(DataError, match="the log has been cut"):
        place.take()


def test_a_source_without_a_schema_has_that_of_its_connector(place: Place) -> None:
    with place.workspace.writer(place.files) as keeper:
        with pytest.raises(CatalogError, match="there is nothing to take it from"):
            apply_project(keeper, place.files, replace=False)
        place.log.write_text("1\n")
        assert apply_project(keeper, place.files, replace=False).sources == ("log",)
        assert keeper.catalog().source("log").columns == ("v",)
