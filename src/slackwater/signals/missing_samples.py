"""What filters and windows do where samples are missing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from slackwater.errors import SignalError


@dataclass(frozen=True, slots=True)
class MissingSamples(ABC):
    """How a gap between samples, and the time before the first one, are read."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """The most missing samples in a row within which a signal goes on."""

    @property
    @abstractmethod
    def padded(self) -> bool:
        """Whether windows may reach back before the first sample, where they find zeros."""


@dataclass(frozen=True, slots=True)
class Break(MissingSamples):
    """A gap ends a stretch of signal; only windows with all their samples count."""

    @property
    def longest(self) -> int:
        """Not one sample may be missing."""
        return 0

    @property
    def padded(self) -> bool:
        """Windows begin with the first sample."""
        return False

    def __str__(self) -> str:
        """For a page."""
        return "break at gaps"


@dataclass(frozen=True, slots=True)
class Zeros(MissingSamples):
    """Missing samples are zero, unless more than `limit` are missing in a row.

    After a longer gap the signal starts anew, with zeros before it. The limit keeps a sensor that
    was silent for a year from becoming a year of zeros.
    """

    limit: int = 1024

    def __post_init__(self) -> None:
        """A limit counts samples."""
        if self.limit < 0:
            raise SignalError(f"a gap of {self.limit} samples", hint="Give 0 or more.")

    @property
    def longest(self) -> int:
        """The limit."""
        return self.limit

    @property
    def padded(self) -> bool:
        """There are zeros before the first sample."""
        return True

    def __str__(self) -> str:
        """For a page."""
        return f"zeros in gaps up to {self.limit}"


ZEROS = Zeros()
BREAK = Break()
