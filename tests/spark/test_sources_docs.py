"""The examples of docs/reference/sources.md, run as they stand."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sources.md"


def test_the_page_tells_the_truth(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8").replace("```", "")
    page = doctest.DocTestParser().get_doctest(text, {"spark": spark}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    results = doctest.DocTestRunner().run(page, out=told.append)
    assert results.attempted > 10
    assert results.failed == 0, "".join(told)
