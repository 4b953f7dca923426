"""What it costs to run a program in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.executors.places import StateFiles
from slackwater.executors.spark.partitions import Partitions
from slackwater.executors.spark.placements import Placements
from slackwater.plan.costs import Sizes, add_rows
from slackwater.plan.placed import Move, PlacedProgram
from slackwater.plan.prices import Prices, Rates
from slackwater.plan.program import ComputeStep, Program, Step

_VALUE = 8
"""Bytes of a value on its way, about."""
_IN_GROUPS = 0.1
"""The share of rows that are left by a grouping of which nothing is known."""
_COLUMNS = 4
"""Columns of a frame that is sent as it is stored."""


@dataclass(frozen=True, slots=True)
class InBlocks:
    """The rates of steps in tasks, with the fixed costs of a run, and the steps that stay out."""

    rates: Rates
    left: frozenset[str]


class BlockPrices:
    """Prices of programs in blocks, on a number of cores."""

    def __init__(self, prices: Prices, placements: Placements, partitions: Partitions):
        """The kernel works in tasks as fast as on the driver."""
        self._prices = prices
        self._rates = prices.in_tasks(partitions.cores)
        self._placements = placements
        self._partitions = partitions

    def price(
        self, program: Program, sizes: Sizes, files: StateFiles, rows: int
    ) -> InBlocks | None:
        """The rates for a run over so many rows; None if nothing of it is taken in blocks."""
        placement = self._placements.of(program, files)
        if placement.taken is None:
            return None
        partitions = self._partitions.of(placement.taken, sizes, rows)
        placed = self._placements.placed(placement, sizes, files, partitions)
        if not isinstance(placed, PlacedProgram):
            return None
        stages = len(placed.blocks) if partitions > 1 else 1
        fixed = self._prices.stage * stages
        if partitions > 1:
            moved = self._prices.moved * self._prices.cores / self._partitions.cores
            fixed += moved * _moved_bytes(placed, sizes, partitions)
        rates = replace(self._rates, start=self._rates.start + fixed)
        left = frozenset(step.name for part in placement.left for step in part.steps)
        return InBlocks(rates, left)


def _moved_bytes(placed: PlacedProgram, sizes: Sizes, partitions: int) -> float:
    """About what all exchanges move."""
    rows: dict[str, float] = {}
    total = 0.0
    for block in placed.blocks:
        for step in block.steps:
            add_rows(rows, (step,), sizes)
            if _is_unknown_grouping(step, sizes):
                rows[step.name] *= _IN_GROUPS
        widths = {
            step.name: len(step.statement.names)
            for step in block.steps
            if isinstance(step, ComputeStep)
        }
        for send in block.sends:
            rows[send.arrives_as] = rows[send.frame]
            copies = partitions if send.move is Move.REPLICATE else 1
            if send.move is not Move.STAY:
                total += copies * rows[send.frame] * _VALUE * widths.get(send.frame, _COLUMNS)
    return total


def _is_unknown_grouping(step: Step, sizes: Sizes) -> bool:
    return (
        isinstance(step, ComputeStep)
        and step.statement.groups
        and sizes.observed(step.origin) is None
    )
