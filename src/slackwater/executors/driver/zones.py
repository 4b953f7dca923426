"""The session's time zone: functions between instants and local times, as Java computes them.

The rules come from the JVM that Spark runs in, so that both have the same version of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.spark.zone_rules import Transition, ZoneRules

Longs = npt.NDArray[np.int64]

_SECOND = 1_000_000
_DAY = 86_400
_CYCLE = 146_097 * _DAY
"""The seconds after which the calendar and its weekdays repeat."""
_LEAST_DAY, _LAST_DAY = -106_751_990, 106_751_990
"""Days all of whose instants are microseconds of 64 bits in every zone."""


@dataclass(frozen=True)
class Zone:
    """Offsets from UTC in seconds: one for all times, or those between transitions."""

    offset: int = 0
    """The offset before the first transition."""
    transitions: tuple[Transition, ...] = ()
    repeats_from: int | None = None
    """The second from which on a cycle of the calendar is like the one before it."""

    def __post_init__(self) -> None:
        """Refuse transitions so close that local times between them are ambiguous."""
        if any(np.any(np.diff(each) <= 0) for each in (self._seconds, self._local_ends)):
            raise ValueError("transitions of a time zone that overlap")

    @cached_property
    def _seconds(self) -> Longs:
        return np.array([each.second for each in self.transitions], dtype=np.int64)

    @cached_property
    def _offsets(self) -> Longs:
        later = [each.offset for each in self.transitions]
        return np.array([self.offset, *later], dtype=np.int64)

    @cached_property
    def _local_ends(self) -> Longs:
        """The local times at which a gap or an overlap is over."""
        return self._seconds + np.maximum(self._offsets[:-1], self._offsets[1:])

    @cached_property
    def _local_starts(self) -> Longs:
        """The local times at which a gap or an overlap begins; one that never comes at the end."""
        starts = self._seconds + np.minimum(self._offsets[:-1], self._offsets[1:])
        return np.append(starts, np.iinfo(np.int64).max)

    def local_times(self, instants: Longs) -> Longs:
        """The local times of instants, all in microseconds."""
        return instants + self._offsets[self._periods(instants)] * _SECOND

    def instants(self, local: Longs) -> Longs:
        """The instants of local times: the first of two, and moved on by a gap."""
        return local - self._offsets[self._local_periods(local)] * _SECOND

    def instants_near(self, local: Longs, others: Longs) -> Longs:
        """The instants of local times; of two, the one with the offset that others have."""
        periods = self._local_periods(local)
        after = np.minimum(periods + 1, len(self.transitions))
        doubled = (self._folded(local) >= self._local_starts[periods]) & (
            self._offsets[after] < self._offsets[periods]
        )
        alike = self._offsets[after] == self._offsets[self._periods(others)]
        return local - self._offsets[np.where(doubled & alike, after, periods)] * _SECOND

    def day_starts(self, days: Longs) -> Longs:
        """The first instants of days."""
        local = days * (_DAY * _SECOND)
        periods = self._local_periods(local)
        after = np.minimum(periods + 1, len(self.transitions))
        folded = self._folded(local)
        in_gap = (folded >= self._local_starts[periods]) & (
            self._offsets[after] > self._offsets[periods]
        )
        # A day that begins in a gap begins when the gap is over, however long that was before.
        missed = np.where(in_gap, np.append(self._local_ends, 0)[periods] - folded, 0)
        offsets = self._offsets[np.where(in_gap, after, periods)]
        return local + (missed - offsets) * _SECOND

    def _periods(self, instants: Longs) -> npt.NDArray[np.intp]:
        return np.searchsorted(self._seconds, self._folded(instants), side="right")

    def _local_periods(self, local: Longs) -> npt.NDArray[np.intp]:
        return np.searchsorted(self._local_ends, self._folded(local), side="right")

    def _folded(self, micros: Longs) -> Longs:
        """Times in seconds, those behind the known transitions moved back by whole cycles."""
        seconds = micros // _SECOND
        if self.repeats_from is None:
            return seconds
        cycles: Longs = np.maximum((seconds - self.repeats_from) // _CYCLE + 1, 0)
        return seconds - cycles * _CYCLE

    def macros(self) -> Mapping[str, str]:
        """The functions of a zone with one offset, as DuckDB computes them itself."""
        shift = self.offset * _SECOND
        known = "CASE WHEN isfinite(given) IS FALSE THEN error('no such time') ELSE {} END"
        micros = known.format("epoch_us(given)")
        instant = f"make_timestamptz({micros} - ({shift}))"
        days = f"CAST(given - DATE '1970-01-01' AS BIGINT) * {_DAY * _SECOND}"
        return {
            "zone_local(given)": f"make_timestamp({micros} + ({shift}))",
            "zone_instant(given)": instant,
            "zone_instant_near(given, other)": instant,
            "zone_day_start(given)": f"make_timestamptz({days} - ({shift}))",
        }

    def functions(self) -> Mapping[str, Callable[..., pa.Array]]:
        """The functions of any other zone over Arrow columns, by their names in DuckDB."""

        def near(local: pa.ChunkedArray, others: pa.ChunkedArray) -> pa.Array:
            return _computed(self.instants_near, _INSTANT, local, others)

        return {
            "zone_local": lambda given: _computed(self.local_times, pa.timestamp("us"), given),
            "zone_instant": lambda given: _computed(self.instants, _INSTANT, given),
            "zone_instant_near": near,
            "zone_day_start": lambda given: _computed(self.day_starts, _INSTANT, given),
        }


UTC = Zone()
_INSTANT = pa.timestamp("us", tz="UTC")


def _computed(
    function: Callable[..., Longs], kind: pa.DataType, *columns: pa.ChunkedArray
) -> pa.Array:
    """A function of times; NULL where one of them is."""
    arrays = [each.combine_chunks() for each in columns]
    known = pc.is_valid(arrays[0])
    for each in arrays[1:]:
        known = pc.and_(known, pc.is_valid(each))
    found = function(*map(_numbers, arrays))
    mask = ~known.to_numpy(zero_copy_only=False)
    return pa.array(found, pa.int64(), mask=mask).view(kind)


def _numbers(times: pa.Array) -> Longs:
    """Days or microseconds since 1970; 0 for NULL."""
    dated = pa.types.is_date(times.type)
    numbers = times.view(pa.int32() if dated else pa.int64())
    found = np.asarray(pc.fill_null(numbers, 0).to_numpy(zero_copy_only=False), dtype=np.int64)
    days = found if dated else found // (_DAY * _SECOND)
    if np.any((days < _LEAST_DAY) | (days > _LAST_DAY)):
        raise ValueError("a time whose instant may not fit")
    return found


def zone_of(rules: ZoneRules) -> Zone:
    """The functions of a zone with these rules."""
    return Zone(rules.offset, rules.transitions, rules.repeats_from)
