"""Reads YAML so that every value knows the line it stands on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from slackwater.errors import CatalogError

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of a YAML file, what it is called there, and where it stands."""

    file: Path
    name: str
    node: yaml.Node

    @property
    def line(self) -> int:
        """The one-based line the value begins on."""
        return int(self.node.start_mark.line) + 1

    @property
    def empty(self) -> bool:
        """Tell if nothing is written after the colon."""
        return bool(self.node.tag == _TAG + "null")

    def refuse(self, what: str, hint: str) -> CatalogError:
        """The error that says what is wrong with this value."""
        return CatalogError(what, where=f"{self.file}, line {self.line}", hint=hint)

    def text(self) -> str:
        """The value as text, as it is written."""
        if not isinstance(self.node, yaml.ScalarNode) or self.empty or not self.node.value.strip():
            raise self.refuse(f"{self.name} must be a text", f"Write `{self.name}: ...`.")
        return str(self.node.value)

    def choice(self, choices: Iterable[str]) -> str:
        """The value, which must be one of a few."""
        allowed, value = list(choices), self.text()
        if value not in allowed:
            what = f"{self.name} is {value!r}"
            raise self.refuse(what, f"Write {' or '.join(allowed)}.{_close(value, allowed)}")
        return value

    def flag(self) -> bool:
        """The value as true or false."""
        if self.node.tag != _TAG + "bool":
            raise self.refuse(f"{self.name} must be true or false", "Write true or false.")
        return str(self.node.value).lower() in ("true", "yes", "on")

    def texts(self) -> tuple[str, ...]:
        """A list of texts; one alone needs no brackets."""
        if isinstance(self.node, yaml.SequenceNode):
            return tuple(each.text() for each in self.entries())
        return (self.text(),)

    def entries(self) -> list[Entry]:
        """The items of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.refuse(f"{self.name} must be a list", "Write each item after a dash.")
        return [Entry(self.file, f"an item of {self.name}", item) for item in self.node.value]

    def mapping(self, known: Iterable[str] | None = None) -> dict[str, Entry]:
        """The values of a mapping by their keys, which must be among the known ones if given."""
        if self.empty:
            return {}
        if not isinstance(self.node, yaml.MappingNode):
            raise self.refuse(f"{self.name} must have keys and values", "Write `key: value` lines.")
        found: dict[str, Entry] = {}
        allowed = None if known is None else list(known)
        for key, value in self.node.value:
            name = Entry(self.file, f"a key of {self.name}", key)
            text = name.text()
            if text in found:
                raise name.refuse(f"{text} is given twice in {self.name}", "Remove one of them.")
            if allowed is not None and text not in allowed:
                hint = f"The keys are {', '.join(allowed)}.{_close(text, allowed)}"
                raise name.refuse(f"{self.name} has no key {text}", hint)
            found[text] = Entry(self.file, text, value)
        return found


def read_yaml(file: Path) -> Entry:
    """The file's content as one entry; what is not YAML is refused with its line."""
    try:
        node = yaml.compose(file.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        raise CatalogError(
            f"the file is not YAML: {problem.problem or problem.context}",
            where=f"{file}{line}",
            hint="Check the indentation and the quotes around that line.",
        ) from None
    except (yaml.YAMLError, UnicodeError) as problem:
        what = f"the file is not UTF-8 YAML: {next(iter(str(problem).splitlines()), '')}"
        raise CatalogError(what, where=str(file), hint="Save the file as UTF-8 text.") from None
    if node is None:
        raise CatalogError("the file is empty", where=str(file), hint="Start with `name: ...`.")
    return Entry(file, file.name, node)


def _close(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f" Did you mean {close[0]}?" if close else ""
