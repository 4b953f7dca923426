from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "workloads.md"


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("SLACKWATER_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 1
    exec(compile(examples[0], str(PAGE), "exec"), {})
