"""The page on signals runs as it stands, and shows what it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slackwater.frontend.signal.signal import Signal
from slackwater.frontend.signal.windowed import Windowed

PAGE = (Path(__file__).parents[2] / "docs" / "signals.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_runs_and_shows_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    examples = blocks("python")
    assert len(examples) == 7
    exec("\n".join(examples), {})
    [shown] = blocks("text")
    assert capsys.readouterr().out == shown


def test_the_tables_name_every_method() -> None:
    named = set(re.findall(r"`\.?([a-z_]+)", "".join(re.findall(r"^\|.*\|$", PAGE, re.MULTILINE))))
    public = {name for kind in (Signal, Windowed) for name in vars(kind) if name[0] != "_"}
    structure = {"operator", "interpolation", "interpolating", "schema", "pipeline"}
    fields = {"input", "size", "hop", "missing", "stages", "finish", "then"}
    assert public - structure - fields <= named
