"""Windowed: windows of samples on their way through stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from slackwater.frontend.signal.words import word
from slackwater.signals.arrays import Column
from slackwater.signals.formulas import Number, as_formula
from slackwater.signals.missing_samples import MissingSamples
from slackwater.signals.operator import Operator
from slackwater.signals.stages.correlation import (
    AutoCorrelation,
    CrossCorrelation,
    FieldCorrelation,
)
from slackwater.signals.stages.custom_stage import CustomStage
from slackwater.signals.stages.elementwise import MapElements, Product, element
from slackwater.signals.stages.fft import Fft, InverseFft, SlidingFft
from slackwater.signals.stages.incremental import CustomIncremental
from slackwater.signals.stages.stage import Stage
from slackwater.signals.stages.summary import Summary
from slackwater.signals.stages.taper import Taper, TaperShape
from slackwater.signals.unwindow import Merge
from slackwater.signals.window import Window
from slackwater.signals.window_functions import WindowFunction

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Windowed(Generic[Made]):
    """Windows and their stages; `merge`, `arrays` or `summary` makes a signal of them again."""

    input: Operator
    size: int
    hop: int
    missing: MissingSamples
    stages: tuple[Stage, ...]
    finish: Callable[[Operator], Made]
    """Makes a signal of an operator."""

    def then(self, stage: Stage) -> Windowed[Made]:
        """The windows after one more stage; refuses one that does not fit."""
        longer = replace(self, stages=(*self.stages, stage))
        _ = longer._window(None).schema
        return longer

    def _window(self, merge: Merge | None) -> Window:
        return Window(self.input, self.size, self.hop, self.stages, merge, self.missing)

    def fft(self) -> Windowed[Made]:
        """The spectrum."""
        return self.then(Fft())

    def sliding_fft(self, every: int = 64) -> Windowed[Made]:
        """The spectrum, updated from window to window and computed anew every so many."""
        return self.then(SlidingFft(every))

    def inverse_fft(self) -> Windowed[Made]:
        """The samples of a spectrum, as complex numbers."""
        return self.then(InverseFft())

    def taper(self, shape: str = "hann", beta: float | None = None) -> Windowed[Made]:
        """The window times a window function: hann, hamming, blackman, kaiser and so on."""
        return self.then(Taper(word(TaperShape, shape, "a window function"), beta))

    def autocorrelate(self) -> Windowed[Made]:
        """The correlation of the window with itself."""
        return self.then(AutoCorrelation())

    def correlate(self, vector: Sequence[float | complex]) -> Windowed[Made]:
        """The correlation of the window with a vector."""
        return self.then(CrossCorrelation(tuple(vector)))

    def correlate_fields(self, left: str, right: str, name: str = "value") -> Windowed[Made]:
        """The correlation of the windows of two fields."""
        return self.then(FieldCorrelation(left, right, name))

    def times(self, vector: Sequence[float | complex]) -> Windowed[Made]:
        """The element-wise product with a vector of the window's length."""
        return self.then(Product(tuple(vector)))

    def map(self, rule: Callable[[Any], Any]) -> Windowed[Made]:
        """Every number by a formula, such as `lambda x: abs(x)`."""
        return self.then(MapElements(as_formula(rule(element()))))

    def apply(
        self, function: Callable[[Column], Any], size: int | None, *, is_complex: bool = False
    ) -> Windowed[Made]:
        """A function of a matrix with one row a window; it gives rows of `size` numbers."""
        kind = Number.COMPLEX if is_complex else Number.REAL
        return self.then(CustomStage(function, size, kind))

    def update(
        self,
        recompute: Callable[[Column], Any],
        change: Callable[[Column, Column, Column, Column], Any],
        size: int,
        *,
        every: int = 64,
        is_complex: bool = False,
    ) -> Windowed[Made]:
        """A function that computes, and one that updates from what left and came; first stage."""
        kind = Number.COMPLEX if is_complex else Number.REAL
        return self.then(CustomIncremental(every, recompute, change, size, kind))

    def summary(self, function: str) -> Made:
        """One number for each window, at its last sample."""
        stage = Summary(word(WindowFunction, function, "a summary"))
        return self.then(stage).arrays()

    def arrays(self) -> Made:
        """One array for each window, at its last sample."""
        return self.finish(self._window(None))

    def merge(self, by: str = "sum") -> Made:
        """Samples again, merged where windows overlap: sum, mean, min or max."""
        return self.finish(self._window(word(Merge, by, "a merge")))
