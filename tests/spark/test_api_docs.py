"""The reference of the Python interface and the README's example, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


def python_blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    blocks = python_blocks("docs/reference/api.md")
    assert len(blocks) == 19
    exec("\n".join(blocks), {"spark": spark, "folder": tmp_path})


@pytest.mark.usefixtures("spark")
def test_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It starts no Spark of its own here, as one is running; `batch` is the reader's own."""
    monkeypatch.chdir(tmp_path)
    [block] = python_blocks("README.md")
    amount = pa.array(["2.50", "4.00"]).cast(pa.decimal128(12, 2))
    batch = pa.table({"id": [1, 2], "customer": ["ada", "ada"], "amount": amount})
    names: dict[str, Any] = {"batch": batch}
    exec(block, names)
    with names["s"]:
        assert [(row.customer, str(row.total)) for row in names["v"].read().collect()] == [
            ("ada", "6.50")
        ]
        assert [row._change_type for row in names["v"].changes(since=3).collect()] == ["insert"]
    assert "incremental by rule" in capsys.readouterr().out
