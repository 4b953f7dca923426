"""Project folders: what the spec file says, and what is refused with which line."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from slackwater.errors import CatalogError, SetupError
from slackwater.plan.forms import Engine
from slackwater.project.example import EXAMPLE_FILES, write_example_project
from slackwater.project.load import is_project, load_project
from slackwater.project.project_files import OnMissing, SourceDeclaration, Windows
from slackwater.project.quantities import parse_bytes, parse_duration
from slackwater.sources.folder_connector import FolderConnector
from slackwater.sources.folders import WatchedFolder
from slackwater.state.metadata.collect import Retention

VIEW = "CREATE MATERIALIZED VIEW v AS SELECT * FROM t;"


def write(folder: Path, spec: str, **files: str) -> Path:
    """A project of the spec and a view, or of other SQL files."""
    (folder / "slackwater.yml").write_text(spec, encoding="utf-8")
    for name, text in (files or {"v": VIEW}).items():
        file = folder / "transformations" / f"{name}.sql"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return folder


FULL_SPEC = """\
name: shop
storage: file:///var/lib/my%20shop
catalog: main
database: sales
configuration:
  spark.sql.shuffle.partitions: 8
  spark.sql.ansi.enabled: true
libraries:
  - glob: {include: transformations/**}
  - folder: more
  - file: one.sql
sources:
  orders:
    path: data/orders
    format: csv
    pattern: "*.txt"
    options: {sep: "\\t", nullValue: ""}
    schema:
      id: BIGINT NOT NULL
      the `day`: DATE
    key: id
    op: upsert
    on_missing: ignore
  log:
    schema: a INT
    append_only: true
  lake:
    path: /lake/t
    format: parquet
    key: [a, b]
retention:
  commits: 3
  age: 2h
  history: 50
metadata: postgresql://ada@db/shop
windows:
  every: 1d
budget: 2 GB
engine: spark
"""


def folder_of(source: SourceDeclaration) -> WatchedFolder:
    assert isinstance(source.connector, FolderConnector)
    return source.connector.folder


def test_a_full_spec_is_read(tmp_path: Path) -> None:
    (tmp_path / "more" / "deep").mkdir(parents=True)
    (tmp_path / "more" / "deep" / "w.sql").write_text(VIEW.replace(" v ", " w "))
    (tmp_path / "one.sql").write_text(VIEW.replace(" v ", " x "))
    project = load_project(write(tmp_path, FULL_SPEC))
    assert (project.name, project.catalog, project.database) == ("shop", "main", "sales")
    assert project.storage == Path("/var/lib/my shop")
    assert project.configuration == {
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.ansi.enabled": "true",
    }
    assert [view.name for view in project.views] == ["v", "w", "x"]
    assert (project.windows, project.budget) == (Windows(every=86400.0), 2 << 30)
    assert project.retention == Retention(3, timedelta(hours=2), 50)
    assert project.metadata == "postgresql://ada@db/shop"
    assert project.engine is Engine.SPARK
    orders, log, lake = project.sources
    assert orders.schema == "`id` BIGINT NOT NULL, `the ``day``` DATE"
    watched = folder_of(orders)
    assert (watched.path, watched.file_format) == (tmp_path / "data/orders", "csv")
    assert (watched.pattern, watched.options) == ("*.txt", {"sep": "\t", "nullValue": ""})
    assert (orders.key, watched.op, orders.on_missing) == (("id",), "upsert", OnMissing.IGNORE)
    assert (log.schema, log.append_only, log.connector, log.key) == ("a INT", True, None, ())
    assert (folder_of(lake).path, lake.schema, lake.key) == (Path("/lake/t"), None, ("a", "b"))
    assert orders.place == f"{tmp_path / 'slackwater.yml'}, line 14"


def test_a_name_is_enough(tmp_path: Path) -> None:
    project = load_project(write(tmp_path, "name: small"))
    assert project.storage == tmp_path / ".slackwater"
    assert (project.sources, project.windows, project.budget) == ((), Windows(), None)
    assert project.engine is Engine.AUTO
    assert (project.retention, project.metadata) == (Retention(), None)
    assert is_project(tmp_path)


def test_windows_may_end_by_rows(tmp_path: Path) -> None:
    assert load_project(write(tmp_path, "name: a\nwindows: {rows: 5}")).windows == Windows(rows=5)


def test_what_retention_leaves_out_stays_as_it_is(tmp_path: Path) -> None:
    project = load_project(write(tmp_path, "name: a\nretention: {age: 0s}"))
    assert project.retention == Retention(age=timedelta(0))


@pytest.mark.parametrize(
    ("given", "meant"), [("sqlite:///meta/a.db", "{}/meta/a.db"), ("sqlite:////b.db", "/b.db")]
)
def test_a_file_for_metadata_is_found_from_the_project(
    tmp_path: Path, given: str, meant: str
) -> None:
    project = load_project(write(tmp_path, f"name: a\nmetadata: {given}"))
    assert project.metadata == "sqlite:///" + meant.format(tmp_path)


def test_no_message_shows_a_password(tmp_path: Path) -> None:
    with pytest.raises(CatalogError) as refused:
        load_project(write(tmp_path, "name: a\nmetadata: mysql://ada:secret@db/shop"))
    assert "secret" not in refused.value.render()
    kept = "name: a\nmetadata: postgresql://ada:secret@db/shop"
    project = load_project(write(tmp_path, kept))
    assert "secret" in str(project.metadata)
    assert "secret" not in repr(project)


SOURCE = "name: a\nsources:\n  s:\n    "
REFUSED = {
    "no name": ("storage: x", "the project has no name", 1),
    "empty name": ("name:\n", "name must be a text", 1),
    "empty file": ("# nothing\n", "the file is empty", None),
    "not a mapping": ("- a\n- b", "must have keys and values", 1),
    "not YAML": ("name: a\nsources: [", "the file is not YAML", 2),
    "a tab": ("name: a\nsources:\n\tx: 1", "the file is not YAML", 3),
    "an unknown key": ("name: a\nsource: {}", "has no key source", 2),
    "a key twice": ("name: a\nname: b", "name is given twice", 2),
    "a list for a text": ("name: a\ncatalog: [x]", "catalog must be a text", 2),
    "storage elsewhere": ("name: a\nstorage: s3://bucket/x", "storage cannot be s3://", 2),
    "configuration is a list": ("name: a\nconfiguration: [x]", "must have keys", 2),
    "libraries are a text": ("name: a\nlibraries: x", "libraries must be a list", 2),
    "an odd library": ("name: a\nlibraries:\n  - jar: x", "has no key jar", 3),
    "two libraries in one": (
        "name: a\nlibraries:\n  - file: x\n    folder: y",
        "one of glob, file and folder",
        3,
    ),
    "an empty glob": ("name: a\nlibraries:\n  - glob: {}", "the glob includes nothing", 3),
    "a library outside": ("name: a\nlibraries:\n  - file: ../x.sql", "not inside the project", 3),
    "a library without files": ("name: a\nlibraries:\n  - file: x.sql", "no SQL file matches", 3),
    "a bad pattern": ("name: a\nlibraries:\n  - file: a**b/x.sql", "a**b/x.sql", 3),
    "an unknown source key": (SOURCE + "keys: id", "s has no key keys", 4),
    "no schema": (SOURCE + "key: id", "source s has no schema", 4),
    "no format": (SOURCE + "path: x\n    schema: a INT", "path but no format", 4),
    "an odd format": (SOURCE + "path: x\n    format: xml", "format is 'xml'", 5),
    "a format without path": (SOURCE + "schema: a INT\n    format: csv", "format but no path", 5),
    "an odd flag": (SOURCE + "schema: a INT\n    append_only: 3", "must be true or false", 5),
    "an odd op": (
        SOURCE + "path: x\n    format: csv\n    schema: a INT\n    op: merge",
        "op is 'merge'",
        7,
    ),
    "upsert without key": (
        SOURCE + "path: x\n    format: csv\n    schema: a INT\n    op: upsert",
        "upserts without a key",
        4,
    ),
    "append-only deletes": (
        SOURCE
        + "path: x\n    format: csv\n    schema: a INT\n    op: delete\n    append_only: yes",
        "append-only and its files delete",
        4,
    ),
    "an odd on_missing": (SOURCE + "schema: a INT\n    on_missing: skip", "on_missing is", 5),
    "an odd retention": ("name: a\nretention: 1h", "must have keys and values", 2),
    "an unknown retention": ("name: a\nretention: {days: 3}", "retention has no key days", 2),
    "too few commits": ("name: a\nretention:\n  commits: -1", "'-1' is not a number of commits", 3),
    "an odd history": ("name: a\nretention: {history: all}", "'all' is not a number of commits", 2),
    "an odd age": ("name: a\nretention: {age: old}", "age: 'old' is not a duration", 2),
    "too great an age": ("name: a\nretention: {age: 40000d}", "cannot stay for 40000d", 2),
    "an endless age": (f"name: a\nretention: {{age: {'9' * 20}d}}", "commits cannot stay for", 2),
    "metadata elsewhere": ("name: a\nmetadata: mysql://h/d", "cannot be kept in mysql", 2),
    "metadata without scheme": ("name: a\nmetadata: shop", "address is not a URL", 2),
    "metadata in memory": ("name: a\nmetadata: sqlite://", "must be kept in a file", 2),
    "two windows": ("name: a\nwindows: {every: 1d, rows: 3}", "not both", 2),
    "an odd window": ("name: a\nwindows: {every: often}", "'often' is not a duration", 2),
    "no rows in a window": ("name: a\nwindows: {rows: 0}", "'0' is not a number of rows", 2),
    "an odd engine": ("name: a\nengine: cluster", "engine is 'cluster'", 2),
    "an odd budget": ("name: a\nbudget: much", "'much' is not a size", 2),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_spec(tmp_path: Path, case: str) -> None:
    spec, what, line = REFUSED[case]
    with pytest.raises(CatalogError) as refused:
        load_project(write(tmp_path, spec))
    assert what in refused.value.what
    place = str(tmp_path / "slackwater.yml") + ("" if line is None else f", line {line}")
    assert refused.value.where == place
    assert refused.value.hint


def test_a_wrong_word_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="Did you mean sources"):
        load_project(write(tmp_path, "name: a\nsorces: {}"))


def test_a_spec_must_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "slackwater.yml").write_bytes(b"name: \xff\xfe")
    with pytest.raises(CatalogError, match="not UTF-8"):
        load_project(tmp_path)


@pytest.mark.parametrize(
    ("other", "hint"), [("", "slackwater init"), ("spark-pipeline.yml", "Copy spark-pipeline.yml")]
)
def test_a_folder_without_spec(tmp_path: Path, other: str, hint: str) -> None:
    if other:
        (tmp_path / other).write_text("name: a")
    with pytest.raises(CatalogError) as refused:
        load_project(tmp_path)
    assert hint in str(refused.value.hint)
    assert not is_project(tmp_path)


def test_libraries_of_other_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "views.py").write_text("")
    spec = "name: a\nlibraries:\n  - glob:\n      include: code/**"
    with pytest.raises(CatalogError, match=r"no SQL file matches code/\*\* \(but views.py\)"):
        load_project(write(tmp_path, spec))


@pytest.mark.parametrize(
    "files", [{"a": VIEW, "b": VIEW.replace(" v ", " V ")}, {"a": VIEW.replace(" v ", " S ")}]
)
def test_a_name_is_taken_once(tmp_path: Path, files: dict[str, str]) -> None:
    spec = "name: a\nsources: {s: {schema: a INT}}"
    with pytest.raises(CatalogError, match=r"defined twice: as well at .*, line \d"):
        load_project(write(tmp_path, spec, **files))


# The example --------------------------------------------------------------------------------


def test_the_example_is_a_project(tmp_path: Path) -> None:
    folder = tmp_path / 'my "first" shop'
    files = write_example_project(folder)
    assert [str(file.relative_to(folder)) for file in files] == list(EXAMPLE_FILES)
    project = load_project(folder)
    assert project.name == 'my "first" shop'
    assert [source.name for source in project.sources] == ["customers", "orders"]
    assert [view.name for view in project.views] == ["revenue_by_country", "best_countries"]
    assert all(folder_of(source).path.is_dir() for source in project.sources)


def test_the_example_spoils_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(SetupError, match="not empty"):
        write_example_project(tmp_path)
    with pytest.raises(SetupError, match="not empty"):
        write_example_project(tmp_path / "notes.txt")
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


# Quantities ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "30", "s", "-3s", "1 week", "1h30m"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["", "0", "1.5g", "-1m", "4x"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_bytes(text)
