"""The targets of a benchmark's figures, beside the figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """One figure and its limit; to miss it is a result, not an error."""

    name: str
    limit: float
    value: float
    at_least: bool = False
    """True if more is better."""

    @property
    def met(self) -> bool:
        """Tell if the figure is on the right side of its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def data(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(self), "met": self.met}

    def __str__(self) -> str:
        """For a report.

        >>> print(Target("seconds", 0.1, 0.072))
        target: seconds at most 0.10: 0.072, met
        >>> print(Target("rows a second", 1e6, 999_999, at_least=True))
        target: rows a second at least 1,000,000: 999,999, missed
        """
        side = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "missed"
        return (
            f"target: {self.name} {side} {_number(self.limit, 2)}: "
            f"{_number(self.value, 3)}, {verdict}"
        )


def _number(value: float, decimals: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.{decimals}f}"
