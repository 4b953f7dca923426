"""The law of placement on random histories of a few rows."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slackwater.compiler.duckdb.types import arrow_type
from slackwater.compiler.placement.placement_options import PlacementOptions

from .law import Setting, check_law
from .programs import View, small_view

_KEYS = st.sampled_from([None, 1, 1, 2, -(2**63)])
_VALUES: dict[str, tuple[st.SearchStrategy[Any], ...]] = {
    "orders": (
        st.integers(1, 9),
        _KEYS,
        st.sampled_from([None, Decimal("0.00"), Decimal("99999999.99"), Decimal("-1.50")]),
        st.sampled_from([None, date(1995, 6, 1), date(1, 1, 1)]),
        st.sampled_from([None, 0.0, -0.0, math.nan, 1e20, -1e20, 1.5]),
    ),
    "customers": (
        _KEYS.filter(lambda key: key is not None),
        st.sampled_from([None, "a"]),
        st.sampled_from([None, "DE", "FR"]),
    ),
}
_SETTINGS = st.builds(
    Setting,
    st.sampled_from([1, 2, 3, 8]),
    st.sampled_from([10.0, 3e4, 1e6]),
    st.builds(PlacementOptions, st.booleans(), st.booleans(), st.booleans()),
    st.none() | st.integers(0, 99),
)


@pytest.mark.parametrize(
    "title",
    [
        "a left join",
        "a full join",
        "an anti join without a key",
        "a sum over a join",
        "an average of floating numbers beside an extreme",
        "collected values",
    ],
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_random_histories(title: str, data: st.DataObject) -> None:
    view = small_view(title)
    live: dict[str, list[tuple[Any, ...]]] = {name: [] for name in view.scans}
    history = [
        {name: _batch(view, name, live[name], data) for name in view.scans} for _ in range(3)
    ]
    with TemporaryDirectory() as folder:
        keyed = data.draw(st.booleans(), label="sources have keys")
        check_law(Path(folder), view, history, [data.draw(_SETTINGS)], keyed=keyed)


def _batch(view: View, name: str, live: list[tuple[Any, ...]], data: st.DataObject) -> pa.Table:
    """Some rows that come, and some of those that are there that go."""
    rows = [
        (*live.pop(data.draw(st.integers(0, len(live) - 1))), -1)
        for _ in range(min(len(live), data.draw(st.integers(0, 2))))
    ]
    come = data.draw(st.lists(st.tuples(*_VALUES[name]), max_size=4), label=name)
    live += come
    rows += [(*row, 1) for row in come]
    types = [column.dtype for column in view.scans[name].columns]
    arrays = [
        pa.array([row[n] for row in rows], arrow_type(dtype)) for n, dtype in enumerate(types)
    ]
    arrays.append(pa.array([row[-1] for row in rows], pa.int64()))
    return pa.table(arrays, names=[*(f"k{n}" for n in range(len(types))), "_w"])
