"""Reads the declaration of one source in `slackwater.yml`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import yaml

from slackwater.project.project_files import OnMissing, SourceDeclaration
from slackwater.project.yaml_nodes import Entry
from slackwater.sources.file_columns import FileFormat
from slackwater.sources.folder_connector import FolderConnector
from slackwater.sources.folders import WatchedFolder

SOURCE_KEYS = (
    "schema",
    "key",
    "append_only",
    "on_missing",
    "path",
    "format",
    "pattern",
    "op",
    "options",
)
_OPERATIONS = ("insert", "delete", "upsert")


def read_source(name: str, entry: Entry) -> SourceDeclaration:
    """The source that an entry declares; paths are relative to the spec file."""
    values = entry.mapping(SOURCE_KEYS)
    folder = _watched_folder(name, entry, values)
    schema = _schema(values.get("schema"))
    if schema is None and (folder is None or folder.file_format is not FileFormat.PARQUET):
        hint = "Add `schema: id BIGINT NOT NULL, name STRING`; only Parquet files know theirs."
        raise entry.refuse(f"source {name} has no schema", hint)
    declaration = SourceDeclaration(
        name=name,
        schema=schema,
        key=values["key"].texts() if "key" in values else (),
        append_only="append_only" in values and values["append_only"].flag(),
        on_missing=OnMissing(_choice(values.get("on_missing"), OnMissing) or OnMissing.ERROR),
        connector=None if folder is None else FolderConnector(folder),
        file=entry.file,
        line=entry.line,
    )
    _check_operation(declaration, entry)
    return declaration


def _watched_folder(name: str, entry: Entry, values: Mapping[str, Entry]) -> WatchedFolder | None:
    """The folder that the source watches, if it has a path."""
    chosen = _choice(values.get("format"), FileFormat)
    if "path" not in values:
        _refuse_without_path(name, values)
        return None
    if chosen is None:
        hint = f"Add `format: {'`, `'.join(FileFormat)}`."
        raise entry.refuse(f"source {name} has a path but no format", hint)
    return WatchedFolder(
        entry.file.parent / Path(values["path"].text()).expanduser(),
        FileFormat(chosen),
        _choice(values.get("op"), _OPERATIONS),
        values["pattern"].text() if "pattern" in values else None,
        _options(values.get("options")),
    )


def _refuse_without_path(name: str, values: Mapping[str, Entry]) -> None:
    for key in ("format", "pattern", "op", "options"):
        if key in values:
            hint = "Add `path: FOLDER`, or leave the key out if programs ingest the rows."
            raise values[key].refuse(f"source {name} has a {key} but no path", hint)


def _check_operation(source: SourceDeclaration, entry: Entry) -> None:
    op = None if source.connector is None else source.connector.op
    if op == "upsert" and not source.key:
        hint = "Add `key: COLUMN`: it says which row an upsert replaces."
        raise entry.refuse(f"source {source.name} upserts without a key", hint)
    if source.append_only and op in ("upsert", "delete"):
        what = f"source {source.name} is append-only and its files {op}"
        raise entry.refuse(what, "Drop append_only or the op.")


def _choice(
    entry: Entry | None, choices: tuple[str, ...] | type[OnMissing] | type[FileFormat]
) -> str | None:
    return None if entry is None else entry.choice([str(each) for each in choices])


def _schema(entry: Entry | None) -> str | None:
    """The columns as DDL; they may be written as one text or as `name: TYPE` lines."""
    if entry is None:
        return None
    if not isinstance(entry.node, yaml.MappingNode):
        return entry.text()
    columns = entry.mapping()
    return ", ".join(
        f"`{name.replace('`', '``')}` {column.text()}" for name, column in columns.items()
    )


def _options(entry: Entry | None) -> Mapping[str, str]:
    if entry is None:
        return MappingProxyType({})
    # A separator may be a blank or a tab, which no other text may.
    values = entry.mapping()
    return MappingProxyType(
        {
            key: str(value.node.value) if isinstance(value.node, yaml.ScalarNode) else value.text()
            for key, value in values.items()
        }
    )
