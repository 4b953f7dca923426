"""Random pipelines, built as users build them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import slackwater as sw
from slackwater.frontend.signal.formula_functions import choose, floor, sin, t
from slackwater.frontend.signal.signal import Signal
from slackwater.signals.formulas import Number

Step = Callable[[Signal], Signal]
_TAPS = st.lists(st.sampled_from([0.5, -1.0, 2.0, 0.25, 0.0]), min_size=1, max_size=5)
_MISSING = st.sampled_from(["zero", "break"])


@dataclass(frozen=True)
class Case:
    """A signal over one or two relations, with the periods of their events."""

    signal: Signal
    periods: dict[str, int | None]
    lateness: int


def between(ticks: Any, times: Any, values: Any) -> Any:
    """An interpolation: the larger neighbour, leaning to the nearer."""
    return np.maximum(np.abs(values[:, -1]), np.abs(values[:, 0])) + 0 * times[:, 0] + ticks


def softened(samples: Any, results: Any) -> Any:
    """A filter with a memory."""
    return samples[:, -1] + 0.5 * results[:, -1] - 0.25 * samples[:, 0]


def spread(rows: Any) -> Any:
    """A filter and aggregate without one."""
    return np.abs(rows[:, -1] - rows[:, 0])


def of_samples(samples: Any, _results: Any) -> Any:
    return spread(samples)


def halves(rows: Any) -> Any:
    """A stage: sums of both halves."""
    middle = rows.shape[1] // 2
    return np.stack([_row_sums(rows[:, :middle]), _row_sums(rows[:, middle:])], axis=1)


def _row_sums(rows: Any) -> Any:
    total = np.zeros(len(rows), dtype=rows.dtype)
    for at in range(rows.shape[1]):
        total = total + rows[:, at]
    return total


def totals(rows: Any) -> Any:
    """An incremental stage: the sum of a window, alone."""
    return _row_sums(rows)[:, None]


def moved_totals(previous: Any, _rows: Any, old: Any, new: Any) -> Any:
    return previous + _row_sums(new)[:, None] - _row_sums(old)[:, None]


@st.composite
def sources(draw: st.DrawFn, name: str, lateness: int) -> tuple[Signal, int | None]:
    period = draw(st.sampled_from([None, 1, 5]))
    value = draw(st.sampled_from(["v", ["v", "w"], {"z": ("v", "w")}]))
    beats: dict[str, Any] = {"until": "until"} if period is None else {"period": period}
    found = sw.signal(
        name,
        time="at",
        value=value,
        by="sensor",
        lateness=lateness,
        missing=draw(st.sampled_from(["drop", "zero"])),
        **beats,
    )
    return found, period


def is_complex(signal: Signal) -> bool:
    return Number.COMPLEX in signal.schema.kinds.values()


def single(signal: Signal) -> bool:
    return len(signal.schema.values) == 1


def threshold(signal: Signal) -> Signal:
    name = signal.schema.values[0].name
    return signal.where(
        (lambda v: abs(v) > 0.31) if single(signal) else (lambda p: abs(p[name]) > 0.31)
    )


@st.composite
def event_steps(draw: st.DrawFn) -> Step:
    by = draw(st.integers(-7, 7))
    return draw(
        st.sampled_from(
            [
                threshold,
                lambda s: s * 0.5 + 1,
                lambda s: s.shift(by),
                lambda s: s.shorten(3),
                lambda s: s.scale(2 + 1j),
            ]
        )
    )


def wave(signal: Signal) -> Signal:
    """A function of time with the payload as argument: for some events a line, or a wave."""
    if is_complex(signal) or not single(signal) or signal.schema.grid is not None:
        return signal
    moving = signal.as_function(lambda v: choose(floor(abs(v) / 2), sin(t / 5), v + t / 8, v))
    return moving.select(lambda v: v * 2)


@st.composite
def samplings(draw: st.DrawFn) -> Step:
    period, offset = draw(st.sampled_from([(5, 0), (3, 1), (1, 0), (10, 7)]))
    policy = draw(st.sampled_from([None, "fill", "hold", "step", "linear", "parabola", between]))
    within = draw(st.sampled_from([4, 12, 60]))
    endless = draw(st.booleans()) and policy not in ("fill", "hold")
    return lambda s: s.sample(
        period, offset, interpolate=policy, within=None if endless else within, value=0.75
    )


@st.composite
def uniform_steps(draw: st.DrawFn) -> Step:
    taps, missing = draw(_TAPS), draw(_MISSING)
    size, hop = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    function = draw(st.sampled_from(["sum", "mean", "energy", "power", "rms", "deviation", spread]))
    shape = draw(st.sampled_from(["hann", "hamming", "blackman", "bartlett"]))
    merge = draw(st.sampled_from(["sum", "mean"]))
    steps: list[Step] = [
        lambda s: s.fir(taps, missing),
        lambda s: s.correlate(taps, missing),
        lambda s: s.iir(taps[:2], [1.0, -0.5, 0.25], missing),
        lambda s: s.filter(softened, 2, 1, missing),
        lambda s: s.filter(of_samples, 3, 0, missing),
        lambda s: s.aggregate(function, size, hop, missing),
        lambda s: s.downsample(hop),
        lambda s: s - s.fir(taps, missing),
        lambda s: s + s.shift(hop),
        threshold,
        lambda s: s.interpolating("linear", 40).resample(2),
        lambda s: s.window(size, hop, missing).taper(shape).fft().inverse_fft().merge(merge),
        lambda s: s.window(size, hop, missing).autocorrelate().merge(merge),
        lambda s: s.window(size, hop, missing).correlate(taps).merge(merge),
        lambda s: s.window(size, hop, missing).times([0.5] * size).merge(merge),
    ]
    return draw(st.sampled_from(steps))


@st.composite
def endings(draw: st.DrawFn) -> Step:
    size, missing = draw(st.integers(2, 6)), draw(_MISSING)
    hop = draw(st.integers(1, size))
    every = draw(st.integers(1, 4))
    steps: list[Step] = [
        lambda s: s,
        lambda s: s.window(size, hop, missing).fft().map(abs).arrays(),
        lambda s: s.window(size, hop, missing).fft().summary("energy"),
        lambda s: s.window(size, hop, missing).fft().map(abs).summary("max"),
        lambda s: s.window(size, hop, missing).sliding_fft(every).arrays(),
        lambda s: s.window(size, hop, missing).map(lambda x: x * x + 1).merge("sum"),
        lambda s: s.window(size, hop, missing).apply(halves, 2, is_complex=is_complex(s)).arrays(),
        lambda s: (
            s.window(size, hop, missing)
            .update(totals, moved_totals, 1, every=every, is_complex=is_complex(s))
            .merge("sum")
        ),
    ]
    return draw(st.sampled_from(steps))


@st.composite
def pairs(draw: st.DrawFn, left: Signal, right: Signal) -> Signal:
    """Two signals as one, aligned where both are or where one is uniform."""
    left, right = left.interpolating("linear", 30), right.interpolating("step", 30)
    if not single(left) or not single(right):
        joined = left.join(right)
        first = joined.schema.values[0].name
        return joined.select(v=lambda p: p[first] * 2)
    op = draw(st.sampled_from(["+", "-", "*"]))
    return {"+": left + right, "-": left - right, "*": left * right}[op]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A pipeline of a few steps: events, then samples, then something at the end."""
    lateness = draw(st.sampled_from([0, 1, 6, 20]))
    signal, period = draw(sources("readings", lateness))
    periods: dict[str, int | None] = {"readings": period}
    for step in draw(st.lists(event_steps(), max_size=2)):
        signal = step(signal)
    if draw(st.booleans()):
        signal = wave(signal)
    functional = bool(signal.schema.functions)
    if draw(st.booleans()) and not functional:
        other, periods["others"] = draw(sources("others", lateness))
        signal = draw(pairs(signal, other))
    if signal.schema.grid is None and (functional or draw(st.booleans())):
        signal = draw(samplings())(signal)
    if signal.schema.grid is not None:
        for step in draw(st.lists(uniform_steps(), max_size=2)):
            signal = step(signal)
        if draw(st.booleans()):
            signal = draw(endings())(signal)
    return Case(signal, periods, lateness)


def _samples() -> Signal:
    return sw.signal("readings", time="at", value="v", by="sensor", period=5, lateness=20)


_LONG = [((7 * at) % 11 - 5) / 3 for at in range(33)]
NAMED: dict[str, Signal] = {
    "long fir": _samples().fir(_LONG),
    "long correlation": _samples().correlate(_LONG),
    "complex fir": _samples().scale(1 - 2j).fir([1j, *_LONG]),
    "long sum": _samples().aggregate("sum", 31, 1, "zero"),
    "deviation": _samples().aggregate("deviation", 17, 2),
    "iir": _samples().iir([0.2, 0.3], [1.0, -0.9, 0.4]),
    "filter": _samples().filter(softened, 3, 2),
    "fft": _samples().window(12, 5).taper("kaiser", 4.0).fft().merge("sum"),
    "overlap-add": _samples().window(16, 4, "zero").taper().fft().inverse_fft().merge("sum"),
    "autocorrelation": _samples().window(9, 4).autocorrelate().merge("mean"),
    "sliding fft": _samples().window(8, 1).sliding_fft(5).arrays(),
    "sliding fft, zeros": _samples().window(6, 2, "zero").sliding_fft(3).arrays(),
    "update": _samples().window(7, 2).update(totals, moved_totals, 1, every=4).merge("sum"),
    "parabola": _samples().interpolating("parabola", 60).resample(2, 1),
    "hold": _samples().interpolating("hold", 13).resample(2),
}
"""One pipeline for each kernel whose bits could depend on what else is in a run."""
