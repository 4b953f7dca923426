"""The ways in which the steps of a program can be placed: what a search chooses from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from slackwater.compiler.placement.terms import Term
from slackwater.plan.program import Program, Step
from slackwater.types import Field

ANY, AT_FIRST, EVERYWHERE = 0, 1, 2
"""Places that every frame can have; further numbers stand for terms of its own."""
KEYED = 3
"""The number of a frame's first own term."""

PARTIAL = "_partial"
"""The end of the names of frames with partial results."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A frame that is read, and where its rows have to be for that."""

    frame: int
    place: int


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to take a step: where it reads, and in which places its rows are then."""

    slots: tuple[Slot, ...]
    gives: tuple[int, ...]
    variant: int = 0
    """Which of the step's forms is taken."""
    first: bool = False
    """Whether only the first partition takes it."""


class Alone(Enum):
    """When the first partition takes a step for all."""

    ALWAYS = "always"
    """It cannot be divided."""
    GLADLY = "gladly"
    """Where all that it makes is wanted there: it only sifts and groups what is read there."""
    SMALL = "small"
    """Where it has a few rows only."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A step, its forms, and the ways to take it."""

    name: str
    forms: tuple[Step, ...]
    """The step itself; where it is an aggregate that splits, the one over partial results too."""
    reads: tuple[tuple[int, ...], ...]
    """For each form, the frames of its scans."""
    modes: tuple[Mode, ...]
    copies: tuple[Mode, ...]
    """Ways to have all rows in every partition without moving them."""
    terms: tuple[Term, ...]
    """What the frame can be divided by: its places from `KEYED` on."""
    roots: tuple[tuple[int, Term], ...]
    """The frame that each of these terms comes down to, and the term there."""
    width: int
    """About how many bytes a row has."""
    alone: Alone
    is_partial: bool = False

    @property
    def step(self) -> Step:
        """The step as it was written."""
        return self.forms[0]

    @property
    def is_stored(self) -> bool:
        """Whether it can be read in any block without waiting for anything."""
        return self.step.is_stored and not self.reads[0]


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """All steps of a program, in their order."""

    program: Program
    steps: tuple[Choice, ...]
    fields: Mapping[str, Mapping[str, Field]]
    """The columns of frames by name, as far as statements tell of them."""
