"""The plan of a view: how each operator is kept, and the state that this takes.

A plan is chosen once, stored with the view, printed by `explain` and lowered to programs. It
changes only when what it relies on does; the history then says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from slackwater.algebra.rel import Rel
from slackwater.errors import InvariantError
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.facts import Facts

RECOMPUTE = "recompute"
"""The method of operators that every run computes anew from all rows."""


@dataclass(frozen=True, slots=True)
class KeptState:
    """State that a method keeps: the arrangement, and the relation whose changes it takes.

    `settled` says that its key might fail on changes that cancel out, so that they are
    consolidated before they are stored.
    """

    arrangement: Arrangement
    owner: Rel
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to keep an operator."""

    method: str
    state: tuple[KeptState, ...] = ()
    recomputes: str | None = None
    """The reason if the work follows the size of the relation instead of the change's."""
    unstable: bool = False
    """Computing the same rows twice may give answers that differ in a last bit."""
    shift: int | None = None
    """The bits that order buckets leave out, for a method that has such."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A method that does not fit an operator, and why."""

    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class OperatorPlan:
    """An operator, how it is kept, the methods that were refused, and the plans of its inputs."""

    rel: Rel
    chosen: Alternative
    inputs: tuple[OperatorPlan, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def __post_init__(self) -> None:
        """The inputs' plans are about the operator's inputs."""
        if tuple(each.rel for each in self.inputs) != self.rel.inputs:
            raise InvariantError(f"the plan of a {type(self.rel).__name__} is about other inputs")

    @property
    def method(self) -> str:
        """The name of the way it is kept."""
        return self.chosen.method

    def walk(self) -> Iterator[OperatorPlan]:
        """The plan and all plans below it, inputs first."""
        for each in self.inputs:
            yield from each.walk()
        yield self

    def kept(self) -> Iterator[OperatorPlan]:
        """The operators that are kept, inputs first; below a recomputed one there are none."""
        if self.method != RECOMPUTE:
            for each in self.inputs:
                yield from each.kept()
        yield self

    def state(self) -> tuple[KeptState, ...]:
        """All state that the kept operators take, each piece once, inputs first."""
        found: dict[str, KeptState] = {}
        for plan in self.kept():
            for each in plan.chosen.state:
                found.setdefault(each.arrangement.id, each)
        return tuple(found.values())


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """The plan of a view."""

    root: OperatorPlan
    """The part of the query whose rows are stored."""
    answer: Arrangement
    """The arrangement that holds them."""
    read: OperatorPlan
    """The answer over a scan of the stored rows: order, limit and projections of the root."""
    facts: Facts
    """The facts that the choice of methods relies on."""
    answer_only: bool = False
    """Nothing but the answer is kept."""
    by_price: bool = False
    """True if that is because it costs less, not because no part of the view takes in changes."""

    @property
    def inner_state(self) -> tuple[KeptState, ...]:
        """The state below the answer."""
        return () if self.answer_only else self.root.state()

    @property
    def arrangements(self) -> tuple[str, ...]:
        """The ids of all arrangements that are kept for the view."""
        inner = (each.arrangement.id for each in self.inner_state)
        return tuple(dict.fromkeys((self.answer.id, *inner)))

    @property
    def recomputed(self) -> tuple[OperatorPlan, ...]:
        """The operators that every run computes anew from all rows."""
        return tuple(each for each in self.root.kept() if each.chosen.recomputes is not None)

    def without_state(self) -> ViewPlan:
        """The plan of computing the answer anew in every run, because that costs less."""
        return replace(self, answer_only=True, by_price=True)
