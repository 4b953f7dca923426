"""The page on matrices tells the truth: its code runs, and what it shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.matrix_program import Program

PAGE = (Path(__file__).parents[3] / "docs" / "linalg.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def pattern(shown: str) -> str:
    """The lines as a pattern, in which a line of dots is any lines."""
    lines = [
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in shown.split("\n")
    ]
    return "".join(lines).removesuffix("\n") + r"\n*"


def test_the_code_runs_and_prints_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "docs/linalg.md", "exec"), names)
    shown = blocks("text")[-1].removesuffix("\n")
    assert re.fullmatch(pattern(shown), capsys.readouterr().out)
    written = parse_program(blocks("text")[0])
    assert isinstance(names["program"], Program)
    assert written == names["program"]


def test_the_table_of_the_text_form_is_true() -> None:
    rows = re.findall(r"^\| `([^|]*)` \| [^|]* \| [^|]* \|$", PAGE, re.MULTILINE)
    declared = "input A(n, n); input B(n, n); input C(n, n); input D(n, n); input T0(n, n);"
    for number, text in enumerate(each for row in rows for each in row.split("`, `")):
        if text.startswith(("input", "size")):
            parse_program(f"{text} input Q(k, k); R := Q;")
        elif not text.startswith("%"):
            parse_program(f"{declared} R{number} := {text};")
    assert len(rows) > 8
