"""The text form: from text to a program.

>>> print(parse_program("input A(n, n);  B := A * A';  C := inv(B + 0.5 * eye(n));"))
input A(n, n);
B := A * A';
C := inv(B + 0.5 * eye(n));
output C;
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, assert_never

from slackwater.errors import MatrixError, Span
from slackwater.frontend.linalg.matrices import default_outputs
from slackwater.frontend.linalg.parser import parse_lines
from slackwater.frontend.linalg.recurrence import recurrence
from slackwater.frontend.linalg.syntax import (
    Blocks,
    Combined,
    Constant,
    InputLine,
    Inverted,
    Iterated,
    Line,
    Name,
    Negated,
    Node,
    Number,
    OutputLine,
    Powers,
    SizeLine,
    StatementLine,
    Turned,
)
from slackwater.linalg import build
from slackwater.linalg.dims import Dim, Shape
from slackwater.linalg.matrix_nodes import Expr, Identity, Power, PowerSum, Ref, Zeros
from slackwater.linalg.matrix_program import Input, Program, Statement

_Made = TypeVar("_Made")


def parse_program(text: str) -> Program:
    """The program that a text describes; without `output`, what no other statement reads."""
    reading = _Reading()
    for line in parse_lines(text):
        reading.add(line)
    outputs = reading.outputs or default_outputs(reading.statements)
    return _at(
        Span(text, 0, len(text.rstrip())),
        lambda: Program(tuple(reading.inputs), tuple(reading.statements), outputs),
    )


class _Reading:
    """The declarations and statements so far."""

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.statements: list[Statement] = []
        self.outputs: tuple[str, ...] = ()
        self._sizes: dict[str, int] = {}
        self._known: dict[str, Ref] = {}

    def add(self, line: Line) -> None:
        """Take one more line."""
        match line:
            case SizeLine(name, value):
                self._sizes[name] = value
            case InputLine():
                size = Shape(self._dim(line.rows), self._dim(line.cols))
                self.inputs.append(_at(line.span, lambda: Input(line.name, size, line.kind)))
                self._define(self.inputs[-1].ref, line.span)
            case StatementLine(name, value, span):
                matrix = self._matrix(value)
                self.statements.append(_at(span, lambda: Statement(name, matrix)))
                self._define(self.statements[-1].ref, span)
                # A mistake of this statement is shown here, not at the end of the program.
                _at(span, lambda: Program(tuple(self.inputs), tuple(self.statements), (name,)))
            case OutputLine(names):
                self.outputs += names
            case _:
                assert_never(line)

    def _define(self, ref: Ref, span: Span) -> None:
        if ref.name in self._known:
            raise MatrixError(
                f"{ref.name} is defined twice", where=span, hint="Give it a name of its own."
            )
        self._known[ref.name] = ref

    def _dim(self, size: Dim) -> Dim:
        return size.bind(self._sizes)

    def _matrix(self, node: Node) -> Expr:
        value = self._value(node)
        if isinstance(value, float):
            raise MatrixError(
                "a matrix was expected, not a number", where=node.span, hint="Write 2 * eye(n)."
            )
        return value

    def _value(self, node: Node) -> Expr | float:
        match node:
            case Number(value):
                return value
            case Name(name, span):
                return self._named(name, span)
            case Negated(child):
                inner = self._value(child)
                return -inner if isinstance(inner, float) else build.scaled(-1.0, inner)
            case Combined():
                return self._combined(node)
            case Turned(child):
                return build.transposed(self._matrix(child))
            case Inverted(child, span):
                inside = self._matrix(child)
                return _at(span, lambda: build.inverse(inside))
            case Constant(sizes):
                dims = [self._dim(each) for each in sizes]
                return Identity(dims[0]) if len(dims) == 1 else Zeros(Shape(*dims))
            case Blocks(rows, span):
                parts = [[self._matrix(each) for each in row] for row in rows]
                return _at(span, lambda: build.above(*(build.beside(*row) for row in parts)))
            case Powers() | Iterated():
                return self._iteration(node)
            case _:
                assert_never(node)

    def _named(self, name: str, span: Span) -> Expr:
        if name not in self._known:
            raise MatrixError(
                f"{name} is not defined",
                where=span,
                hint=f"Known here: {', '.join(self._known) or 'nothing'}. "
                "Declare inputs as input A(n, n);",
            )
        return self._known[name]

    def _combined(self, node: Combined) -> Expr | float:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(left, float) and isinstance(right, float):
            return _arithmetic(node, left, right)
        if node.operator in "*/" and isinstance(right, float) and not isinstance(left, float):
            factor = right if node.operator == "*" else _arithmetic(node, 1.0, right)
            return _at(node.span, lambda: build.scaled(factor, left))
        if node.operator == "*" and isinstance(left, float) and not isinstance(right, float):
            return _at(node.span, lambda: build.scaled(left, right))
        if isinstance(left, float) or isinstance(right, float) or node.operator == "/":
            raise MatrixError(
                f"{node.operator!r} does not go with a number and a matrix",
                where=node.span,
                hint="Write A + 2 * eye(n) to add to the diagonal, inv(A) to divide.",
            )
        make = {"+": build.added, "-": build.subtracted, "*": build.product}[node.operator]
        return _at(node.span, lambda: make(left, right))

    def _iteration(self, node: Powers | Iterated) -> Expr:
        if isinstance(node, Powers):
            base, form = self._matrix(node.base), PowerSum if node.summed else Power
            return _at(node.span, lambda: form(base, node.count, node.model))
        start = self._start(node)
        variable = Ref(node.variable, start.shape)
        outside = self._known
        self._known = {**outside, variable.name: variable}
        step = self._matrix(node.step)
        self._known = outside
        return _at(node.span, lambda: recurrence(step, variable, start, node.count, node.model))

    def _start(self, node: Iterated) -> Expr:
        """Where an iteration starts: from zeros of the shape of what each step adds."""
        if node.start is not None:
            return self._matrix(node.start)
        for term in _terms(node.step):
            if node.variable not in _names(term):
                return Zeros(self._matrix(term).shape)
        raise MatrixError(
            "nothing says where the iteration starts",
            where=node.span,
            hint=f"Add where from: iterate({node.variable} = ..., {node.count}, from T0).",
        )


def _terms(node: Node) -> list[Node]:
    """The summands of a sum."""
    if isinstance(node, Combined) and node.operator in "+-":
        return [*_terms(node.left), *_terms(node.right)]
    return [node]


def _names(node: Node) -> set[str]:
    """The names of matrices that are read."""
    match node:
        case Name(name):
            return {name}
        case Number() | Constant():
            return set()
        case Negated(child) | Turned(child) | Inverted(child) | Powers(child):
            return _names(child)
        case Combined(_, left, right):
            return _names(left) | _names(right)
        case Blocks(rows):
            return {name for row in rows for each in row for name in _names(each)}
        case Iterated(variable, step, _, start):
            return (_names(step) - {variable}) | (_names(start) if start else set())
        case _:
            assert_never(node)


def _arithmetic(node: Combined, left: float, right: float) -> float:
    if node.operator == "/" and right == 0:
        raise MatrixError("cannot divide by zero", where=node.right.span)
    results = {"+": left + right, "-": left - right, "*": left * right}
    return left / right if node.operator == "/" else results[node.operator]


def _at(span: Span, make: Callable[[], _Made]) -> _Made:
    """Call `make`; its errors are shown at a place in the text."""
    try:
        return make()
    except MatrixError as error:
        raise type(error)(error.what, where=span, hint=error.hint) from None
