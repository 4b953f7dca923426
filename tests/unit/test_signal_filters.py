"""FIR, IIR, correlation, custom filters and aggregates, with gaps and odd values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.signal

import slackwater as sw
from slackwater.errors import SignalError
from slackwater.signals.missing_samples import Zeros
from slackwater.signals.pipeline import batch

from .signal_tables import one_sensor, readings, uniform, values

X = [1.0, -2.0, 3.5, 0.25, 4.0, -1.0, 2.0]
TAPS = [0.5, 1.0, -0.25]


def series(made: Any, samples: list[float | None]) -> list[Any]:
    return list(values(made, one_sensor(samples)).values())


def test_fir_is_a_causal_convolution() -> None:
    expected = np.convolve(X, TAPS)[: len(X)]
    assert series(uniform().fir(TAPS), [*X]) == pytest.approx(expected)
    assert series(uniform().convolve(TAPS), [*X]) == pytest.approx(expected)


def test_correlation_is_a_dot_product_with_full_windows() -> None:
    found = values(uniform().correlate(TAPS), one_sensor([*X]))
    assert list(found) == [2, 3, 4, 5, 6]
    assert list(found.values()) == pytest.approx(np.correlate(X, TAPS, "valid"))


def test_correlation_conjugates_the_vector() -> None:
    vector = [1 + 1j, 2 - 1j]
    found = series(uniform().scale(1 + 2j).correlate(vector), [*X])
    expected = np.correlate(np.array(X) * (1 + 2j), np.array(vector), "valid")
    assert found == pytest.approx(expected)


def test_gaps_are_zeros_or_break_the_signal() -> None:
    gapped = [1.0, 2.0, None, 3.0, 4.0]
    filled = values(uniform().fir([1.0, 10.0]), one_sensor(gapped))
    assert filled == {0: 1.0, 1: 12.0, 2: 20.0, 3: 3.0, 4: 34.0}
    broken = values(uniform().fir([1.0, 10.0], missing="break"), one_sensor(gapped))
    assert broken == {1: 12.0, 4: 34.0}


def test_a_gap_longer_than_the_limit_starts_anew() -> None:
    table = readings([("a", 0, 1.0), ("a", 3, 1.0), ("a", 8, 1.0)])
    found = values(uniform().fir([1.0, 1.0], missing=Zeros(2)), table)
    assert found == {0: 1.0, 1: 1.0, 2: 0.0, 3: 1.0, 8: 1.0}
    with pytest.raises(SignalError, match="a gap of -1 samples"):
        Zeros(-1)


def test_iir_is_the_filter_of_scipy() -> None:
    b, a = scipy.signal.butter(2, 0.3)
    found = series(uniform().iir(list(b), list(a)), [*X])
    assert found == list(scipy.signal.lfilter(b, a, X))


def test_iir_starts_from_rest_after_a_break() -> None:
    smooth = uniform().iir([1.0], [1.0, -0.5], missing="break")
    assert values(smooth, one_sensor([4.0, None, 1.0, 1.0])) == {0: 4.0, 2: 1.0, 3: 1.5}
    through = uniform().iir([1.0], [1.0, -0.5])
    assert values(through, one_sensor([4.0, None, 1.0])) == {0: 4.0, 1: 2.0, 2: 2.0}


def test_iir_of_many_groups_of_all_lengths() -> None:
    rng = np.random.default_rng(3)
    lengths = [0, 1, 2, 3, 7, 8, 9, 31, 64, 100]
    groups = {f"g{at}": rng.random(length) for at, length in enumerate(lengths)}
    events = [(name, at, v) for name, x in groups.items() for at, v in enumerate(x)]
    rng.shuffle(events)
    table = readings([(str(k), int(at), float(v)) for k, at, v in events])
    b, a = scipy.signal.butter(3, 0.2)
    found = batch(uniform().iir(list(b), list(a)).pipeline, {"readings": table})
    for name, x in groups.items():
        mine = found.filter(pa.compute.equal(found["sensor"], name)).sort_by("at")
        assert mine["v"].to_pylist() == scipy.signal.lfilter(b, a, x).tolist() if len(x) else True


def test_filters_of_complex_signals() -> None:
    z = np.array(X) + 1j * np.array(X[::-1])
    made = sw.signal("readings", time="at", value={"z": ("re", "im")}, period=1)
    table = pa.table({"at": range(len(X)), "re": z.real, "im": z.imag})
    for filtered, expected in (
        (made.fir([1j, 2.0]), np.convolve(z, [1j, 2.0])[: len(X)]),
        (made.iir([1.0], [1.0, 0.5j]), scipy.signal.lfilter([1.0], [1.0, 0.5j], z)),
    ):
        rows = batch(filtered.pipeline, {"readings": table})["z"].to_pylist()
        assert [complex(r["re"], r["im"]) for r in rows] == pytest.approx(list(expected))


def test_nan_spreads_as_far_as_the_filter_reaches() -> None:
    found = series(uniform(missing="keep").fir([1.0, 1.0]), [1.0, math.nan, 2.0, 3.0])
    assert [math.isnan(each) for each in found] == [False, True, True, False]


def test_a_single_sample_and_none() -> None:
    assert series(uniform().fir(TAPS), [2.0]) == [1.0]
    assert series(uniform().fir(TAPS, missing="break"), [2.0]) == []
    assert series(uniform().iir([1.0], [1.0, 1.0]), []) == []


def test_custom_filters_get_samples_and_their_own_results() -> None:
    def decay(samples: Any, results: Any) -> Any:
        return samples[:, -1] + 0.5 * results[:, 1] + 0.25 * results[:, 0]

    found = series(uniform().filter(decay, 1, 2), [*X])
    assert found == pytest.approx(scipy.signal.lfilter([1.0], [1.0, -0.5, -0.25], X))


def test_custom_filters_are_not_called_group_by_group() -> None:
    calls = []

    def newest(samples: Any, results: Any) -> Any:
        calls.append(samples.shape)
        assert results.shape == (len(samples), 0)
        return samples[:, -1]

    table = readings([(f"g{k}", at, 1.0) for k in range(500) for at in range(4)])
    assert batch(uniform().filter(newest, 2).pipeline, {"readings": table}).num_rows == 2000
    assert calls == [(2000, 2)]


def test_results_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(SignalError, match=r"gave an array of shape \(7, 2\) for 7 windows"):
        series(uniform().filter(lambda samples, _results: samples, 2), [*X])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda s: s.fir([]), "at least one coefficient"),
        (lambda s: s.fir([math.nan]), "not finite"),
        (lambda s: s.iir([1.0], [1.0]), "call fir"),
        (lambda s: s.iir([1.0], [0.0, 1.0]), "not zero"),
        (lambda s: s.filter(len, 0), "a filter of 0 samples"),
        (lambda s: s.aggregate("sum", 0), "windows of 0 samples"),
        (lambda s: s.scale(1j).aggregate("max", 2), "complex numbers have no max"),
    ],
)
def test_filters_without_meaning_are_refused(build: Any, message: str) -> None:
    with pytest.raises(SignalError, match=message):
        build(uniform())


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("sum", np.sum), ("mean", np.mean), ("min", np.min), ("max", np.max), ("deviation", np.std),
        ("energy", lambda x: np.sum(x * x)), ("power", lambda x: np.mean(x * x)),
        ("rms", lambda x: np.sqrt(np.mean(x * x))),
        (lambda rows: rows[:, 0] * 2, lambda x: x[0] * 2),
    ],
)  # fmt: skip
def test_aggregates_of_hopping_windows(function: Any, expected: Any) -> None:
    found = values(uniform(5).aggregate(function, 4, 2), one_sensor([*X], 5))
    assert found == pytest.approx({15: expected(np.array(X[0:4])), 25: expected(np.array(X[2:6]))})


def test_windows_of_all_groups_end_at_the_same_beats() -> None:
    table = readings([("a", at, 1.0) for at in range(1, 9)] + [("b", at, 1.0) for at in range(6)])
    made = uniform().aggregate("sum", 3)
    assert str(made.schema.grid) == "every 3 from 2"
    found = batch(made.pipeline, {"readings": table})
    places = sorted(zip(found["sensor"].to_pylist(), found["at"].to_pylist(), strict=True))
    assert places == [("a", 5), ("a", 8), ("b", 2), ("b", 5)]
