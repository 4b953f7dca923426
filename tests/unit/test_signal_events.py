"""Where, select, shift, shorten, functions of time, temporal joins and arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import SignalError
from slackwater.frontend.signal.formula_functions import choose, cos, t
from slackwater.frontend.signal.signal import Signal
from slackwater.signals.pipeline import batch

from .signal_tables import one_sensor, readings, rows, signal, uniform, values


def test_where_keeps_events_whose_condition_holds() -> None:
    table = readings([("a", 0, 1.0), ("a", 2, 5.0), ("a", 4, float("nan"))])
    found = rows(signal(missing="keep").where(lambda v: v > 1), table)
    assert found == [("a", 2, 3, 5.0)]


def test_select_computes_fields_by_name() -> None:
    made = sw.signal("readings", time="at", value=["v", "at2"], by="sensor", period=1)
    table = pa.table({"sensor": ["a"], "at": [3], "v": [2.0], "at2": [7.0]})
    both = made.select(total=lambda p: p.v + p["at2"], moment=t)
    assert rows(both, table) == [("a", 3, 9.0, 3.0)]


def test_shift_moves_events_and_beats() -> None:
    moved = uniform(10).shift(-3)
    assert str(moved.schema.grid) == "every 10 from 7"
    assert values(moved, one_sensor([1.0, 2.0], 10)) == {-3: 1.0, 7: 2.0}


def test_shorten_makes_point_events() -> None:
    table = readings([("a", 0, 1.0), ("a", 10, 2.0)])
    assert rows(signal(lasts=10).shorten(), table) == [("a", 0, 1, 1.0), ("a", 10, 11, 2.0)]


def test_complex_payloads_have_arithmetic() -> None:
    made = sw.signal("readings", time="at", value={"z": ("re", "im")}, period=1)
    table = pa.table({"at": [0], "re": [1.0], "im": [2.0]})
    assert rows(made * 1j + 1, table) == [(0, -1 + 1j)]
    assert rows(made.select(size=abs), table)[0][1] == pytest.approx(5**0.5)


def test_struct_payloads_have_arithmetic_field_by_field() -> None:
    made = sw.signal("readings", time="at", value=["x", "y"], period=1)
    table = pa.table({"at": [0], "x": [1.0], "y": [2.0]})
    assert rows(made - made * 2, table) == [(0, -1.0, -2.0)]
    assert rows(made * made.select(x=lambda p: p.y), table) == [(0, 2.0, 4.0)]


def two(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> dict[str, pa.Table]:
    def table(lives: list[tuple[int, int]]) -> pa.Table:
        return pa.table(
            {
                "at": pa.array([each[0] for each in lives], pa.int64()),
                "end": pa.array([each[1] for each in lives], pa.int64()),
                "v": pa.array([float(each[0]) for each in lives]),
            }
        )

    return {"l": table(left), "r": table(right)}


def interval(name: str) -> Signal:
    return sw.signal(name, time="at", value="v", until="end")


def pairs(made: Signal, relations: dict[str, pa.Table]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in batch(made.pipeline, relations).to_pylist()]


def test_a_join_pairs_events_while_both_live() -> None:
    relations = two([(0, 10), (10, 20)], [(5, 15), (30, 40)])
    joined = interval("l").join(interval("r"))
    assert pairs(joined, relations) == [(5, 10, 0.0, 5.0), (10, 15, 10.0, 5.0)]
    assert pairs(joined, two([(0, 10)], [])) == []
    assert pairs(joined, two([(0, 5)], [(5, 6)])) == []


def test_a_join_of_times_too_far_apart_for_one_number_still_pairs() -> None:
    far = 1 << 60
    groups = pa.table({"k": [1, 2, 3], "at": [0, far, -far], "v": [1.0, 2.0, 3.0]})
    left = sw.signal("l", time="at", value="v", by="k")
    right = sw.signal("r", time="at", value="v", by="k", lasts=2)
    found = batch((left + right).pipeline, {"l": groups, "r": groups})
    assert sorted(found["v"].to_pylist()) == [2.0, 4.0, 6.0]


def test_functions_of_time_are_computed_when_sampled() -> None:
    wave = interval("l").as_function(lambda v: v + cos(t * np.pi))
    relations = {"l": two([(0, 4), (10, 12)], [])["l"]}
    assert pairs((wave * 2).sample(1), relations) == [
        (0, 2.0), (1, -2.0), (2, 2.0), (3, -2.0), (10, 22.0), (11, 18.0),
    ]  # fmt: skip


def test_every_event_can_have_a_function_of_its_own() -> None:
    made = interval("l").as_function(lambda v: choose(v / 10, t, 100 - t))
    relations = {"l": two([(0, 3), (10, 12)], [])["l"]}
    assert [row[1] for row in pairs(made.sample(1), relations)] == [0, 1, 2, 90, 89]


def test_functions_move_with_their_signal_and_meet_others() -> None:
    line = interval("l").as_function(lambda _v: t)
    relations = two([(0, 10)], [(4, 8)])
    moved = pairs(line.shift(5).sample(5), relations)
    assert moved == [(5, 0.0), (10, 5.0)]
    mixed = pairs((line + interval("r")).sample(2), relations)
    assert mixed == [(4, 8.0), (6, 10.0)]


def test_arithmetic_shifts_samples_of_one_period() -> None:
    moved = uniform(10) + uniform(10).shift(3)
    assert "Shift by -3" in str(moved)
    assert values(moved, one_sensor([1.0, 2.0], 10)) == {0: 2.0, 10: 4.0}


def test_arithmetic_resamples_the_coarser_signal() -> None:
    coarse = uniform(10).downsample(2).interpolating("linear")
    both = coarse - uniform(10)
    assert values(both, one_sensor([1.0, 9.0, 3.0], 10)) == {0: 0.0, 10: -7.0, 20: 0.0}
    with pytest.raises(SignalError, match="no interpolation"):
        uniform(10).downsample(2) - uniform(10)


def test_arithmetic_samples_what_is_not_uniform() -> None:
    both = signal(lasts=15) * uniform(10)
    assert both.schema.grid is not None
    assert values(both, one_sensor([2.0, 3.0], 20)) == {0: 4.0, 20: 9.0}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda s: s.where(lambda v: v + 1), "not a condition"),
        (lambda s: s.select(), "at least one field"),
        (lambda s: s.select(at=lambda v: v), "two columns of a signal are called 'at'"),
        (lambda s: s.select(_x=lambda v: v), "cannot be called '_x'"),
        (lambda s: s.select(x=lambda v: v > 1), "is a condition"),
        (lambda s: s.as_function(lambda v: v).where(lambda v: v > 1), "functions of time"),
        (lambda s: s.sample(5).as_function(lambda v: v), "values at its beats only"),
        (lambda s: s.shorten(0), "cannot last 0 ticks"),
        (lambda s: s + sw.signal("o", time="at", value="v"), "no groups in common"),
        (lambda s: s.fir([1.0]), "equally spaced samples"),
        (lambda s: s.sample(0), "period of 0"),
        (lambda s: s.sample(5).upsample(2), "cannot be divided"),
        (lambda s: s.sample(6).upsample(2), "needs an interpolation"),
        (lambda s: s.sample(5, interpolate="cubic"), "no interpolation is called 'cubic'"),
        (lambda s: s.sample(5, interpolate="hold"), "interpolation window of None"),
        (lambda s: s.sample(5).window(4).fft().arrays().sample(2), "array of 4"),
        (lambda s: s.sample(5).aggregate("median", 4), "an aggregate cannot be 'median'"),
        (lambda s: s.sample(5).fir([1.0], missing="skip"), "missing samples cannot be 'skip'"),
    ],
)
def test_wrong_pipelines_refuse_to_exist(build: Any, message: str) -> None:
    with pytest.raises(SignalError, match=message):
        build(signal())


def test_definitions_are_checked() -> None:
    for options, message in (
        ({"lateness": -1}, "lateness is -1"),
        ({"lasts": 0}, "last 0 ticks"),
        ({"period": 5, "lasts": 2}, "samples last one tick"),
        ({"period": 5, "offset": 5}, "does not lie within the period"),
        ({"late": "ignore"}, "late cannot be 'ignore'"),
    ):
        with pytest.raises(SignalError, match=message):
            signal(**options)
    with pytest.raises(SignalError, match="made of 3 columns"):
        sw.signal("r", time="at", value={"z": ("a", "b", "c")})  # type: ignore[dict-item]
    with pytest.raises(SignalError, match="name of a relation"):
        sw.signal("", time="at", value="v")
