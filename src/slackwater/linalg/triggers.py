"""Trigger programs: what to do when an input changes, as typed steps over matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.errors import InvariantError
from slackwater.linalg.build import transposed
from slackwater.linalg.dims import Dim, Shape
from slackwater.linalg.matrix_nodes import Expr, Identity, Ref, names_read
from slackwater.linalg.matrix_program import Program


@dataclass(frozen=True, slots=True)
class Change:
    """An input changes by `left` times the transpose of `right`."""

    input: Ref
    left: Ref
    right: Ref

    def __post_init__(self) -> None:
        """The factors span the input."""
        rank = self.left.shape.cols
        wanted = (Shape(self.input.shape.rows, rank), Shape(self.input.shape.cols, rank))
        if (self.left.shape, self.right.shape) != wanted:
            raise InvariantError(f"the factors of {self.input.name} do not fit it")

    @property
    def rank(self) -> Dim:
        """The number of columns of the factors."""
        return self.left.shape.cols


@dataclass(frozen=True, slots=True)
class MatricesChanged:
    """One or several inputs change at once."""

    changes: tuple[Change, ...]

    @property
    def names(self) -> frozenset[str]:
        """The inputs that change."""
        return frozenset(each.input.name for each in self.changes)


@dataclass(frozen=True, slots=True)
class RowsChanged:
    """Rows come into a bag, or leave it where their weight is negative."""

    bag: str
    rows: tuple[tuple[Ref, Ref], ...]
    """Each input of the bag with its changed rows."""
    weights: tuple[Ref, Ref]
    """The input that holds weights, with the weights of the changed rows."""

    @property
    def names(self) -> frozenset[str]:
        """The inputs that change."""
        return frozenset(each.name for each, _ in (*self.rows, self.weights))

    @property
    def count(self) -> Dim:
        """The number of rows that change."""
        return self.weights[1].shape.rows


Event = MatricesChanged | RowsChanged


@dataclass(frozen=True, slots=True)
class Assign:
    """A factor gets its value."""

    target: Ref
    value: Expr


@dataclass(frozen=True, slots=True)
class Guard:
    """The target becomes the inverse of a small matrix, unless that is nearly singular.

    Then neither the target nor anything that needs it has a value, and the matrices whose
    deltas cannot be computed are evaluated anew.
    """

    target: Ref
    value: Expr


@dataclass(frozen=True, slots=True)
class Compress:
    """A product of factors becomes one of as few columns as its numbers allow."""

    left: Ref
    right: Ref
    made_left: Ref
    made_right: Ref


@dataclass(frozen=True, slots=True)
class Apply:
    """A kept matrix grows by `left` times the transpose of `right`."""

    view: Ref
    left: Expr
    right: Expr

    @property
    def rank(self) -> Dim:
        """The number of columns of the factors."""
        return self.left.shape.cols

    @property
    def whole(self) -> Expr | None:
        """The change as one matrix, if one of the factors is an identity."""
        if isinstance(self.right, Identity):
            return self.left
        return transposed(self.right) if isinstance(self.left, Identity) else None


@dataclass(frozen=True, slots=True)
class Append:
    """An input of a bag gets more rows."""

    input: Ref
    rows: Ref


@dataclass(frozen=True, slots=True)
class Reevaluate:
    """A matrix is evaluated anew from its statement, after all others have changed."""

    view: Ref
    reason: str


Step = Assign | Guard | Compress | Apply | Append | Reevaluate


@dataclass(frozen=True, slots=True)
class Trigger:
    """The steps that an event asks for, in order; all factors are computed from old values."""

    event: Event
    steps: tuple[Step, ...]

    @property
    def ranks(self) -> Mapping[str, Dim]:
        """The rank by which each matrix changes."""
        return {each.view.name: each.rank for each in self.steps if isinstance(each, Apply)}

    @property
    def reads(self) -> frozenset[str]:
        """The names that its factors are computed from."""
        values = (each.value for each in self.steps if isinstance(each, Assign | Guard))
        return frozenset(name for value in values for name in names_read(value))

    @property
    def reevaluated(self) -> tuple[Reevaluate, ...]:
        """The matrices that are evaluated anew on every such event."""
        return tuple(each for each in self.steps if isinstance(each, Reevaluate))


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A program in plain statements, its triggers, and the matrices that must be kept."""

    program: Program
    triggers: tuple[Trigger, ...]
    kept: frozenset[str]

    def __post_init__(self) -> None:
        """No trigger reads what is not kept."""
        statements = self.program.definitions.keys()
        for trigger in self.triggers:
            missing = (trigger.reads & statements) - self.kept
            if missing or set(self.program.outputs) - self.kept:
                raise InvariantError(f"a trigger reads {sorted(missing)}, which nobody keeps")

    def trigger(self, names: frozenset[str]) -> Trigger | None:
        """The trigger for changes of exactly these inputs, if there is one."""
        return next((each for each in self.triggers if each.event.names == names), None)
