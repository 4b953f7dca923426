"""Words and times that users write, as the values that operators take."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Any, TypeVar

from slackwater.errors import SignalError
from slackwater.signals.interpolation import (
    CustomInterpolation,
    Fill,
    Hold,
    Interpolation,
    Linear,
    Parabola,
    Step,
)
from slackwater.signals.missing_samples import BREAK, MissingSamples, Zeros
from slackwater.signals.schema import TimeUnit

Duration = int | timedelta
Interpolate = str | Interpolation | Callable[..., Any]
Missing = str | MissingSamples

_Word = TypeVar("_Word", bound=Enum)
_MICROSECOND = timedelta(microseconds=1)
_PER_MICROSECOND = {
    TimeUnit.SECOND: (1, 1_000_000),
    TimeUnit.MILLISECOND: (1, 1_000),
    TimeUnit.MICROSECOND: (1, 1),
    TimeUnit.NANOSECOND: (1_000, 1),
}
_INTERPOLATIONS: dict[str, type[Interpolation]] = {
    "fill": Fill,
    "hold": Hold,
    "step": Step,
    "linear": Linear,
    "parabola": Parabola,
}


def word(kind: type[_Word], text: str, what: str) -> _Word:
    """The member of an enumeration that a user means."""
    for each in kind:
        if each.value == text:
            return each
    known = ", ".join(str(each.value) for each in kind)
    raise SignalError(f"{what} cannot be {text!r}", hint=f"Say one of {known}.")


def ticks(duration: Duration, unit: TimeUnit) -> int:
    """A duration in ticks of a time column.

    >>> ticks(timedelta(seconds=1.5), TimeUnit.MILLISECOND), ticks(30, TimeUnit.TICK)
    (1500, 30)
    """
    if isinstance(duration, int):
        return duration
    if unit is TimeUnit.TICK:
        raise SignalError(
            f"the time column counts ticks, and {duration} is not a number of them",
            hint="Give whole numbers, or unit= s, ms, us or ns.",
        )
    times, per = _PER_MICROSECOND[unit]
    whole, rest = divmod(duration // _MICROSECOND * times, per)
    if rest:
        raise SignalError(f"{duration} is no whole number of {unit.value}")
    return whole


def interpolation(
    policy: Interpolate | None, within: int | None, value: float = 0.0
) -> Interpolation | None:
    """The policy that a word, a function or nothing means."""
    if policy is None or isinstance(policy, Interpolation):
        return policy
    if not isinstance(policy, str):
        return CustomInterpolation(within, function=policy)
    if policy not in _INTERPOLATIONS:
        known = ", ".join(_INTERPOLATIONS)
        raise SignalError(f"no interpolation is called {policy!r}", hint=f"Say one of {known}.")
    if policy == "fill":
        return Fill(within, value)
    return _INTERPOLATIONS[policy](within)


def missing_samples(policy: Missing, longest: int | None) -> MissingSamples:
    """The policy of filters and windows that a word means."""
    if isinstance(policy, MissingSamples):
        return policy
    if policy == "zero":
        return Zeros() if longest is None else Zeros(longest)
    if policy == "break" and longest is None:
        return BREAK
    raise SignalError(
        f"missing samples cannot be {policy!r}",
        hint="Say break, or zero with the longest gap to fill if you like.",
    )
