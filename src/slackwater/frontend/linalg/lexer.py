"""Cuts the text form into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from slackwater.errors import MatrixError, Span


class TokenKind(Enum):
    """The kinds of tokens."""

    NAME = "a name"
    NUMBER = "a number"
    SYMBOL = "a symbol"
    END = "the end of the program"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, and where it stands."""

    kind: TokenKind
    text: str
    span: Span


_PATTERN = re.compile(
    r"(?P<blank>\s+|[%#][^\n]*)"
    r"|(?P<NAME>[A-Za-z_]\w*)"
    r"|(?P<NUMBER>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<SYMBOL>:=|[-+*/'()\[\],;=])"
)


def tokenize(text: str) -> list[Token]:
    """All tokens, and one for the end; comments begin with % or #.

    >>> [token.text for token in tokenize("B := 2 * A'; % twice")]
    ['B', ':=', '2', '*', 'A', "'", ';', '']
    """
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        found = _PATTERN.match(text, place)
        if found is None:
            raise MatrixError(
                f"{text[place]!r} has no meaning here",
                where=Span(text, place, place + 1),
                hint="Matrices are combined with + - * and ', numbers with + - * and /.",
            )
        if found.lastgroup and found.lastgroup != "blank":
            kind = TokenKind[found.lastgroup]
            tokens.append(Token(kind, found.group(), Span(text, place, found.end())))
        place = found.end()
    end = len(text.rstrip())
    return [*tokens, Token(TokenKind.END, "", Span(text, end, end))]
