from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.signal

import slackwater as sw
from slackwater.errors import SignalError
from slackwater.signals.pipeline import advance, batch

from .signal_tables import one_sensor, plain, readings, uniform, values

X = np.random.default_rng(5).normal(size=32)


def series(made: Any, samples: Any = X) -> Any:
    return np.array(list(values(made, one_sensor(list(samples))).values()))


def test_fft_over_tumbling_windows() -> None:
    found = series(uniform().window(8).fft().merge("sum"))
    np.testing.assert_allclose(found, np.fft.fft(X.reshape(-1, 8)).reshape(-1))


def test_overlap_and_add_gives_the_signal_back() -> None:
    made = uniform().window(8, 4).taper("hann").fft().inverse_fft().merge("sum")
    found = values(made, one_sensor(list(X)))
    assert sorted(found) == list(range(32))
    np.testing.assert_allclose([found[at] for at in range(4, 28)], X[4:28], atol=1e-12)


@pytest.mark.parametrize("shape", ["hann", "hamming", "blackman", "bartlett", "flattop"])
def test_window_functions_are_those_of_scipy(shape: str) -> None:
    found = series(uniform().window(8).taper(shape).merge())
    expected = (X.reshape(-1, 8) * scipy.signal.get_window(shape, 8)).reshape(-1)
    np.testing.assert_allclose(found, expected)


def test_kaiser_needs_a_beta_and_others_none() -> None:
    found = series(uniform().window(8).taper("kaiser", 3.0).merge())
    weights = scipy.signal.get_window(("kaiser", 3.0), 8)
    np.testing.assert_allclose(found[:8], X[:8] * weights)
    for shape, beta in (("kaiser", None), ("hann", 1.0)):
        with pytest.raises(SignalError, match="Give beta for kaiser"):
            uniform().window(8).taper(shape, beta)


def test_windows_are_arrays_at_their_last_sample() -> None:
    found = values(uniform(10).window(4, 2).fft().map(abs).arrays(), one_sensor(list(X[:7]), 10))
    assert list(found) == [30, 50]
    np.testing.assert_allclose(found[30], np.abs(np.fft.fft(X[:4])))
    made = uniform(10).window(4, 2).fft().arrays()
    assert batch(made.pipeline, {"readings": readings([])}).schema.field("v").type == pa.list_(
        pa.struct([("re", pa.float64()), ("im", pa.float64())]), 4
    )


def test_a_summary_is_one_number_a_window() -> None:
    found = values(uniform().window(8).fft().map(abs).summary("max"), one_sensor(list(X[:16])))
    assert found == pytest.approx(
        {7: np.abs(np.fft.fft(X[:8])).max(), 15: np.abs(np.fft.fft(X[8:16])).max()}
    )


def test_correlations_have_all_lags() -> None:
    [auto] = series(uniform().window(32).autocorrelate().arrays())
    np.testing.assert_allclose(auto, np.correlate(X, X, "full"), atol=1e-12)
    vector = [1.0, -2.0, 0.5]
    [cross] = series(uniform().window(32).correlate(vector).arrays())
    np.testing.assert_allclose(cross, np.correlate(X, vector, "full"), atol=1e-12)
    [turned] = series(uniform().window(32).correlate([1j, 2.0]).arrays())
    np.testing.assert_allclose(turned, np.correlate(X, [1j, 2.0], "full"), atol=1e-12)


def test_fields_of_a_window_are_correlated_with_each_other() -> None:
    made = sw.signal("r", time="at", value=["x", "y"], period=1)
    table = pa.table({"at": range(8), "x": X[:8], "y": X[8:16]})
    windows = made.window(8).correlate_fields("x", "y", name="c").arrays()
    [row] = batch(windows.pipeline, {"r": table})["c"].to_pylist()
    np.testing.assert_allclose(row, np.correlate(X[:8], X[8:16], "full"), atol=1e-12)
    with pytest.raises(SignalError, match="no field 'z'"):
        made.window(8).correlate_fields("x", "z")
    with pytest.raises(SignalError, match="these two fields alone"):
        made.window(8).correlate_fields("y", "x")


def test_arrays_longer_than_windows_reach_back_before_them() -> None:
    found = values(uniform().window(4).autocorrelate().merge("sum"), one_sensor(list(X[:8])))
    whole = [np.correlate(x, x, "full") for x in (X[:4], X[4:8])]
    expected = dict.fromkeys(range(-3, 8), 0.0)
    for end, lags in zip((3, 7), whole, strict=True):
        for at, value in enumerate(lags):
            expected[end - 6 + at] += value
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("merge", "expected"), [("mean", 2.5), ("min", 2.0), ("max", 3.0)])
def test_merges_of_overlapping_windows(merge: str, expected: float) -> None:
    rising = uniform().window(4, 2).apply(ends, 4).merge(merge)
    found = values(rising, one_sensor([0.0, 0.0, 0.0, 2.0, 0.0, 3.0]))
    assert (found[0], found[2], found[4]) == (2.0, expected, 3.0)


def ends(rows: Any) -> Any:
    return np.repeat(rows[:, -1:], 4, axis=1)


def test_a_sliding_fft_stays_close_to_the_transform() -> None:
    slow = series(uniform().window(8, 1).fft().arrays())
    quick = series(uniform().window(8, 1).sliding_fft(every=16).arrays())
    np.testing.assert_allclose(quick, slow, atol=1e-12)
    assert not np.array_equal(quick, slow)
    anew = series(uniform().window(8, 1).sliding_fft(every=1).arrays())
    assert np.array_equal(anew, slow)


def test_updates_get_what_left_and_what_came() -> None:
    seen = []

    def total(rows: Any) -> Any:
        return rows.sum(axis=1, keepdims=True)

    def change(previous: Any, rows: Any, old: Any, new: Any) -> Any:
        seen.append(len(rows))
        return previous + new.sum(axis=1, keepdims=True) - old.sum(axis=1, keepdims=True)

    groups = 300
    table = readings([(f"g{k}", at, float(k + at)) for k in range(groups) for at in range(12)])
    made = uniform().window(4, 2).update(total, change, 1, every=100).arrays()
    found = batch(made.pipeline, {"readings": table})
    expected = {
        (f"g{k}", end): sum(k + at for at in range(end - 3, end + 1))
        for k in range(groups)
        for end in (3, 5, 7, 9, 11)
    }
    assert {(r["sensor"], r["at"]): r["v"][0] for r in found.to_pylist()} == expected
    assert seen == [groups] * 4


def test_updates_go_on_from_the_state() -> None:
    calls = []

    def total(rows: Any) -> Any:
        calls.append("anew")
        return rows.sum(axis=1, keepdims=True)

    def change(previous: Any, _rows: Any, old: Any, new: Any) -> Any:
        calls.append("update")
        return previous + (new - old).sum(axis=1, keepdims=True)

    pipeline = uniform().window(2, 1).update(total, change, 1).arrays().pipeline
    first = advance(pipeline, {"readings": one_sensor([1.0, 2.0])})
    calls.clear()
    second = advance(pipeline, {"readings": one_sensor([5.0], first=2)}, first.after(None))
    assert [plain(each) for each in second.rows["v"].to_pylist()] == [[7.0]]
    assert "update" in calls


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda w: w.fft().sliding_fft(), "not the first stage"),
        (lambda w: w.times([1.0, 2.0]), "a window of 4 numbers times a vector of 2"),
        (lambda w: w.taper("triangle"), "a window function cannot be 'triangle'"),
        (lambda w: w.apply(np.sum, None).fft(), "gives one number for each window"),
        (lambda w: w.apply(np.sum, None).merge(), "nothing to merge"),
        (lambda w: w.fft().merge("max"), "complex numbers have no max"),
        (lambda w: w.fft().map(lambda x: x > 1), "no order"),
        (lambda w: w.map(lambda x: x > 1), "is a condition"),
        (lambda w: w.correlate([]), "at least one number"),
        (lambda w: w.sliding_fft(0), "a start every 0 windows"),
        (lambda w: w.merge("median"), "a merge cannot be 'median'"),
    ],
)
def test_stages_that_do_not_fit_are_refused(build: Any, message: str) -> None:
    with pytest.raises(SignalError, match=message):
        build(uniform().window(4, 2))


def test_windows_with_nothing_in_common_cannot_be_updated() -> None:
    with pytest.raises(SignalError, match="nothing in common to update"):
        uniform().window(2, 4).sliding_fft()


def test_stages_must_give_what_they_declare() -> None:
    wrong = uniform().window(4).apply(lambda rows: rows, 3).arrays()
    with pytest.raises(SignalError, match=r"shape \(8, 4\), not \(8, 3\)"):
        series(wrong)


def test_incomplete_windows_wait_and_gaps_break_them() -> None:
    gapped = [1.0, 2.0, None, 3.0, 4.0, 5.0]
    made = uniform().window(2).map(lambda x: x * 10).merge()
    assert values(made, one_sensor(gapped)) == {0: 10.0, 1: 20.0, 4: 40.0, 5: 50.0}
    zeroed = uniform().window(2, missing="zero").map(lambda x: x * 10).merge()
    assert values(zeroed, one_sensor(gapped))[2] == 0.0
