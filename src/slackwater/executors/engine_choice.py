"""Where a program runs: the price of its steps on the driver and in Spark."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.executors.driver.prepared_programs import PreparedPrograms
from slackwater.executors.driver.spark_statements import MOST_ROWS
from slackwater.executors.places import StateFiles
from slackwater.executors.spark.block_prices import BlockPrices
from slackwater.plan.costs import Handed, Sizes, find_slowdown, frame_rows, step_seconds
from slackwater.plan.observations import FACTOR
from slackwater.plan.prices import SPARK, Rates
from slackwater.plan.program import Program

_HANDED_ROW = 3e-6
"""Seconds for a row that goes from the driver to a statement of Spark's, or comes back."""


@dataclass(frozen=True, slots=True)
class Priced:
    """The place that a program is for, and about how long each of its steps takes there."""

    rates: Rates
    seconds: tuple[float, ...]
    slowdown: float = 1.0
    """The factor by which its steps took longer than their prices, as far as that is known."""

    @property
    def total(self) -> float:
        """Seconds of the run."""
        return self.rates.start + sum(self.seconds)

    @property
    def engine(self) -> str:
        """The name of the place."""
        return self.rates.engine


class EngineChoice:
    """Chooses the engine of programs and batches by price, unless a number of rows decides."""

    def __init__(
        self,
        rates: tuple[Rates, Rates],
        most_rows: int | None,
        programs: PreparedPrograms,
        blocks: BlockPrices | None,
    ):
        """Take the rates of the driver, and of statements in Spark.

        Up to `most_rows` changed rows are for the driver, more for Spark; None: by price. Without
        `blocks` Spark takes every step as a statement of its own.
        """
        driver, spark = rates
        self._driver = driver
        self._spark = spark
        self._most_rows = most_rows
        self._programs = programs
        self._blocks = blocks

    def takes_batch(self, rows: int) -> bool:
        """Whether a batch is hashed and written on the driver."""
        if self._most_rows is not None:
            return rows <= self._most_rows
        here, there = (rates.row + rates.write for rates in (self._driver, self._spark))
        return here * rows <= self._spark.start + self._spark.step + there * rows

    def price(
        self,
        program: Program,
        sizes: Sizes,
        files: StateFiles,
        rows: int,
        slowdown: float = 1.0,
    ) -> Priced:
        """The price of a program that works on so many rows, where it is lower.

        Steps of which nothing is known take `slowdown` times their price.
        """
        if self._most_rows is not None and rows > self._most_rows:
            return self._there(program, (sizes, files, rows), slowdown)
        here = self._price_here(program, sizes, files, slowdown)
        if self._most_rows is not None:
            return here
        there = self._there(program, (sizes, files, rows), max(slowdown, here.slowdown))
        return min((here, there), key=lambda each: each.total)

    def _there(
        self, program: Program, found: tuple[Sizes, StateFiles, int], slowdown: float
    ) -> Priced:
        """The price in Spark, in blocks where that is possible."""
        sizes, files, rows = found
        priced = self._statements(program, sizes, slowdown)
        blocks = None if self._blocks is None else self._blocks.price(program, sizes, files, rows)
        if blocks is None:
            return priced
        taken = step_seconds(program, sizes, blocks.rates)
        pairs = zip(program.steps, taken, priced.seconds, strict=True)
        seconds = [
            left if step.name in blocks.left else own * priced.slowdown for step, own, left in pairs
        ]
        if blocks.left:
            seconds[0] += self._spark.start
        return Priced(blocks.rates, tuple(seconds), priced.slowdown)

    def _statements(self, program: Program, sizes: Sizes, slowdown: float) -> Priced:
        """The price of statements, times the factor by which Spark's last runs took longer."""
        known = sizes.observed(FACTOR, SPARK)
        factor = slowdown if known is None else known.seconds
        seconds = step_seconds(program, sizes, self._spark)
        return Priced(self._spark, tuple(each * factor for each in seconds), factor)

    def _price_here(
        self, program: Program, sizes: Sizes, files: StateFiles, slowdown: float
    ) -> Priced:
        """The price on the driver, with what it hands to Spark: statements, or whole parts."""
        rows = frame_rows(program, sizes)
        handed: set[str] = set()
        whole: set[str] = set()
        for part in self._programs.parts_of(program):
            left = self._programs.left(part, files)
            read = {step.name: sum(rows[name] for name in step.reads) for step in part.steps}
            if left is None or any(read[name] > MOST_ROWS for name in left):
                whole.update(read)
            else:
                handed.update(left)
        fixed = self._spark.start + self._spark.step
        prices = Handed(frozenset(handed), fixed, _HANDED_ROW)
        seconds = step_seconds(program, sizes, self._driver, prices, slowdown)
        found = find_slowdown(program, sizes, self._driver, prices)
        if whole:
            in_spark = self._statements(program, sizes, max(slowdown, found)).seconds
            pairs = zip(program.steps, seconds, in_spark, strict=True)
            seconds = [there if step.name in whole else here for step, here, there in pairs]
            seconds[0] += self._spark.start
        return Priced(self._driver, tuple(seconds), found)
