"""A placed program: blocks of steps, and what rows move between two blocks.

Every block runs whole in each of the partitions, by the code that runs a program on the driver.
A frame lives in one block; what a later block needs of it is sent there under a name of its own,
so that one frame can arrive divided by several keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from slackwater.errors import InvariantError
from slackwater.plan.program import AppendStep, Program, Step


class Reading(Enum):
    """The rows that a step which reads stored rows takes in each partition."""

    RANGE = "range"
    """Those whose stored hash is in the partition's range."""
    WHOLE = "whole"
    """All of them in every partition: what reads them is computed with the rest divided."""
    FIRST = "first"
    """All of them in the first partition, none elsewhere."""


class Move(Enum):
    """Where the rows of a frame go between two blocks."""

    REPARTITION = "repartition"
    """To the partition whose range holds the row's hash, a BIGINT column."""
    GATHER = "gather"
    """To the first partition."""
    REPLICATE = "replicate"
    """To every partition."""
    STAY = "stay"
    """To the same partition: nothing crosses the network but by Spark's own doing."""


@dataclass(frozen=True, slots=True)
class Send:
    """Rows of a frame for a later block.

    >>> Send("delta", "delta_by_k0", 1, Move.REPARTITION, "_x0").block
    1
    """

    frame: str
    arrives_as: str
    block: int
    """The number of the block that reads it first; later ones have it sent on by that block."""
    move: Move
    by: str | None = None
    """The column with the hash; it does not arrive unless some step needs it there."""

    def __post_init__(self) -> None:
        """Only a repartition looks at a hash."""
        if (self.move is Move.REPARTITION) != (self.by is not None):
            raise InvariantError(f"frame {self.frame} moves by {self.move.value} with {self.by}")


@dataclass(frozen=True, slots=True)
class Block:
    """Steps between two exchanges, in an order in which they can be taken.

    Steps in `first` are taken by the first partition alone: their input is gathered there.
    """

    steps: tuple[Step, ...]
    sends: tuple[Send, ...] = ()
    first: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PlacedProgram:
    """The blocks of a run; block n reads what blocks before it sent, and what is stored."""

    program: Program
    """The program that was placed."""
    blocks: tuple[Block, ...]
    readings: Mapping[str, Reading]
    """For each step that reads stored rows."""

    @property
    def exchanges(self) -> int:
        """Shuffles of the one Spark job: one less than its stages."""
        return len(self.blocks) - 1


def undivided(program: Program) -> PlacedProgram:
    """The program as one block that the first partition takes alone."""
    own = tuple(step for step in program.steps if not isinstance(step, AppendStep))
    stored = (step.name for step in own if step.is_stored)
    return PlacedProgram(
        program,
        (Block(program.steps, first=frozenset(step.name for step in own)),),
        dict.fromkeys(stored, Reading.FIRST),
    )
