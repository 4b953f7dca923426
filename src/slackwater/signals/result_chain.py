"""Result chain: the results of an incremental stage through chunks, runs and groups."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from slackwater.signals.arrays import Column, Ints, Mask, replace_rows
from slackwater.signals.gathering import gather
from slackwater.signals.group_state import Part, StoredRows, rows_part
from slackwater.signals.stages.incremental import Chain, IncrementalStage, run_chain
from slackwater.signals.stretches import Stretches, Windows, WindowShape


@dataclass(slots=True)
class ResultChain:
    """Computes chunk after chunk, in order; keeps the last result of every group."""

    stage: IncrementalStage
    stretches: Stretches
    windows: Windows
    shape: WindowShape
    before: StoredRows
    """By group the last result of the run before, if there was one."""
    _newest: tuple[Column, ...] = ()
    """The last results of the chunk before."""
    _kept: list[tuple[Column, ...]] = field(default_factory=list)
    """By chunk, the last results of groups that end in it."""

    def compute(self, part: slice, rows: tuple[Column, ...]) -> tuple[Column, ...]:
        """The results of one range of windows."""
        found = []
        for at, each in enumerate(rows):
            start, size, hop = self.windows.start[part], self.shape.size, self.shape.hop
            column = self.stretches.columns[at]
            # Only a window with one before it is updated; the others' history may not be there.
            old = gather(column, np.maximum(start - hop, 0), hop)
            new = gather(column, start + size - hop, hop)
            finite: Mask = np.logical_and.reduce(np.isfinite(old), axis=1)
            chain = self._chain(part, at, finite)
            found.append(run_chain(self.stage, each, old, new, chain))
        self._newest = tuple(each[-1:] for each in found)
        ends = self._group_ends(part)
        self._kept.append(tuple(each[ends] for each in found))
        return tuple(found)

    def _chain(self, part: slice, at: int, finite: Mask) -> Chain:
        # A NaN that has left a window would stay in its result: no update takes it out again.
        fresh = self._fresh()[part] | ~finite
        first = self._first_of_stretch()[part]
        seeded = ~fresh & first
        groups = self.stretches.group[self.windows.stretch[part]][seeded]
        seeds = self.before.columns[at][self.before.offsets[groups]]
        if not fresh[0] and not first[0]:
            seeded[0] = True
            seeds = np.concatenate([self._newest[at], seeds])
        return Chain(fresh, seeded, seeds)

    def _fresh(self) -> Mask:
        """Windows with none before them in their stretch, and every so many."""
        begin = self.stretches.offsets[self.windows.stretch]
        number = (self.windows.beat + 1) // self.shape.hop - 1
        alone: Mask = self.windows.start - self.shape.hop < begin
        due: Mask = number % self.stage.every == 0
        return alone | due

    def _first_of_stretch(self) -> Mask:
        stretch = self.windows.stretch
        first = np.ones(len(stretch), dtype=np.bool_)
        first[1:] = stretch[1:] != stretch[:-1]
        return first

    def _group_ends(self, part: slice) -> Ints:
        offsets = self.windows.offsets
        ends = offsets[1:][offsets[1:] > offsets[:-1]] - 1
        inside: Ints = ends[(ends >= part.start) & (ends < part.stop)] - part.start
        return inside

    def state_after(self) -> Part:
        """The last result of every group."""
        groups = np.flatnonzero(np.diff(self.windows.offsets))
        columns, offsets = [], self.before.offsets
        for at, old in enumerate(self.before.columns):
            rows = np.concatenate([old[:0], *(each[at] for each in self._kept)])
            kept = replace_rows(self.before.ragged(old), groups, rows)
            columns.append(kept.values)
            offsets = kept.offsets
        return rows_part(offsets, (), columns)
