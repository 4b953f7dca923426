"""Compares the answers of two systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq

Answers = Mapping[str, Counter[tuple[object, ...]]]
"""The rows of each view with how often they occur; order and types do not count."""


def read_answers(files: Mapping[str, Path]) -> Answers:
    """The rows in the file of each view, with columns in the order of their names."""
    found = {}
    for view, file in files.items():
        table = pq.read_table(file)
        columns = [table[name].to_pylist() for name in sorted(table.schema.names)]
        found[view] = Counter(zip(*columns, strict=True))
    return found


def difference(one: Answers, other: Answers) -> str:
    """Views that differ and in how many rows; empty if none does."""
    counts = {view: (one[view] - other[view]) + (other[view] - one[view]) for view in one}
    return ", ".join(f"{view} in {rows.total():,} rows" for view, rows in counts.items() if rows)
