"""The reference of the Python interface, run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"


def test_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 8
    exec("\n".join(blocks), {"spark": spark, "folder": tmp_path})
