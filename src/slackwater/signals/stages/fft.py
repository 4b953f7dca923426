"""The Fourier transform of a window, its inverse, and one that is updated as the window moves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import fft

from slackwater.signals.arrays import Column
from slackwater.signals.formulas import Number
from slackwater.signals.schema import Field
from slackwater.signals.stages.incremental import IncrementalStage
from slackwater.signals.stages.stage import Stage, length_of


@dataclass(frozen=True, slots=True)
class Fft(Stage):
    """The whole spectrum: as many complex numbers as the window has samples."""

    def output(self, field: Field) -> Field:
        """Complex numbers."""
        length_of(field, "an FFT")
        return replace(field, kind=Number.COMPLEX)

    def compute(self, rows: Column) -> Column:
        """All windows in one call; the transform of a row is the same in any company."""
        return _transform(rows)

    def describe(self) -> str:
        """For a page."""
        return "fft"


@dataclass(frozen=True, slots=True)
class InverseFft(Stage):
    """The samples of a spectrum, as complex numbers."""

    def output(self, field: Field) -> Field:
        """Complex numbers."""
        length_of(field, "an inverse FFT")
        return replace(field, kind=Number.COMPLEX)

    def compute(self, rows: Column) -> Column:
        """All spectra in one call."""
        samples: Column = fft.ifft(rows, axis=1) if len(rows) else rows.astype(np.complex128)
        return samples

    def describe(self) -> str:
        """For a page."""
        return "inverse fft"


@dataclass(frozen=True, slots=True)
class SlidingFft(IncrementalStage):
    """The spectrum updated from the samples that left and came, and transformed anew now and then.

    An update costs hop x size operations, a transform some size x log(size): it pays for hops of
    a few samples. Between two transforms errors add up, by about one rounding an update.
    """

    every: int = 64

    def output(self, field: Field) -> Field:
        """Complex numbers."""
        length_of(field, "a sliding FFT")
        return replace(field, kind=Number.COMPLEX)

    def compute(self, rows: Column) -> Column:
        """The transform."""
        return _transform(rows)

    def update(self, previous: Column, rows: Column, old: Column, new: Column) -> Column:
        """Shift the spectrum by the hop, after the difference of what came and went was added.

        One product a sample of the hop, element by element, as a matrix product would round by
        how many rows it has.
        """
        size, hop = rows.shape[1], old.shape[1]
        turns = np.exp(2j * np.pi * np.arange(size) / size)
        spectrum = previous.copy()
        for at in range(hop):
            spectrum = (spectrum + (new[:, at] - old[:, at])[:, None]) * turns
        return spectrum

    def describe(self) -> str:
        """For a page."""
        return f"sliding fft, anew every {self.every}"


def _transform(rows: Column) -> Column:
    spectrum: Column = fft.fft(rows, axis=1) if len(rows) else rows.astype(np.complex128)
    return spectrum
