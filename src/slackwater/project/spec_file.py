"""Reads `slackwater.yml`: the keys of Spark Declarative Pipelines, and Slackwater's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from slackwater.errors import SetupError
from slackwater.plan.forms import Engine
from slackwater.project.project_files import SourceDeclaration, Windows
from slackwater.project.quantities import parse_bytes, parse_duration
from slackwater.project.source_entries import read_source
from slackwater.project.yaml_nodes import Entry, read_yaml
from slackwater.state.metadata.collect import Retention
from slackwater.state.metadata.database import read_address

SPEC_FILE = "slackwater.yml"

SPEC_KEYS = (
    "name",
    "storage",
    "catalog",
    "database",
    "configuration",
    "libraries",
    "sources",
    "retention",
    "metadata",
    "windows",
    "budget",
    "engine",
)
_DEFAULT_STORAGE = ".slackwater"
_DEFAULT_LIBRARY = "transformations/**/*.sql"

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Library:
    """A pattern below the project folder whose SQL files belong to the project."""

    pattern: str
    place: str


@dataclass(frozen=True, slots=True)
class Spec:
    """The contents of the spec file, with paths made absolute."""

    name: str
    storage: Path
    catalog: str | None
    database: str | None
    configuration: MappingProxyType[str, str]
    libraries: tuple[Library, ...]
    sources: tuple[SourceDeclaration, ...]
    retention: Retention
    metadata: str | None = field(repr=False)
    windows: Windows
    budget: int | None
    engine: Engine


def read_spec(file: Path) -> Spec:
    """The spec in a file; whatever is wrong in it is refused with its line."""
    root = read_yaml(file)
    entries = root.mapping(SPEC_KEYS)
    if "name" not in entries:
        raise root.refuse("the project has no name", "Add a line `name: ...`.")
    return Spec(
        name=entries["name"].text(),
        storage=_storage(entries.get("storage"), file.parent),
        catalog=_optional_text(entries.get("catalog")),
        database=_optional_text(entries.get("database")),
        configuration=_texts_by_key(entries.get("configuration")),
        libraries=_libraries(entries.get("libraries"), file),
        sources=_sources(entries.get("sources")),
        retention=_retention(entries.get("retention")),
        metadata=_metadata(entries.get("metadata"), file.parent),
        windows=_windows(entries.get("windows")),
        budget=_budget(entries.get("budget")),
        engine=_engine(entries.get("engine")),
    )


def _optional_text(entry: Entry | None) -> str | None:
    return None if entry is None else entry.text()


def _storage(entry: Entry | None, folder: Path) -> Path:
    """The folder of all state; the users of Spark's pipelines write it as a file URI."""
    if entry is None:
        return folder / _DEFAULT_STORAGE
    text = entry.text()
    parts = urlsplit(text)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if "://" in text:
        hint = "State lives on a file system all workers share; write a path or file:///path."
        raise entry.refuse(f"storage cannot be {text}", hint)
    return folder / Path(text).expanduser()


def _texts_by_key(entry: Entry | None) -> MappingProxyType[str, str]:
    values = {} if entry is None else entry.mapping()
    return MappingProxyType({key: value.text() for key, value in values.items()})


def _libraries(entry: Entry | None, file: Path) -> tuple[Library, ...]:
    if entry is None:
        return (Library(_DEFAULT_LIBRARY, str(file)),)
    return tuple(_library(item) for item in entry.entries())


def _library(item: Entry) -> Library:
    """One of `glob: {include: PATTERN}`, `file: PATH` and `folder: PATH`."""
    parts = item.mapping(("glob", "file", "folder"))
    if len(parts) != 1:
        raise item.refuse("a library is one of glob, file and folder", "Write one of the three.")
    [(kind, value)] = parts.items()
    if kind == "glob":
        include = value.mapping(("include",)).get("include")
        if include is None:
            raise value.refuse("the glob includes nothing", "Write `include: PATTERN` below it.")
        kind, value = "file", include
    pattern = value.text()
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        hint = "Write a path below the project's folder."
        raise value.refuse(f"{pattern} is not inside the project", hint)
    where = f"{value.file}, line {value.line}"
    return Library(f"{pattern.rstrip('/')}/**/*.sql" if kind == "folder" else pattern, where)


def _sources(entry: Entry | None) -> tuple[SourceDeclaration, ...]:
    values = {} if entry is None else entry.mapping()
    return tuple(read_source(name, value) for name, value in values.items())


def _retention(entry: Entry | None) -> Retention:
    values = {} if entry is None else entry.mapping(("commits", "age", "history"))
    kept = Retention()
    if "commits" in values:
        kept = replace(kept, commits=_count(values["commits"], "commits", 0))
    if "history" in values:
        kept = replace(kept, history=_count(values["history"], "commits", 0))
    return _aged(kept, values["age"]) if "age" in values else kept


def _aged(retention: Retention, entry: Entry) -> Retention:
    seconds = _quantity(entry, parse_duration)
    try:
        return replace(retention, age=timedelta(seconds=seconds))
    except (SetupError, OverflowError):
        hint = "Write an age of up to a hundred years."
        raise entry.refuse(f"age: commits cannot stay for {entry.text()}", hint) from None


def _metadata(entry: Entry | None, folder: Path) -> str | None:
    """The address of the metadata's database; it may hold a password, so no message shows it."""
    if entry is None:
        return None
    try:
        url = read_address(entry.text())
    except SetupError as problem:
        raise entry.refuse(problem.what, str(problem.hint)) from None
    if url.get_backend_name() == "sqlite":
        url = url.set(database=str(folder / str(url.database)))
    return url.render_as_string(hide_password=False)


def _windows(entry: Entry | None) -> Windows:
    values = {} if entry is None else entry.mapping(("every", "rows"))
    if entry is not None and len(values) > 1:
        raise entry.refuse("a window ends by time or by rows, not both", "Keep one of them.")
    if "every" in values:
        return Windows(every=_quantity(values["every"], parse_duration))
    if "rows" in values:
        return Windows(rows=_count(values["rows"], "rows", 1))
    return Windows()


def _budget(entry: Entry | None) -> int | None:
    return None if entry is None else _quantity(entry, parse_bytes)


def _engine(entry: Entry | None) -> Engine:
    return Engine.AUTO if entry is None else Engine(entry.choice(list(Engine)))


def _count(entry: Entry, of: str, least: int) -> int:
    text = entry.text()
    if not text.isdecimal() or int(text) < least:
        raise entry.refuse(f"{text!r} is not a number of {of}", f"Write {least} or more.")
    return int(text)


def _quantity(entry: Entry, parse: Callable[[str], Value]) -> Value:
    try:
        return parse(entry.text())
    except ValueError as problem:
        what, _, hint = str(problem).partition("; ")
        raise entry.refuse(f"{entry.name}: {what}", f"{hint.capitalize()}.") from None
