"""Signal: a pipeline under construction, with a method for every operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slackwater.errors import SignalError
from slackwater.frontend.signal.alignment import align, combine, combine_number
from slackwater.frontend.signal.payloads import Rule, formula, outputs
from slackwater.frontend.signal.windowed import Windowed
from slackwater.frontend.signal.words import (
    Duration,
    Interpolate,
    Missing,
    interpolation,
    missing_samples,
    ticks,
    word,
)
from slackwater.signals.aggregate import Aggregate
from slackwater.signals.arrays import Column
from slackwater.signals.custom_filter import CustomFilter
from slackwater.signals.downsample import Downsample
from slackwater.signals.fir import Fir
from slackwater.signals.formulas import BinaryOp, as_formula
from slackwater.signals.functional import Functional
from slackwater.signals.grid import Grid
from slackwater.signals.iir import Iir
from slackwater.signals.interpolation import Interpolation
from slackwater.signals.operator import Operator, require_grid
from slackwater.signals.pipeline import Pipeline
from slackwater.signals.sample import Sample
from slackwater.signals.schema import SignalSchema
from slackwater.signals.select import Select
from slackwater.signals.shift import Shift
from slackwater.signals.shorten import Shorten
from slackwater.signals.temporal_join import TemporalJoin
from slackwater.signals.where import Where
from slackwater.signals.window_functions import WindowFunction

Numbers = Sequence[float | complex]


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal; methods give other signals and leave this one as it is."""

    operator: Operator
    interpolation: Interpolation | None = None
    """How it is resampled where arithmetic needs it on other beats."""

    @property
    def schema(self) -> SignalSchema:
        """Its groups, payload and beats."""
        return self.operator.schema

    @property
    def pipeline(self) -> Pipeline:
        """The frozen value that is stored, compared and run."""
        return Pipeline(self.operator)

    def __str__(self) -> str:
        """The pipeline as an indented tree."""
        return str(self.operator)

    def _with(self, operator: Operator) -> Signal:
        return replace(self, operator=operator)

    # Relational operators and basic ones ------------------------------------------------------

    def where(self, condition: Rule) -> Signal:
        """The events for which a condition holds, such as `lambda v: v > 3`."""
        return self._with(Where(self.operator, formula(condition, self.schema)))

    def select(self, rule: Rule | None = None, **named: Rule) -> Signal:
        """Another payload, such as `lambda v: v * 2`, or fields by name."""
        return self._with(Select(self.operator, outputs(rule, named, self.schema)))

    def scale(self, factor: float | complex) -> Signal:
        """Every field times a number."""
        return self * factor

    def shift(self, by: Duration) -> Signal:
        """The signal later, or with a negative duration earlier."""
        return self._with(Shift(self.operator, ticks(by, self.schema.unit)))

    def shorten(self, lasts: Duration = 1) -> Signal:
        """Events that live at most so long; one tick makes point events."""
        return self._with(Shorten(self.operator, ticks(lasts, self.schema.unit)))

    def as_function(self, rule: Rule | None = None, **named: Rule) -> Signal:
        """Values that are functions of the time `t`, with the payload as arguments."""
        return self._with(Functional(self.operator, outputs(rule, named, self.schema)))

    def join(self, other: Signal) -> Signal:
        """Both payloads while events of both live, as fields `left_...` and `right_...`."""
        one, second = align(self._side, other._side)
        return self._with(TemporalJoin(one, second))

    # Arithmetic -------------------------------------------------------------------------------

    @property
    def _side(self) -> tuple[Operator, Interpolation | None]:
        return self.operator, self.interpolation

    def _combined(self, op: BinaryOp, other: Any, *, first: bool = False) -> Signal:
        if isinstance(other, Signal):
            return self._with(combine(op, self._side, other._side))
        number = as_formula(other)
        return self._with(combine_number(op, self.operator, number, first=first))

    def __add__(self, other: Any) -> Signal:
        """The sum with another signal, aligned, or with a number."""
        return self._combined(BinaryOp.PLUS, other)

    def __radd__(self, other: Any) -> Signal:
        """The sum with a number."""
        return self._combined(BinaryOp.PLUS, other, first=True)

    def __sub__(self, other: Any) -> Signal:
        """The difference from another signal, aligned, or from a number."""
        return self._combined(BinaryOp.MINUS, other)

    def __rsub__(self, other: Any) -> Signal:
        """The difference of a number."""
        return self._combined(BinaryOp.MINUS, other, first=True)

    def __mul__(self, other: Any) -> Signal:
        """The product with another signal, aligned, or with a number."""
        return self._combined(BinaryOp.TIMES, other)

    def __rmul__(self, other: Any) -> Signal:
        """The product with a number."""
        return self._combined(BinaryOp.TIMES, other, first=True)

    def __truediv__(self, other: Any) -> Signal:
        """The quotient by another signal, aligned, or by a number."""
        return self._combined(BinaryOp.DIVIDE, other)

    # Sampling ---------------------------------------------------------------------------------

    def interpolating(self, policy: Interpolate, within: Duration | None = None) -> Signal:
        """The same signal with a policy for when arithmetic has to resample it."""
        return replace(self, interpolation=self._policy(policy, within))

    def _policy(
        self, policy: Interpolate | None, within: Duration | None, value: float = 0.0
    ) -> Interpolation | None:
        window = None if within is None else ticks(within, self.schema.unit)
        return interpolation(policy, window, value)

    def sample(
        self,
        period: Duration,
        offset: Duration = 0,
        *,
        interpolate: Interpolate | None = None,
        within: Duration | None = None,
        value: float = 0.0,
    ) -> Signal:
        """Samples at offset + k * period, with missing ones interpolated within a window."""
        unit = self.schema.unit
        length = ticks(period, unit)
        grid = Grid(length, ticks(offset, unit) % length if length > 0 else 0)
        policy = self._policy(interpolate, within, value)
        return Signal(Sample(self.operator, grid, policy), policy)

    def resample(
        self,
        period: Duration,
        offset: Duration = 0,
        *,
        interpolate: Interpolate | None = None,
        within: Duration | None = None,
    ) -> Signal:
        """Samples on other beats, by another interpolation or the signal's own."""
        require_grid(self.schema, "resampling")
        policy = interpolate if interpolate is not None else self.interpolation
        return self.sample(period, offset, interpolate=policy, within=within)

    def upsample(self, factor: int) -> Signal:
        """`factor` times as many samples, by the signal's own interpolation."""
        grid = require_grid(self.schema, "upsampling")
        if factor < 1 or grid.period % factor:
            raise SignalError(
                f"a period of {grid.period} cannot be divided into {factor}",
                hint="Resample with a period of whole ticks.",
            )
        if self.interpolation is None:
            raise SignalError(
                "upsampling needs an interpolation", hint="Say which with interpolating('linear')."
            )
        return self.resample(grid.period // factor, grid.offset)

    def downsample(self, factor: int) -> Signal:
        """Every `factor`-th sample."""
        return self._with(Downsample(self.operator, factor))

    # Filters, aggregates and windows ----------------------------------------------------------

    def aggregate(
        self,
        function: str | Callable[[Column], Any],
        size: int,
        hop: int | None = None,
        missing: Missing = "break",
    ) -> Signal:
        """One number for each window of samples; windows that follow one another if no hop."""
        chosen = (
            word(WindowFunction, function, "an aggregate")
            if isinstance(function, str)
            else function
        )
        gaps = missing_samples(missing, None)
        return self._with(Aggregate(self.operator, chosen, size, hop or size, gaps))

    def fir(self, taps: Numbers, missing: Missing = "zero") -> Signal:
        """A finite impulse response."""
        return self._with(Fir(self.operator, _vector(taps), missing_samples(missing, None)))

    def convolve(self, vector: Numbers, missing: Missing = "zero") -> Signal:
        """The convolution with a vector."""
        return self.fir(vector, missing)

    def correlate(self, vector: Numbers, missing: Missing = "break") -> Signal:
        """At each sample the dot product of a vector with the samples up to it."""
        return self.fir([complex(each).conjugate() for each in vector][::-1], missing)

    def iir(self, forward: Numbers, backward: Numbers, missing: Missing = "zero") -> Signal:
        """An infinite impulse response, with coefficients as SciPy's `lfilter` has them."""
        gaps = missing_samples(missing, None)
        return self._with(Iir(self.operator, _vector(forward), _vector(backward), gaps))

    def filter(
        self,
        function: Callable[[Column, Column], Any],
        forward: int,
        backward: int = 0,
        missing: Missing = "zero",
    ) -> Signal:
        """A function of the last samples and of its own last results, for many groups at once."""
        gaps = missing_samples(missing, None)
        return self._with(CustomFilter(self.operator, function, forward, backward, gaps))

    def window(
        self, size: int, hop: int | None = None, missing: Missing = "break"
    ) -> Windowed[Signal]:
        """Windows of samples, to go through stages; they follow one another if no hop."""
        gaps = missing_samples(missing, None)
        return Windowed(self.operator, size, hop or size, gaps, (), self._with)


def _vector(values: Numbers) -> tuple[float | complex, ...]:
    """Numbers as a pipeline keeps them: real ones as such."""
    whole = [complex(each) for each in values]
    if any(each.imag for each in whole):
        return tuple(whole)
    return tuple(each.real for each in whole)
