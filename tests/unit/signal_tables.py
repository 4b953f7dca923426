"""Small relations for the tests of signals, and what pipelines make of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import slackwater as sw
from slackwater.frontend.signal.signal import Signal
from slackwater.signals.pipeline import batch

Event = tuple[str, int, float | None]


def readings(events: Sequence[Event]) -> pa.Table:
    sensors, times, values = zip(*events, strict=True) if events else ((), (), ())
    return pa.table(
        {
            "sensor": pa.array(sensors, pa.string()),
            "at": pa.array(times, pa.int64()),
            "v": pa.array(values, pa.float64()),
        }
    )


def one_sensor(values: Sequence[float | None], period: int = 1, first: int = 0) -> pa.Table:
    """Samples of sensor a, one a beat; None is a beat without one."""
    beats = enumerate(values)
    return readings([("a", (first + at) * period, v) for at, v in beats if v is not None])


def signal(**options: Any) -> Signal:
    return sw.signal("readings", time="at", value="v", by="sensor", **options)


def uniform(period: int = 1, **options: Any) -> Signal:
    return signal(period=period, **options)


def rows(made: Signal, table: pa.Table) -> list[tuple[Any, ...]]:
    """Group, time and payload of every row; complex numbers as such."""
    found = batch(made.pipeline, {"readings": table}).to_pylist()
    return [tuple(plain(each) for each in row.values()) for row in found]


def values(made: Signal, table: pa.Table) -> dict[int, Any]:
    """The payload of sensor a by time."""
    return {row[1]: row[-1] for row in rows(made, table) if row[0] == "a"}


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return complex(value["re"], value["im"])
    return [plain(each) for each in value] if isinstance(value, list) else value
