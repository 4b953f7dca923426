"""The text form as a tree: what was written and where, before it is known what it means."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import Span
from slackwater.linalg.dims import Dim
from slackwater.linalg.matrix_program import InputKind
from slackwater.linalg.models import Model


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A matrix by its name."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Negated:
    """Minus something."""

    child: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Turned:
    """Something with a prime."""

    child: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Combined:
    """Two things with + - * or / between them."""

    operator: str
    left: Node
    right: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Inverted:
    """`inv(...)`."""

    child: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Constant:
    """`eye(n)` or `zeros(n, p)`."""

    sizes: tuple[Dim, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Blocks:
    """`[A, B; C, D]`: rows of blocks."""

    rows: tuple[tuple[Node, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Powers:
    """`powers(A, k, model)` or `power_sum(A, k, model)`."""

    base: Node
    count: int
    model: Model | None
    summed: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Iterated:
    """`iterate(T = A * T + B, k, from T0, model)`."""

    variable: str
    step: Node
    count: int
    start: Node | None
    model: Model | None
    span: Span


Node = (
    Number | Name | Negated | Turned | Combined | Inverted | Constant | Blocks | Powers | Iterated
)


@dataclass(frozen=True, slots=True)
class InputLine:
    """`input A(n, p) kind;`."""

    name: str
    rows: Dim
    cols: Dim
    kind: InputKind
    span: Span


@dataclass(frozen=True, slots=True)
class SizeLine:
    """`size n = 500;`."""

    name: str
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class StatementLine:
    """`B := A * A;`."""

    name: str
    value: Node
    span: Span


@dataclass(frozen=True, slots=True)
class OutputLine:
    """`output B, C;`."""

    names: tuple[str, ...]
    span: Span


Line = InputLine | SizeLine | StatementLine | OutputLine
