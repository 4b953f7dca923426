"""The base of lowerings, and the builder that they ask while they write statements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, UnaryRel
from slackwater.compiler.lowering.transient_rows import has_transient_rows
from slackwater.expr.properties import may_raise
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.frames import WEIGHT, Frame, Fresh, positions, read_rows
from slackwater.plan.view_plan import Alternative
from slackwater.plan.weighted import consolidated, read_changes


class Builder(Protocol):
    """Collects the steps of a program; lowerings call it."""

    def delta(self, rel: Rel) -> Frame | None:
        """The frame with the changes of a relation in this run; None if it cannot change."""

    def rows(self, rel: Rel) -> Frame:
        """The frame with all rows of a relation after this run, unweighted."""

    def scan_delta(self, scan: Scan) -> Frame | None:
        """The frame with what a source, or a view, received."""

    def scan_rows(self, scan: Scan) -> Frame:
        """The frame with all rows of a source or view."""

    def fragment_rows(self, rel: Recompute) -> Frame:
        """The frame with all rows of a part that Spark runs itself."""

    def touched(self, rel: Rel) -> bool:
        """Tell if a source below the relation has changes."""

    def behind(self, scan: Scan) -> Rel | None:
        """The relation whose changes, as its method finds them, a scan reads; None if none is."""

    def chosen(self, rel: Rel) -> Alternative:
        """The way in which a relation is kept."""

    def compute(self, rel: Rel, part: str, tree: Rel, names: tuple[str, ...]) -> Frame:
        """A frame made by a statement; `part` names it among those of the relation."""

    def look_up(self, rel: Rel, part: str, frame: Frame, arrangement: Arrangement) -> Frame:
        """The frame's rows with the state rows they hit: its columns, s0, ..., _sw."""

    def look_up_nested(self, rel: Rel, part: str, frame: Frame, arrangement: Arrangement) -> Frame:
        """The frame's rows, each with an array of the state rows of equal hash."""

    def gather(self, rel: Rel, part: str, frame: Frame, arrangement: Arrangement) -> Frame:
        """All rows under the hashes of the frame, with weights before and after."""

    def state_rows(
        self, rel: Rel, part: str, arrangement: Arrangement, beside: Frame | None = None
    ) -> Frame:
        """The rows of an arrangement before this run; may be empty if the frame `beside` is."""

    def append(self, arrangement: Arrangement, frame: Frame) -> None:
        """Add changes (k0, ..., _w) to an arrangement."""


R = TypeVar("R", bound=Rel)


class Lowering(ABC, Generic[R]):
    """Turns the changes of an operator's inputs into the changes of its output."""

    @abstractmethod
    def delta(self, rel: R, builder: Builder) -> Frame | None:
        """The frame with the operator's changes; None if nothing can have changed."""

    def rows(self, rel: R, builder: Builder) -> Frame:
        """The frame with all of the operator's rows, computed from scratch."""
        inputs = tuple(read_rows(each, builder.rows(each)) for each in rel.inputs)
        return builder.compute(rel, "rows", rel.with_inputs(inputs), positions(rel))

    def state_rows(self, rel: R, builder: Builder) -> Frame:
        """The rows that fill the operator's own state; by default those of the operator."""
        return builder.rows(rel)


def compute_changes(rel: Rel, part: str, tree: Rel, builder: Builder) -> Frame:
    """A frame with changes of a relation; the tree's columns are the relation's, then a weight."""
    return builder.compute(rel, part, tree, (*positions(rel), WEIGHT))


def settled(rel: Rel, builder: Builder) -> Frame | None:
    """The changes of a relation, added up first if some of them might only cancel out."""
    changes = builder.delta(rel)
    if changes is None or not has_transient_rows(rel, builder):
        return changes
    fresh = Fresh(rel)
    net = consolidated(read_changes(rel, changes, fresh), fresh, first=True)
    return compute_changes(rel, "settled", net, builder)


def settled_changes(rel: UnaryRel, builder: Builder) -> Frame | None:
    """The changes of an operator's input, settled if its expressions might fail on some."""
    if any(map(may_raise, rel.expressions)):
        return settled(rel.input, builder)
    return builder.delta(rel.input)
