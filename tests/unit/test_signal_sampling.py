from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from slackwater.errors import SignalError
from slackwater.signals.interpolation import CustomInterpolation
from slackwater.signals.pipeline import advance

from .signal_tables import one_sensor, readings, signal, uniform, values

EVENTS = readings([("a", 3, 1.0), ("a", 17, 15.0), ("a", 24, 8.0), ("a", 60, 0.0)])
"""Beats every 10: one between the first two events, one between the next, three in a long gap."""


@pytest.mark.parametrize(
    ("policy", "within", "expected"),
    [
        (None, None, {60: 0.0}),
        ("linear", None, {10: 8.0, 20: 12.0, 30: 8 - 6 * 8 / 36, 40: 8 - 16 * 8 / 36,
                          50: 8 - 26 * 8 / 36, 60: 0.0}),
        ("linear", 14, {10: 8.0, 20: 12.0, 60: 0.0}),
        ("linear", 13, {20: 12.0, 60: 0.0}),
        ("step", 14, {10: 1.0, 20: 15.0, 60: 0.0}),
        ("hold", 8, {10: 1.0, 20: 15.0, 30: 8.0, 60: 0.0}),
        ("hold", 30, {10: 1.0, 20: 15.0, 30: 8.0, 40: 8.0, 50: 8.0, 60: 0.0, 70: 0.0, 80: 0.0,
                      90: 0.0}),
        ("fill", 7, {10: -1.0, 20: -1.0, 30: -1.0, 60: 0.0}),
        ("parabola", 21, {20: 15 + 3 * (-1 - 4 * (-2 / 21)), 60: 0.0}),
    ],
)  # fmt: skip
def test_policies_fill_beats_within_their_window(
    policy: str | None, within: int | None, expected: dict[int, float]
) -> None:
    made = signal().sample(10, interpolate=policy, within=within, value=-1.0)
    assert values(made, EVENTS) == pytest.approx(expected)


def test_a_parabola_through_samples_of_one_is_exact() -> None:
    times = [0, 3, 7, 12, 20]
    table = readings([("a", t, 0.5 * t * t - 3 * t + 1) for t in times])
    found = values(signal().sample(1, interpolate="parabola"), table)
    assert sorted(found) == [0, *range(3, 21)]
    assert found == pytest.approx({t: 0.5 * t * t - 3 * t + 1 for t in found})


def test_beats_within_an_event_have_its_value() -> None:
    table = readings([("a", 5, 1.0), ("a", 40, 2.0)])
    found = values(signal(lasts=20).sample(10), table)
    assert found == {10: 1.0, 20: 1.0, 40: 2.0, 50: 2.0}


def test_a_gap_is_measured_from_the_end_of_an_event() -> None:
    table = readings([("a", 0, 1.0), ("a", 30, 3.0)])
    found = values(signal(lasts=21).sample(5, interpolate="linear", within=10), table)
    assert found[25] == 2.0


def test_a_function_of_several_points_can_interpolate() -> None:
    def nearest(ticks: Any, times: Any, known: Any) -> Any:
        return known[np.arange(len(ticks)), np.abs(times - ticks[:, None]).argmin(axis=1)]

    made = signal().sample(10, interpolate=CustomInterpolation(None, function=nearest, reads=3))
    assert values(made, EVENTS) == {20: 15.0, 30: 8.0, 40: 8.0, 50: 0.0, 60: 0.0}
    assert "nearest of 3 points" in str(made)
    with pytest.raises(SignalError, match="reads 1 points"):
        CustomInterpolation(None, function=nearest, reads=1)


def test_complex_values_are_interpolated() -> None:
    made = signal().scale(1 + 1j).sample(10, interpolate="linear", within=14)
    assert values(made, EVENTS)[10] == 8 + 8j


def test_large_times_lose_no_digits() -> None:
    base = 1_800_000_000_000_000_000
    table = readings([("a", base, 0.0), ("a", base + 4, 1.0)])
    found = values(signal().sample(1, interpolate="linear"), table)
    assert list(found.values()) == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_single_events_and_none_have_nothing_to_interpolate() -> None:
    made = signal().sample(10, interpolate="linear")
    assert values(made, readings([("a", 10, 4.0)])) == {10: 4.0}
    assert values(made, readings([("a", 11, 4.0)])) == {}
    assert values(made, readings([])) == {}


def test_hold_does_not_wait_for_the_next_event() -> None:
    pipeline = signal().sample(10, interpolate="hold", within=100).pipeline
    first = advance(pipeline, {"readings": readings([("a", 0, 1.0)])})
    assert first.rows["at"].to_pylist() == [0]
    second = advance(pipeline, {"readings": readings([("a", 35, 2.0)])}, first.after(None))
    assert second.rows["at"].to_pylist() == [10, 20, 30]
    state = second.after(first.after(None))
    closed = advance(pipeline, {"readings": readings([])}, state, closing=True)
    assert closed.rows["at"].to_pylist() == list(range(40, 140, 10))


def test_up_down_and_resampling_change_the_beats() -> None:
    table = one_sensor([0.0, 4.0, 8.0], 10)
    smooth = uniform(10).interpolating("linear")
    assert values(smooth.upsample(2), table) == {0: 0.0, 5: 2.0, 10: 4.0, 15: 6.0, 20: 8.0}
    assert values(uniform(10).downsample(2), table) == {0: 0.0, 20: 8.0}
    assert values(smooth.resample(4, 1), table) == pytest.approx(
        {1: 0.4, 5: 2.0, 9: 3.6, 13: 5.2, 17: 6.8}
    )
    stepped = uniform(10).resample(5, interpolate="step")
    assert values(stepped, table)[15] == 4.0
    with pytest.raises(SignalError, match="downsampling by 0"):
        uniform(10).downsample(0)
