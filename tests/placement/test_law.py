"""Placed programs keep what whole ones keep: every golden relation and every query of TPC-H."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.compiler.placement.placement_options import PlacementOptions

from ..golden.relations import KEPT
from .law import Setting, check_law
from .programs import TPCH, Rows, View, small_view, tpch_view

_OTHER_TYPES = {
    "sums by a key that is stored in another form",
    "the first rows by a key with columns that cannot be held against others",
    "a part left to Spark",
}
"""Their sources have values, or fragments, that the driver leaves to Spark."""
_NAIVE = PlacementOptions(simplify=False, fuse=False, eliminate=False)
_EVERYWHERE = PlacementOptions(replicated_rows=1e9, alone_rows=0)
_SETTINGS = (
    (Setting(2), Setting(3, 10.0), Setting(3, seed=1)),
    (Setting(1), Setting(3, 1e7, _NAIVE), Setting(2, seed=2)),
    (Setting(8), Setting(2, 1e6, PlacementOptions(fuse=False)), Setting(3, seed=3)),
    (Setting(3, 1e6, _EVERYWHERE), Setting(3, 1e6, PlacementOptions(eliminate=False))),
    (Setting(3, 3e4), Setting(2, 1e6, PlacementOptions(simplify=False)), Setting(3, seed=4)),
)
SMALL = [title for title in KEPT if title not in _OTHER_TYPES]


@pytest.mark.parametrize("title", SMALL)
def test_small_relations(title: str, tmp_path: Path) -> None:
    _check(small_view(title), SMALL.index(title), tmp_path, numbered=" first " in f" {title} ")


@pytest.mark.parametrize("name", TPCH)
def test_queries_of_tpch(name: str, tmp_path: Path) -> None:
    _check(tpch_view(name), list(TPCH).index(name), tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("number", range(len(_SETTINGS)))
@pytest.mark.parametrize("title", [*SMALL, *TPCH])
def test_all_settings(title: str, number: int, tmp_path: Path) -> None:
    view = small_view(title) if title in KEPT else tpch_view(title)
    _check(view, number, tmp_path, numbered=" first " in f" {title} ", runs=4)


def _check(view: View, number: int, folder: Path, *, numbered: bool = False, runs: int = 2) -> None:
    """Few rows, most under a few keys, with NULL, NaN and -0.0 among them, then some deleted."""
    rows = Rows(view, seed=number, numbered=numbered)
    history = [rows.batches(9, 0), *(rows.batches(5, 4) for _ in range(runs - 1))]
    settings = _SETTINGS[number % len(_SETTINGS)]
    check_law(folder, view, history, settings, keyed=number % 3 != 1)


@pytest.mark.parametrize("title", ["a left join", "sums without a key", "extremes under deletes"])
def test_nothing_at_all(title: str, tmp_path: Path) -> None:
    view = small_view(title)
    empty = {name: table.slice(0, 0) for name, table in Rows(view, 1).batches(1, 0).items()}
    some = Rows(view, 2).batches(4, 0)
    gone = {name: _negated(table) for name, table in some.items()}
    check_law(tmp_path, view, [empty, some, gone, empty], [Setting(1), Setting(3)])


def _negated(table: pa.Table) -> pa.Table:
    weights = pa.array([-each for each in table.column("_w").to_pylist()], pa.int64())
    return table.set_column(table.num_columns - 1, "_w", weights)


@pytest.mark.parametrize("title", ["an inner join", "a full join", "ranks by key"])
def test_all_rows_under_one_key(title: str, tmp_path: Path) -> None:
    view = small_view(title)
    rows = Rows(view, 3)
    history = [_under_one_key(rows.batches(12, 0)), _under_one_key(rows.batches(5, 0))]
    check_law(tmp_path, view, history, [Setting(2), Setting(8)])


def _under_one_key(batches: dict[str, pa.Table]) -> dict[str, pa.Table]:
    place = {"orders": 1, "customers": 0}
    return {
        name: table.set_column(
            place[name], f"k{place[name]}", pa.array([7] * table.num_rows, pa.int64())
        )
        for name, table in batches.items()
    }
