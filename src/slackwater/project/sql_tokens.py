"""Splits Spark SQL text into its tokens: what is a string or a comment holds no semicolons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from slackwater.errors import Span, SqlError

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+)
  | (?P<line_comment>--(?:\\\n|[^\n])*)
  | (?P<comment>/\*)
  | (?P<raw>(?<!\w)[rR](?:'[^']*'|"[^"]*"))
  | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
  | (?P<name>`(?:[^`]|``)*`)
  | (?P<word>\w+)
  | (?P<unclosed>['"`])
  | (?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")


class Kind(Enum):
    """The kinds of tokens."""

    WORD = auto()
    NAME = auto()
    """An identifier in backticks."""
    STRING = auto()
    SIGN = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its place in the text."""

    kind: Kind
    text: str
    start: int
    stop: int

    def is_word(self, *words: str) -> bool:
        """Tell if it is one of some keywords, in whatever case."""
        return self.kind is Kind.WORD and self.text.upper() in words

    @property
    def value(self) -> str:
        """The identifier or the content of the string, without quotes and escapes."""
        if self.kind is Kind.NAME:
            return self.text[1:-1].replace("``", "`")
        if self.kind is not Kind.STRING:
            return self.text
        if self.text[0] in "rR":
            return self.text[2:-1]
        quote, inner = self.text[0], self.text[1:-1]
        return re.sub(r"\\(.)", _unescaped, inner.replace(quote * 2, quote), flags=re.DOTALL)


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text, without blanks and comments; an open quote or comment is refused."""
    tokens: list[Token] = []
    position = 0
    while match := _TOKEN.match(sql, position):
        position = match.end()
        match match.lastgroup:
            case "comment":
                position = _comment_end(sql, match.start())
            case "unclosed":
                raise _open(sql, match.start(), f"a quote {match[0]} is not closed")
            case "word" | "name" | "sign" | "string" | "raw" as group:
                tokens.append(Token(_KINDS[group], match[0], match.start(), match.end()))
    return tokens


_KINDS = {
    "word": Kind.WORD,
    "name": Kind.NAME,
    "sign": Kind.SIGN,
    "string": Kind.STRING,
    "raw": Kind.STRING,
}


def _comment_end(sql: str, start: int) -> int:
    """The end of a bracketed comment; such comments may be nested."""
    depth, position = 1, start + 2
    while depth:
        mark = _COMMENT_MARK.search(sql, position)
        if mark is None:
            raise _open(sql, start, "a comment /* is not closed")
        depth += 1 if mark[0] == "/*" else -1
        position = mark.end()
    return position


def _unescaped(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}.get(match[1], match[1])


def _open(sql: str, start: int, what: str) -> SqlError:
    return SqlError(what, where=Span(sql, start, start + 1), hint="Close it before the file ends.")
