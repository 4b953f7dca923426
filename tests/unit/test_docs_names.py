"""The pages that lead through the code name files and definitions that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
PAGES = sorted(page.name for page in (ROOT / "docs").glob("*.md"))


def read_page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def files_called(path: str) -> list[Path]:
    return [file for file in FILES if file.as_posix().endswith(f"/{path}")]


def undefined(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of names whose file does not define them."""

    def is_defined(name: str, path: str) -> bool:
        own = name.rpartition(".")[2]
        definition = re.compile(rf"^\s*(?:def|class) {own}\b", re.MULTILINE)
        return any(definition.search(file.read_text()) for file in files_called(path))

    return [(name, path) for name, path in pairs if not is_defined(name, path)]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_exists(page: str) -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", read_page(page)))
    assert {path for path in named if not files_called(path)} == set()


@pytest.mark.parametrize("page", ["life-of-a-query.md", "architecture.md", "glossary.md"])
def test_names_are_defined_in_the_files_beside_them(page: str) -> None:
    """As in: `Planner` (`frontend/sql/planner.py`)."""
    pairs = re.findall(r"`([\w.]+)`\s+\(`([\w/]+\.py)`", read_page(page))
    assert len(pairs) > 15
    assert undefined(pairs) == []


def test_values_and_functions_of_the_diagram_are_defined() -> None:
    """As in: │ decide   running/decide.py."""
    pairs = re.findall(r"([\w.]+) {2,}([\w/]+\.py)", read_page("life-of-a-query.md"))
    assert len(pairs) > 20
    assert undefined(pairs) == []


def test_a_word_of_the_glossary_means_one_thing() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\* \|", read_page("glossary.md"), re.MULTILINE)
    words = [word.strip() for row in rows for word in row.split(",")]
    assert len(words) > 40
    assert sorted(words) == sorted(set(words))


def test_every_package_has_its_room_in_the_architecture() -> None:
    page = read_page("architecture.md")
    rooms = {
        each.name for each in (ROOT / "src" / "slackwater").iterdir() if each.suffix != ".typed"
    }
    names = {name.removesuffix(".py") for name in rooms} - {"__init__", "__pycache__"}
    assert {name for name in names if f"`{name}`" not in page} == set()
