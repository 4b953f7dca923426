"""The page on projects tells the truth: its example loads, and its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

from slackwater.project import source_entries, spec_file
from slackwater.project.load import load_project
from slackwater.project.project_files import Windows
from slackwater.project.view_properties import VIEW_PROPERTIES

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "project.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def table_below(header: str) -> list[str]:
    """The names in the first column of each table that has this header."""
    tables = re.findall(rf"^\| {header} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [name for table in tables for name in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)]


def test_the_example_loads(tmp_path: Path) -> None:
    [spec], [sql] = blocks("yaml"), blocks("sql")
    (tmp_path / "slackwater.yml").write_text(spec)
    (tmp_path / "transformations").mkdir()
    (tmp_path / "transformations" / "views.sql").write_text(sql)
    project = load_project(tmp_path)
    assert [source.name for source in project.sources] == ["orders", "events"]
    assert [view.name for view in project.views] == ["revenue", "best"]
    assert (project.windows, project.budget) == (Windows(every=86400.0), 4 << 30)


def test_the_tables_name_every_key() -> None:
    assert table_below("key") == [*spec_file.SPEC_KEYS, *source_entries.SOURCE_KEYS]
    assert table_below("property") == list(VIEW_PROPERTIES)
