"""The five signal queries of the benchmark: as pipelines, and with NumPy and SciPy group by group.

Two are pure signal processing on one signal: a Fourier transform of tumbling windows, and a FIR
filter. Three run on many groups whose events come in the order of time, mixed: correlation with a
vector of 32 numbers; one signal interpolated to the beats of another, added to it and searched for
extremes; overlap-and-add of windows that are transformed and transformed back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.lib.stride_tricks import sliding_window_view
from scipy import fft
from scipy.signal import lfilter

from slackwater.frontend.signal.define import signal
from slackwater.frontend.signal.signal import Signal
from slackwater.signals.arrays import Column, Ints

_SEED = 7
_VECTOR = 32
_LONGEST_WINDOW = 256
_LOW, _HIGH = 0.0001, 1.9999
_COARSE, _FINE = 20, 5


@dataclass(frozen=True, slots=True)
class SignalQuery(ABC):
    """A query of one size over so many events of so many groups."""

    events: int
    groups: int
    size: int

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in a report."""

    @property
    def pure(self) -> bool:
        """Tell whether it is signal processing only, with nothing to group."""
        return self.groups == 1

    @abstractmethod
    def signal(self) -> Signal:
        """The query as users write it."""

    @abstractmethod
    def relations(self) -> dict[str, pa.Table]:
        """The rows it reads."""

    @abstractmethod
    def plain(self, relations: dict[str, pa.Table]) -> float:
        """Compute it group by group; gives the sum of all results."""

    def checksum(self, rows: pa.Table) -> float:
        """The sum of the results of a pipeline, to compare with."""
        column = rows["v"].combine_chunks()
        numbers = column.field("re") if pa.types.is_struct(column.type) else column
        return float(np.sum(numbers.to_numpy()))


@dataclass(frozen=True, slots=True)
class TumblingFft(SignalQuery):
    """The spectrum of windows that follow one another."""

    @property
    def name(self) -> str:
        """With its window."""
        return f"fft of {self.size}"

    def signal(self) -> Signal:
        """One signal, so no groups."""
        return _plain_signal("r", 1).window(self.size).fft().merge("sum")

    def relations(self) -> dict[str, pa.Table]:
        """One signal."""
        return {"r": _one_signal(self.events)}

    def plain(self, relations: dict[str, pa.Table]) -> float:
        """One call for all windows."""
        values = relations["r"]["v"].to_numpy()
        whole = len(values) // self.size * self.size
        return float(np.sum(fft.fft(values[:whole].reshape(-1, self.size), axis=1).real))


@dataclass(frozen=True, slots=True)
class FirFilter(SignalQuery):
    """A filter with random taps."""

    @property
    def name(self) -> str:
        """With its length."""
        return f"fir of {self.size}"

    def signal(self) -> Signal:
        """One signal, so no groups."""
        return _plain_signal("r", 1).fir(_numbers(self.size).tolist())

    def relations(self) -> dict[str, pa.Table]:
        """One signal."""
        return {"r": _one_signal(self.events)}

    def plain(self, relations: dict[str, pa.Table]) -> float:
        """SciPy's filter."""
        values = relations["r"]["v"].to_numpy()
        return float(np.sum(lfilter(_numbers(self.size), [1.0], values)))


@dataclass(frozen=True, slots=True)
class GroupedCorrelation(SignalQuery):
    """Correlation of every group's signal with a vector."""

    @property
    def name(self) -> str:
        """The vector is always as long."""
        return "correlation"

    def signal(self) -> Signal:
        """The signal, by sensor."""
        return _signal("r", 1).correlate(_numbers(_VECTOR).tolist())

    def relations(self) -> dict[str, pa.Table]:
        """One relation."""
        return {"r": _grouped(self.events, self.groups, 1)}

    def plain(self, relations: dict[str, pa.Table]) -> float:
        """One call a group."""
        vector = _numbers(_VECTOR)
        return sum(
            float(np.sum(np.correlate(values, vector)))
            for _, values in _split(relations["r"])
            if len(values) >= _VECTOR
        )


@dataclass(frozen=True, slots=True)
class InterpolatedSum(SignalQuery):
    """Two signals of different periods: the coarse one interpolated, added, and filtered."""

    @property
    def name(self) -> str:
        """The periods are always the same."""
        return "interpolation"

    def signal(self) -> Signal:
        """The signal, by sensor; only extreme sums are kept."""
        coarse, fine = _signal("p", _COARSE), _signal("q", _FINE)
        upsampled = coarse.sample(_FINE, interpolate="linear", within=_COARSE)
        return (upsampled + fine).where(lambda v: (v < _LOW) | (v > _HIGH))

    def relations(self) -> dict[str, pa.Table]:
        """A fifth of the events is in the coarse signal."""
        fine = self.events * 4 // 5
        return {
            "p": _grouped(self.events - fine, self.groups, _COARSE),
            "q": _grouped(fine, self.groups, _FINE),
        }

    def plain(self, relations: dict[str, pa.Table]) -> float:
        """A few calls a group."""
        total = 0.0
        pairs = zip(_split(relations["p"]), _split(relations["q"]), strict=True)
        for (times, values), (beats, others) in pairs:
            within = beats <= times[-1]
            sums = np.interp(beats[within], times, values) + others[within]
            total += float(np.sum(sums[(sums < _LOW) | (sums > _HIGH)]))
        return total


@dataclass(frozen=True, slots=True)
class OverlapAdd(SignalQuery):
    """Windows that overlap by half, transformed, transformed back and added."""

    @property
    def name(self) -> str:
        """With its window."""
        return f"overlap-add of {self.size}"

    def signal(self) -> Signal:
        """The signal, by sensor."""
        windows = _signal("r", 1).window(self.size, self.size // 2)
        return windows.fft().inverse_fft().merge("sum")

    def relations(self) -> dict[str, pa.Table]:
        """One relation."""
        return {"r": _grouped(self.events, self.groups, 1)}

    def plain(self, relations: dict[str, pa.Table]) -> float:
        """All windows of a group in one call."""
        hop, total = self.size // 2, 0.0
        for _, values in _split(relations["r"]):
            windows = sliding_window_view(values, self.size)[::hop]
            back = fft.ifft(fft.fft(windows, axis=1), axis=1)
            added = np.zeros((len(back) + 1, hop), dtype=np.complex128)
            added[:-1] += back[:, :hop]
            added[1:] += back[:, hop:]
            total += float(np.sum(added.real))
        return total


def queries(events: int, sizes: tuple[int, ...], groups: tuple[int, ...]) -> list[SignalQuery]:
    """All queries: pure ones for every size, grouped ones for every number of groups."""
    found: list[SignalQuery] = [TumblingFft(events, 1, size) for size in sizes]
    found += [FirFilter(events, 1, size) for size in sizes]
    for count in groups:
        each = max(events // count, 2)
        window = min(_LONGEST_WINDOW, 1 << (each.bit_length() - 1))
        whole = each * count
        found.append(GroupedCorrelation(whole, count, _VECTOR))
        found.append(InterpolatedSum(whole, count, 2))
        found.append(OverlapAdd(whole, count, window))
    return found


def _numbers(count: int) -> Column:
    return np.random.default_rng(_SEED).random(count)


def _one_signal(events: int) -> pa.Table:
    return pa.table({"t": np.arange(events, dtype=np.int64), "v": _numbers(events)})


def _grouped(events: int, groups: int, period: int) -> pa.Table:
    """Samples of all groups at one beat, then those at the next."""
    each = max(events // groups, 1)
    return pa.table(
        {
            "sensor": np.tile(np.arange(groups, dtype=np.int64), each),
            "t": np.repeat(np.arange(each, dtype=np.int64) * period, groups),
            "v": _numbers(each * groups),
        }
    )


def _plain_signal(relation: str, period: int) -> Signal:
    return signal(relation, time="t", value="v", period=period)


def _signal(relation: str, period: int) -> Signal:
    return signal(relation, time="t", value="v", by="sensor", period=period)


def _split(table: pa.Table) -> Iterator[tuple[Ints, Column]]:
    """Times and values of one group after the other."""
    sensors = table["sensor"].to_numpy()
    order = np.argsort(sensors, kind="stable")
    cuts = np.flatnonzero(np.diff(sensors[order])) + 1
    times, values = (np.split(table[name].to_numpy()[order], cuts) for name in ("t", "v"))
    return zip(times, values, strict=True)
