"""Events of many groups in flat arrays, each group's in order of time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slackwater.signals.arrays import Column, Ints, Mask, last_in_group, owners


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Final events: no later frame holds one of the same group that starts before its bound."""

    offsets: Ints
    start: Ints
    ends: Ints | None
    """When events end; None where all are point events, which live for one tick."""
    columns: tuple[Column, ...]
    bound: Ints
    """By group: all events that start earlier are in this frame or in one before it."""

    def __post_init__(self) -> None:
        """All columns have the events that the offsets count."""
        ends = self.start if self.ends is None else self.ends
        rows = {len(self.start), len(ends), *(len(each) for each in self.columns)}
        if rows != {int(self.offsets[-1])} or len(self.bound) != len(self.offsets) - 1:
            raise ValueError(f"columns of {sorted(rows)} rows for {self.offsets[-1]} events")

    @property
    def groups(self) -> int:
        """How many groups there are, with or without events."""
        return len(self.bound)

    @property
    def end(self) -> Ints:
        """When every event ends."""
        return self.start + 1 if self.ends is None else self.ends

    @property
    def group(self) -> Ints:
        """The group of every event."""
        return owners(self.offsets)

    def keep(self, mask: Mask) -> Frame:
        """The events the mask chooses."""
        if bool(mask.all()):
            return self
        rows = np.flatnonzero(mask)
        return replace(
            self,
            offsets=np.searchsorted(rows, self.offsets),
            start=self.start[rows],
            ends=None if self.ends is None else self.ends[rows],
            columns=tuple(column[rows] for column in self.columns),
        )

    def last_end(self, otherwise: Ints) -> Ints:
        """By group when its last event ends; for groups without events the other time."""
        if self.ends is not None:
            return last_in_group(self.offsets, self.ends, otherwise)
        has = self.offsets[:-1] < self.offsets[1:]
        last = last_in_group(self.offsets, self.start, otherwise)
        return np.where(has, last + has, otherwise)

    def without_events(self) -> Frame:
        """The same groups, with nothing in them."""
        return replace(
            self,
            offsets=np.zeros_like(self.offsets),
            start=self.start[:0],
            ends=None if self.ends is None else self.ends[:0],
            columns=tuple(column[:0] for column in self.columns),
        )

    def with_columns(self, columns: tuple[Column, ...]) -> Frame:
        """The same events with another payload."""
        return replace(self, columns=columns)


def samples(offsets: Ints, times: Ints, columns: tuple[Column, ...], bound: Ints) -> Frame:
    """A frame of point events, as uniform signals have."""
    return Frame(offsets, times, None, columns, bound)
