"""The formats a watched folder may hold, and the columns of a file before Spark reads it."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import DataError


class FileFormat(StrEnum):
    """How the files of a folder are written."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"
    """One object a line."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of such files end."""
        return _SUFFIXES[self]


_UNREADABLE = (
    pa.ArrowException,
    csv.Error,
    zlib.error,
    EOFError,
    LookupError,
    OSError,
    RecursionError,
    ValueError,
)

_SUFFIXES = {
    FileFormat.PARQUET: (".parquet",),
    FileFormat.CSV: (".csv", ".csv.gz"),
    FileFormat.JSON: (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz"),
}


def file_columns(
    file: Path, file_format: FileFormat, options: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The names of a file's columns, each with its type where the format knows it.

    A CSV file names its columns in its first line, and has none without it. Of a JSON file they
    are those that its first object names, which may be none: what is NULL is left out there.
    """
    try:
        return _READERS[file_format](file, options)
    except _UNREADABLE as problem:
        raise DataError(
            f"the file is not readable {file_format.upper()}: {_first_line(problem)}",
            where=str(file),
            hint="Remove the file from the folder or write it again.",
        ) from None


def _parquet_columns(file: Path, _options: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((field.name, str(field.type)) for field in pq.read_schema(file))


def _csv_columns(file: Path, options: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    separator = options.get("sep", options.get("delimiter", ","))
    if len(separator) != 1:
        raise ValueError(f"the separator {separator!r} is not one character")
    quote = options.get("quote", '"')
    if len(quote) > 1:
        raise ValueError(f"the quote {quote!r} is not one character")
    with _open_text(file, options) as lines:
        if quote:
            rows = csv.reader(lines, delimiter=separator, quotechar=quote)
        else:  # To Spark an empty quote says that nothing is quoted.
            rows = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
        header = next((row for row in rows if row), [])
    return tuple((name.strip(), "") for name in header)


def _json_columns(file: Path, options: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    with _open_text(file, options) as lines:
        first = next((line for line in lines if line.strip()), "{}")
    value: Any = json.loads(first)
    if not isinstance(value, dict):
        raise ValueError("the first line is not an object; write one object a line")
    return tuple((name, "") for name in value)


_READERS = {
    FileFormat.PARQUET: _parquet_columns,
    FileFormat.CSV: _csv_columns,
    FileFormat.JSON: _json_columns,
}


@contextmanager
def _open_text(file: Path, options: Mapping[str, str]) -> Iterator[TextIO]:
    encoding = options.get("encoding", "utf-8-sig")
    if file.suffix == ".gz":
        with gzip.open(file, "rt", encoding=encoding, newline="") as packed:
            yield cast("TextIO", packed)
    else:
        with file.open(encoding=encoding, newline="") as plain:
            yield plain


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).splitlines()), type(problem).__name__)
