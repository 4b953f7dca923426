"""Goals: the moment at which an answer is needed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from slackwater.errors import CatalogError

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a view's user: one of slack, final work, or freshness at every run.

    >>> Goal(slack="30s").seconds
    30.0
    """

    slack: str | None = None
    """Wall-clock time after the data is complete."""
    final_work: float | None = None
    """The last run's work as a share of a batch run's."""
    fresh: bool = False
    """Every run delivers."""

    def __post_init__(self) -> None:
        """Exactly one way of saying it, and a value that means something."""
        given = [self.slack is not None, self.final_work is not None, self.fresh]
        if sum(given) != 1:
            raise CatalogError(
                "a goal says one thing: slack, final_work or fresh",
                hint='Write Goal(slack="30s"), Goal(final_work=0.1) or Goal(fresh=True).',
            )
        if self.final_work is not None and not 0 < self.final_work <= 1:
            raise CatalogError(
                f"final_work is {self.final_work}", hint="Give a share above 0 and at most 1."
            )
        if self.slack is not None:
            _ = self.seconds

    @property
    def seconds(self) -> float | None:
        """The slack in seconds."""
        if self.slack is None:
            return None
        match = _DURATION.fullmatch(self.slack)
        if match is None:
            raise CatalogError(
                f"{self.slack!r} is not a length of time", hint="Write it as 500ms, 30s, 5m or 2h."
            )
        return float(match[1]) * _UNITS[match[2].lower()]
