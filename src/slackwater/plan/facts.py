"""The facts that rules may rely on beside the plan itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
    JoinKind,
    Limit,
    Project,
    Range,
    RankKind,
    Scan,
    Sort,
    Union,
    Values,
)
from slackwater.algebra.rel import Rel

_LEFT_ROWS = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.NULL_AWARE_ANTI, JoinKind.MARK)
_MAX_DIGITS, _SPARE_DIGITS = 38, 3
_MONOTONE = (Filter, Project, Union, Expand, Generate, Values, Range)


@dataclass(frozen=True, slots=True, order=True)
class LargeWindow:
    """A window whose partitions have many rows, and the bits to leave out for its order buckets."""

    window: str
    """The fingerprint of the operator."""
    shift: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Settings and knowledge of the sources that decide which rules are exact."""

    ansi: bool = True
    append_only: frozenset[str] = frozenset()
    """Sources that never lose a row."""
    sums_fit: bool = True
    """True if running sums of the widest decimals have stayed within their 38 digits so far."""
    large_windows: frozenset[LargeWindow] = frozenset()
    """Windows of which a change should not have whole partitions redone."""

    @property
    def widest_sum(self) -> int:
        """The most digits of decimals, beyond those that always fit, to keep running sums of.

        In ANSI mode a sum that does not fit raises an error, where it would otherwise become
        NULL and stay so. Without a digit to spare that may also happen to sums that would fit
        once rows have been taken away again, so such sums are kept only until the first error.
        """
        if not self.ansi:
            return 0
        return _MAX_DIGITS if self.sums_fit else _MAX_DIGITS - _SPARE_DIGITS

    def about(self, names: frozenset[str], windows: frozenset[str]) -> Facts:
        """The part of it that concerns some sources, and windows by their fingerprints."""
        large = frozenset(each for each in self.large_windows if each.window in windows)
        return replace(self, append_only=self.append_only & names, large_windows=large)

    def bucket_shift(self, window: str) -> int | None:
        """The bits to leave out for order buckets of a window; None if it is not a large one."""
        shifts = (each.shift for each in self.large_windows if each.window == window)
        return min(shifts, default=None)

    def never_retracts(self, rel: Rel) -> bool:
        """Tell if rows of the relation, once there, stay."""
        if isinstance(rel, Scan):
            return rel.source in self.append_only
        if isinstance(rel, Join):
            inner = rel.kind in (JoinKind.INNER, JoinKind.CROSS)
            return inner and all(map(self.never_retracts, rel.inputs))
        return isinstance(rel, _MONOTONE) and all(map(self.never_retracts, rel.inputs))


def is_bounded(rel: Rel) -> bool:
    """Tell if a relation has a few rows at most, however large the sources grow."""
    match rel:
        case Values() | Range():
            return True
        case Aggregate(keys=()):
            return True
        case Limit(count=count) if count is not None:
            return True
        case GroupLimit(partition=(), kind=RankKind.ROW_NUMBER):
            return True
        case Filter() | Project() | Sort() | Limit() | Aggregate() | Distinct() | Expand():
            return is_bounded(rel.inputs[0])
        case GroupLimit():
            return is_bounded(rel.inputs[0])
        case Join(kind=kind):
            sides = rel.inputs[:1] if kind in _LEFT_ROWS else rel.inputs
            return all(map(is_bounded, sides))
        case Union():
            return all(map(is_bounded, rel.inputs))
        case _:
            return False
