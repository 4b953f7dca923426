"""Regular expressions of Java's that mean the same in RE2, which DuckDB searches with.

Known are literals, classes of characters, groups, alternatives, quantifiers and the two ends of
the text. Of those, this writes a pattern of RE2; all others are left to Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.compiler.duckdb.once import once
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import quoted_text
from slackwater.expr.nodes import Call, Expr, Literal
from slackwater.types import INTEGER, STRING

_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_ESCAPED = _SPECIAL | {"-"}
_CLASSES = {"d": "0-9", "w": "a-zA-Z_0-9", "s": r" \t\n\x0B\f\r"}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_LINE_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
"""The characters that end a line in Java: `.` matches none of them, `$` also before the last."""
_MOST_REPEATED = 100
_MOST_GROUPS = 9


class UnlikeError(ValueError):
    """A pattern that may mean something else in RE2."""


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern of RE2, and what is known of its matches."""

    text: str
    may_be_empty: bool
    groups: int = 0
    """Parts in parentheses whose matches are kept."""
    at_end: bool = False
    """True if it has a `$`, which Java also finds before a last line end."""


def plain_text(pattern: str) -> str | None:
    """The only text that a pattern matches; None if it matches several or none.

    >>> plain_text("a\\\\|b"), plain_text("a|b")
    ('a|b', None)
    """
    found, place = "", 0
    while place < len(pattern):
        character = pattern[place]
        if character == "\\":
            place += 1
            character = pattern[place : place + 1]
            if not _is_punctuation(character):
                return None
        elif character in _SPECIAL:
            return None
        found += character
        place += 1
    return found


def read_regex(pattern: str) -> Regex:
    """The pattern for RE2; raises UnlikeError if it may mean something else there.

    >>> read_regex("ref=r([0-9]+)").text
    'ref=r([0-9]+)'
    """
    reader = _Reader(pattern)
    found = reader.alternatives(outermost=True)
    if not reader.is_done:
        raise UnlikeError("a parenthesis that closes nothing")
    return found


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0

    @property
    def is_done(self) -> bool:
        """Tell if nothing is left."""
        return self._place == len(self._pattern)

    def alternatives(self, *, outermost: bool = False) -> Regex:
        """Sequences between `|`, up to the end or a closing parenthesis."""
        parts = [self._sequence(outermost)]
        while self._takes("|"):
            parts.append(self._sequence(outermost))
        return Regex(
            "|".join(part.text for part in parts),
            any(part.may_be_empty for part in parts),
            sum(part.groups for part in parts),
            any(part.at_end for part in parts),
        )

    def _sequence(self, outermost: bool) -> Regex:
        text, empty, groups, at_end = "", True, 0, False
        if outermost and self._takes("^"):
            text = "^"
        while not self.is_done and self._next not in "|)" and not at_end:
            if outermost and self._takes("$"):
                text, at_end = text + r"\z", True
                continue
            part = self._quantified(self._atom())
            text, groups = text + part.text, groups + part.groups
            empty = empty and part.may_be_empty
        if not self.is_done and self._next not in "|)":
            raise UnlikeError("something behind the end")
        return Regex(text, empty, groups, at_end)

    def _atom(self) -> Regex:
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return Regex(self._class(), False)
        if character == ".":
            return Regex(f"[^{_LINE_ENDS}]", False)
        if character == "\\":
            return Regex(self._escape(), False)
        if character in _SPECIAL:
            raise UnlikeError(f"such a use of {character}")
        return Regex(_literal(character), False)

    def _group(self) -> Regex:
        kept = not self._takes("?")
        if not kept and not self._takes(":"):
            raise UnlikeError("such a group")
        inner = self.alternatives()
        if not self._takes(")"):
            raise UnlikeError("a group without an end")
        text = f"({inner.text})" if kept else f"(?:{inner.text})"
        return Regex(text, inner.may_be_empty, inner.groups + kept)

    def _quantified(self, atom: Regex) -> Regex:
        if self.is_done or self._next not in "*+?{":
            return atom
        # Engines disagree on what is kept of repetitions of nothing, and of groups in groups.
        if atom.may_be_empty or (atom.groups and atom.text[:2] == "(?") or atom.groups > 1:
            raise UnlikeError("such a repetition")
        sign = self._take()
        least = 1 if sign == "+" else 0
        if sign == "{":
            sign, least = self._counts()
        if self._takes("?"):
            sign += "?"
        if not self.is_done and self._next in "*+?{":
            raise UnlikeError("a repetition of a repetition")
        return Regex(atom.text + sign, least == 0, atom.groups)

    def _counts(self) -> tuple[str, int]:
        end = self._pattern.find("}", self._place)
        least, comma, most = self._pattern[self._place : max(end, self._place)].partition(",")
        numbers = [int(each) for each in (least, most) if each.isascii() and each.isdecimal()]
        if len(numbers) != 1 + bool(most) or not least or max(numbers) > _MOST_REPEATED:
            raise UnlikeError("such a number of repetitions")
        if numbers != sorted(numbers):
            raise UnlikeError("such a number of repetitions")
        self._place = end + 1
        return f"{{{least}{comma}{most}}}", numbers[0]

    def _escape(self) -> str:
        character = self._take()
        if character.lower() in _CLASSES:
            sign = "^" if character.isupper() else ""
            return f"[{sign}{_CLASSES[character.lower()]}]"
        return _literal(self._escaped(character))

    def _escaped(self, character: str) -> str:
        """The character that an escape stands for."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if not _is_punctuation(character):
            raise UnlikeError(f"an escape of {character}")
        return character

    def _class(self) -> str:
        text = "[^" if self._takes("^") else "["
        first = True
        while not self._takes("]"):
            text += self._members(first)
            first = False
        if first:
            raise UnlikeError("a class of no characters")
        return f"{text}]"

    def _members(self, first: bool) -> str:
        """A character, several of a kind, or all between two."""
        character = self._take()
        if character == "\\":
            character = self._take()
            if character in _CLASSES:
                return _CLASSES[character]
            character = self._escaped(character)
        elif character in "[&^" or (character == "-" and not (first or self._next == "]")):
            raise UnlikeError(f"such a use of {character} in a class")
        if self._pattern[self._place : self._place + 1] != "-" or self._pattern[
            self._place + 1 : self._place + 2
        ] in ("]", ""):
            return _literal(character)
        self._take()
        last = self._take()
        if last == "\\":
            last = self._escaped(self._take())
        elif last in "[&^":
            raise UnlikeError(f"such a use of {last} in a class")
        if last < character:
            raise UnlikeError("a range that ends before it begins")
        return f"{_literal(character)}-{_literal(last)}"

    @property
    def _next(self) -> str:
        return self._pattern[self._place : self._place + 1]

    def _take(self) -> str:
        if self.is_done:
            raise UnlikeError("a pattern that ends too early")
        self._place += 1
        return self._pattern[self._place - 1]

    def _takes(self, character: str) -> bool:
        if self._next != character:
            return False
        self._place += 1
        return True


def _is_punctuation(character: str) -> bool:
    plain = character.isascii() and character.isprintable() and not character.isalnum()
    return plain and bool(character)


def _literal(character: str) -> str:
    if character == "\x00":
        raise UnlikeError("the character NUL")
    if not character.isprintable() and character.isascii():
        return f"\\x{{{ord(character):X}}}"
    return f"\\{character}" if character in _ESCAPED else character


def _searched(call: Call, scope: Scope, pattern: Expr, form: str) -> str:
    """A form of a text and a pattern; refused if engines may see different matches."""
    regex = _regex(call, pattern)

    def write(text: str) -> str:
        found = form.format(text=text, pattern=quoted_text(regex.text))
        if not regex.at_end:
            return found
        # Java's `$` also matches before a line end that is the last of the text.
        line_end = quoted_text(rf"[{_LINE_ENDS}]\z")
        problem = f"regexp_matches({text}, {line_end})"
        return f"(CASE WHEN {problem} THEN error('a line end') ELSE {found} END)"

    return once(call.args[:1], scope, write)


def _regex(call: Call, pattern: Expr) -> Regex:
    if call.args[0].dtype != STRING or pattern.dtype != STRING:
        raise refused(call, f"{call.function} of something else than texts")
    if not isinstance(pattern, Literal) or pattern.value is None:
        raise refused(call, "a pattern that is computed")
    try:
        return read_regex(pattern.value)
    except UnlikeError as problem:
        raise refused(call, f"a pattern with {problem}") from problem


def _rlike(call: Call, scope: Scope) -> str:
    return _searched(call, scope, call.args[1], "regexp_matches({text}, {pattern})")


def _extract(call: Call, scope: Scope) -> str:
    """The text that a group matched first; an empty text if nothing did."""
    _, pattern, group = call.args
    number = _number(group)
    if number is None or number > min(_regex(call, pattern).groups, _MOST_GROUPS):
        raise refused(call, "such a group of a pattern")
    found = f"regexp_extract({{text}}, {{pattern}}, {number})"
    return _searched(call, scope, pattern, f"CASE WHEN {{text}} IS NOT NULL THEN {found} END")


def _replace_all(call: Call, scope: Scope) -> str:
    """All matches replaced; engines disagree on which matches of nothing there are."""
    _, pattern, new, start = call.args
    regex = _regex(call, pattern)
    if regex.may_be_empty or _number(start) != 1:
        raise refused(call, "such matches to replace")
    if not isinstance(new, Literal) or new.dtype != STRING or new.value is None:
        raise refused(call, "a replacement that is computed")
    # Both engines name groups in it, each in its own way.
    if {"\\", "$", "\x00"} & set(new.value):
        raise refused(call, "such a replacement")
    text = quoted_text(new.value).replace("{", "{{").replace("}", "}}")
    return _searched(call, scope, pattern, f"regexp_replace({{text}}, {{pattern}}, {text}, 'g')")


def _number(expr: Expr) -> int | None:
    written = isinstance(expr, Literal) and expr.dtype == INTEGER and expr.value is not None
    return int(expr.value or 0) if written and isinstance(expr, Literal) else None


FORMS: Mapping[str, Form] = {
    "rlike": _rlike,
    "regexp_extract": _extract,
    "regexp_replace": _replace_all,
}
