"""Reads the views that an SQL file defines, in the syntax of Spark Declarative Pipelines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

from slackwater.errors import Span, SqlError
from slackwater.project.project_files import ViewFile
from slackwater.project.sql_tokens import Kind, Token, tokenize
from slackwater.project.view_properties import check_properties

_FORM = "Write CREATE MATERIALIZED VIEW name AS SELECT ...;"
_REFUSED_CLAUSES = {
    "USING": "Slackwater keeps views in its own storage",
    "PARTITIONED": "Slackwater chooses how views are laid out",
    "CLUSTER": "Slackwater chooses how views are laid out",
    "CLUSTERED": "Slackwater chooses how views are laid out",
    "LOCATION": "Slackwater keeps views in its own storage",
    "OPTIONS": "Slackwater keeps views in its own storage",
    "STORED": "Slackwater keeps views in its own storage",
    "SCHEDULE": "`slackwater refresh` says when views are refreshed",
}


def read_sql_file(path: Path) -> tuple[ViewFile, ...]:
    """The views of a file, in order; anything else in it is refused with its place."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise SqlError(
            "the file is not UTF-8 text",
            where=f"{path}, byte {problem.start}",
            hint="Save the file as UTF-8.",
        ) from None
    return parse_views(text, path)


def parse_views(text: str, path: Path) -> tuple[ViewFile, ...]:
    """The views that a text defines; `path` names it in messages."""
    try:
        return tuple(_View(text, path, tokens).read() for tokens in _statements(tokenize(text)))
    except SqlError as problem:
        raise _located(problem, path) from None


def _statements(tokens: list[Token]) -> Iterator[list[Token]]:
    statement: list[Token] = []
    for token in tokens:
        if token.text == ";" and token.kind is Kind.SIGN:
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _located(problem: SqlError, path: Path) -> SqlError:
    """The same error with the name of the file before the place in it."""
    where = problem.where
    place = where.render() if isinstance(where, Span) else where
    return SqlError(problem.what, where=f"{path}, {place}", hint=problem.hint)


class _View:
    """Reads one statement from its tokens, from left to right."""

    def __init__(self, text: str, path: Path, tokens: list[Token]):
        self._text, self._path, self._tokens = text, path, tokens
        self._at = 0

    def read(self) -> ViewFile:
        start = self._tokens[0].start
        self._header()
        name = self._name()
        comment: str | None = None
        properties: dict[str, str] = {}
        while not self._takes("AS"):
            token = self._next("AS and a query")
            if token.is_word("COMMENT"):
                comment = self._string("a comment")
            elif token.is_word("TBLPROPERTIES"):
                properties = self._properties()
            else:
                raise self._unexpected(token)
        sql = self._query()
        line = self._text.count("\n", 0, start) + 1
        return ViewFile(name, sql, comment, MappingProxyType(properties), self._path, line)

    def _header(self) -> None:
        first = self._tokens[0]
        if not self._takes("CREATE"):
            raise self._refused(first, f"{first.text} is not a view's definition", _FORM)
        if self._takes("OR"):
            self._expect("REPLACE")
        if not self._takes("MATERIALIZED"):
            kind = self._next("MATERIALIZED VIEW")
            what = f"CREATE {kind.text.upper()} is not supported"
            raise self._refused(kind, what, _hint_for(kind))
        self._expect("VIEW")
        if self._takes("IF"):
            self._expect("NOT")
            self._expect("EXISTS")

    def _name(self) -> str:
        token = self._next("the view's name")
        if token.kind not in (Kind.WORD, Kind.NAME) or token.is_word("AS"):
            raise self._refused(token, "the view has no name", _FORM)
        if self._sees("."):
            hint = "Leave the qualifiers out; catalog and database stand in slackwater.yml."
            raise self._refused(token, "the view's name is qualified", hint)
        return token.value

    def _properties(self) -> dict[str, str]:
        opening = self._expect("(")
        found: dict[str, str] = {}
        while True:
            key = self._property_key()
            self._takes("=")
            if key in found:
                raise self._refused(opening, f"property {key} is given twice", "Remove one.")
            found[key] = self._next("a value").value
            if self._takes(")"):
                break
            self._expect(",")
        try:
            check_properties(found)
        except ValueError as problem:
            hint = "docs/reference/project.md lists the properties of a view."
            raise self._refused(opening, str(problem), hint) from None
        return found

    def _property_key(self) -> str:
        key = self._next("a property").value
        while self._takes("."):
            key += "." + self._next("the rest of the property's name").value
        return key

    def _query(self) -> str:
        first = self._next("a query")
        return self._text[first.start : self._tokens[-1].stop]

    def _string(self, wanted: str) -> str:
        token = self._next(wanted)
        if token.kind is not Kind.STRING:
            raise self._refused(token, f"{token.text} is not {wanted} in quotes", "Add quotes.")
        return token.value

    def _unexpected(self, token: Token) -> SqlError:
        reason = _REFUSED_CLAUSES.get(token.text.upper())
        if reason is not None:
            what = f"the view has a clause {token.text.upper()}"
            return self._refused(token, what, f"Leave the clause out: {reason}.")
        if token.text == "(":
            what = "the view lists its columns"
            return self._refused(token, what, "Name the columns in the query, with AS.")
        return self._refused(token, f"{token.text} is not expected here", _FORM)

    def _next(self, wanted: str) -> Token:
        if self._at == len(self._tokens):
            last = self._tokens[-1]
            raise self._refused(last, f"the statement ends where {wanted} should follow", _FORM)
        self._at += 1
        return self._tokens[self._at - 1]

    def _sees(self, text: str) -> bool:
        left = self._tokens[self._at :]
        return (
            bool(left) and left[0].kind in (Kind.WORD, Kind.SIGN) and left[0].text.upper() == text
        )

    def _takes(self, text: str) -> bool:
        seen = self._sees(text)
        self._at += seen
        return seen

    def _expect(self, text: str) -> Token:
        token = self._next(text)
        if token.text.upper() != text:
            raise self._refused(token, f"{text} should stand here, not {token.text}", _FORM)
        return token

    def _refused(self, token: Token, what: str, hint: str) -> SqlError:
        return SqlError(what, where=Span(self._text, token.start, token.stop), hint=hint)


def _hint_for(kind: Token) -> str:
    if kind.is_word("STREAMING", "FLOW"):
        return "Materialized views are kept up to date incrementally here; write one instead."
    if kind.is_word("TEMPORARY", "TEMP", "VIEW", "GLOBAL"):
        return "Make it a MATERIALIZED VIEW, or a WITH clause of the query that needs it."
    return _FORM
