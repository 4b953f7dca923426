"""Reads the text form into a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from slackwater.errors import MatrixError, Span
from slackwater.frontend.linalg.lexer import Token, TokenKind, tokenize
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
from slackwater.linalg.dims import Dim, dim
from slackwater.linalg.matrix_program import InputKind
from slackwater.linalg.models import Exponential, Linear, Model, Skip

_KINDS = {"symmetric": InputKind.SYMMETRIC, "rows": InputKind.ROWS}


def parse_lines(text: str) -> list[Line]:
    """All lines of a program, in order."""
    parser = _Parser(text)
    lines: list[Line] = []
    while not parser.at_end:
        lines.append(parser.line())
    return lines


class _Parser:
    """Reads tokens from left to right; every method takes what it returns."""

    def __init__(self, text: str):
        self._text = text
        self._tokens = tokenize(text)
        self._place = 0
        self._calls: dict[str, Callable[[int], Node]] = {
            "inv": self._inverse,
            "eye": lambda start: self._constant(start, 1),
            "zeros": lambda start: self._constant(start, 2),
            "powers": lambda start: self._powers(start, summed=False),
            "power_sum": lambda start: self._powers(start, summed=True),
            "iterate": self._iterate,
        }

    @property
    def at_end(self) -> bool:
        """True if nothing is left."""
        return self._next.kind is TokenKind.END

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def line(self) -> Line:
        """A declaration or a statement."""
        first = self._name("a statement, as B := A * A;")
        start, word = first.span.start, first.text
        line: Line
        if self._sees(":="):
            self._take(":=")
            line = StatementLine(word, self._sum(), self._since(start))
        elif word == "input":
            line = self._input(start)
        elif word == "output":
            line = OutputLine(tuple(self._names()), self._since(start))
        elif word == "size":
            line = self._size(start)
        else:
            self._fail("':=' was expected", "A statement reads B := A * A;")
        self._take(";", "Every statement ends with a semicolon.")
        return line

    def _input(self, start: int) -> InputLine:
        name = self._name("the input's name").text
        self._take("(", "An input has a shape: input A(n, n);")
        rows = self._dim()
        self._take(",", "A shape has rows and columns: input A(n, n);")
        cols = self._dim()
        self._take(")")
        kind = InputKind.MATRIX
        if self._next.kind is TokenKind.NAME:
            if self._next.text not in _KINDS:
                self._fail(f"an input cannot be {self._next.text}", "It can be symmetric or rows.")
            kind = _KINDS[self._advance().text]
        return InputLine(name, rows, cols, kind, self._since(start))

    def _size(self, start: int) -> SizeLine:
        name = self._name("the name of a size").text
        self._take("=", "A size reads: size n = 500;")
        return SizeLine(name, self._whole(), self._since(start))

    def _names(self) -> list[str]:
        names = [self._name("the name of an output").text]
        while self._sees(","):
            self._take(",")
            names.append(self._name("the name of an output").text)
        return names

    def _dim(self) -> Dim:
        total = self._dim_term()
        while self._sees("+"):
            self._take("+")
            total += self._dim_term()
        return total

    def _dim_term(self) -> Dim:
        if self._next.kind is TokenKind.NAME:
            return dim(self._advance().text)
        place, count = self._place, self._whole()
        if not self._sees("*"):
            if count == 0:
                self._place = place
                self._fail("a matrix cannot have 0 rows or columns", "Sizes begin at 1.")
            return dim(count)
        self._take("*")
        return Dim(0, ((self._name("the name of a size").text, count),))

    def _sum(self) -> Node:
        start = self._next.span.start
        made = self._product()
        while self._sees("+") or self._sees("-"):
            operator = self._advance().text
            made = Combined(operator, made, self._product(), self._since(start))
        return made

    def _product(self) -> Node:
        start = self._next.span.start
        made = self._factor()
        while self._sees("*") or self._sees("/"):
            operator = self._advance().text
            made = Combined(operator, made, self._factor(), self._since(start))
        return made

    def _factor(self) -> Node:
        start = self._next.span.start
        if self._sees("-"):
            self._take("-")
            return Negated(self._factor(), self._since(start))
        made = self._atom()
        while self._sees("'"):
            self._take("'")
            made = Turned(made, self._since(start))
        return made

    def _atom(self) -> Node:
        token = self._next
        start = token.span.start
        if token.kind is TokenKind.NUMBER:
            return Number(float(self._advance().text), token.span)
        if token.kind is TokenKind.NAME:
            self._advance()
            return self._call(token) if self._sees("(") else Name(token.text, token.span)
        if self._sees("("):
            self._take("(")
            made = self._sum()
            self._take(")", "A bracket was opened before and not closed.")
            return made
        if not self._sees("["):
            self._fail("a matrix or a number was expected", None)
        return self._blocks(start)

    def _call(self, name: Token) -> Node:
        if name.text not in self._calls:
            raise MatrixError(
                f"there is no function {name.text}",
                where=name.span,
                hint=f"There are {', '.join(self._calls)}.",
            )
        self._take("(")
        made = self._calls[name.text](name.span.start)
        self._take(")", "The call was not closed.")
        return replace(made, span=self._since(name.span.start))

    def _inverse(self, start: int) -> Node:
        return Inverted(self._sum(), self._since(start))

    def _constant(self, start: int, count: int) -> Node:
        sizes = [self._dim()]
        for _ in range(count - 1):
            self._take(",", "zeros has rows and columns: zeros(n, p).")
            sizes.append(self._dim())
        return Constant(tuple(sizes), self._since(start))

    def _powers(self, start: int, *, summed: bool) -> Node:
        base = self._sum()
        self._take(",", "Write how many: powers(A, 16).")
        count = self._whole()
        return Powers(base, count, self._model(), summed, self._since(start))

    def _iterate(self, start: int) -> Node:
        variable = self._name("the matrix that is iterated").text
        self._take("=", "A step reads iterate(T = A * T + B, 16).")
        step = self._sum()
        self._take(",", "Write how often: iterate(T = A * T + B, 16).")
        count, first = self._whole(), None
        if self._sees(",") and self._tokens[self._place + 1].text == "from":
            self._place += 2
            first = self._sum()
        return Iterated(variable, step, count, first, self._model(), self._since(start))

    def _model(self) -> Model | None:
        if not self._sees(","):
            return None
        self._take(",")
        match self._name("linear, exponential or skip(s)"):
            case Token(text="linear"):
                return Linear()
            case Token(text="exponential"):
                return Exponential()
            case Token(text="skip"):
                self._take("(")
                size = self._whole()
                self._take(")")
                return Skip(size)
            case other:
                raise MatrixError(
                    f"there is no model {other.text}",
                    where=other.span,
                    hint="There are linear, exponential and skip(s).",
                )

    def _blocks(self, start: int) -> Node:
        self._take("[")
        rows = [[self._sum()]]
        while not self._sees("]"):
            if self._sees(";"):
                self._take(";")
                rows.append([self._sum()])
            else:
                self._take(",", "Blocks are separated by , and rows of them by ;.")
                rows[-1].append(self._sum())
        self._take("]")
        return Blocks(tuple(tuple(row) for row in rows), self._since(start))

    def _whole(self) -> int:
        token = self._next
        if token.kind is not TokenKind.NUMBER or not token.text.isdecimal():
            self._fail("a whole number was expected", None)
        return int(self._advance().text)

    def _name(self, what: str) -> Token:
        if self._next.kind is not TokenKind.NAME:
            self._fail(f"{what} was expected", None)
        return self._advance()

    def _sees(self, symbol: str) -> bool:
        return self._next.kind is TokenKind.SYMBOL and self._next.text == symbol

    def _take(self, symbol: str, hint: str | None = None) -> Token:
        if not self._sees(symbol):
            self._fail(f"{symbol!r} was expected", hint)
        return self._advance()

    def _advance(self) -> Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def _since(self, start: int) -> Span:
        return Span(self._text, start, self._tokens[self._place - 1].span.stop)

    def _fail(self, what: str, hint: str | None) -> NoReturn:
        token = self._next
        found = token.kind.value if token.kind is TokenKind.END else repr(token.text)
        raise MatrixError(f"{what}, found {found}", where=token.span, hint=hint)
