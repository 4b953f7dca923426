"""The corpus: one SQL query a file, each with a header that says what it is there to test.

Every method of computing a view is compared with plain Spark on these queries, so the
header is checked strictly: a file that cannot be read as meant is an error, never skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slackwater.errors import CatalogError

DATA_SETS: Final = ("tpch", "adversarial", "finance")
"""The data sets a query can ask for; each is written by a generator of this package."""

_REQUIRED_KEYS: Final = ("title", "data", "covers")
_KNOWN_KEYS: Final = (*_REQUIRED_KEYS, "order")
_HEADER_LINE: Final = re.compile(r"--\s*(?P<key>\w+):\s*(?P<value>.*?)\s*$")
_TAG: Final = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class CorpusQuery:
    """One query: `covers` holds its tags, `ordered` says that row order is part of the answer."""

    name: str
    title: str
    data: str
    covers: frozenset[str]
    ordered: bool
    sql: str
    path: Path


def load_corpus(folder: Path) -> tuple[CorpusQuery, ...]:
    """Read every `.sql` file below `folder`, sorted by name.

    A name is the file's path below the folder without its suffix, such as `joins/full_using`.
    """
    paths = sorted(folder.rglob("*.sql"))
    if not paths:
        raise CatalogError(
            "the corpus has no queries",
            where=str(folder),
            hint="Name a folder that holds .sql files.",
        )
    queries = (_load_query(folder, path) for path in paths)
    return tuple(sorted(queries, key=lambda query: query.name))


def _load_query(folder: Path, path: Path) -> CorpusQuery:
    """Parse one file, refusing it when its header or its SQL is not complete."""
    header, sql = _split_header(path)
    return CorpusQuery(
        name=path.relative_to(folder).with_suffix("").as_posix(),
        title=header["title"],
        data=_parse_data(header["data"], path),
        covers=_parse_covers(header["covers"], path),
        ordered=_parse_order(header.get("order"), path),
        sql=_parse_sql(sql, path),
        path=path,
    )


def _split_header(path: Path) -> tuple[dict[str, str], str]:
    """Separate the leading `-- key: value` lines from the SQL below them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header: dict[str, str] = {}
    for position, line in enumerate(lines):
        match = _HEADER_LINE.match(line)
        if match is None:
            return _checked_header(header, path), "\n".join(lines[position:])
        key = match["key"]
        if key not in _KNOWN_KEYS or key in header:
            raise _malformed(path, f"its header line {key!r} is unknown or given twice")
        header[key] = match["value"]
    raise _malformed(path, "it has no SQL below its header")


def _checked_header(header: dict[str, str], path: Path) -> dict[str, str]:
    """The header itself, once every key it must have has a value."""
    missing = [key for key in _REQUIRED_KEYS if not header.get(key)]
    if missing:
        raise _malformed(path, f"its header lacks: {', '.join(missing)}")
    return header


def _parse_data(value: str, path: Path) -> str:
    """The name of a data set that a generator can write."""
    if value not in DATA_SETS:
        raise _malformed(path, f"its data set {value!r} is not one of {', '.join(DATA_SETS)}")
    return value


def _parse_covers(value: str, path: Path) -> frozenset[str]:
    """The tags between the commas; each must be one lower-case word and stand there once."""
    tags = [tag.strip() for tag in value.split(",")]
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise _malformed(path, f"its tag {tag!r} is not a lower-case word")
    if len(set(tags)) != len(tags):
        raise _malformed(path, "it names a tag twice")
    return frozenset(tags)


def _parse_order(value: str | None, path: Path) -> bool:
    """Tell if the order is total; without the line the answer is a bag of rows."""
    if value not in (None, "total"):
        raise _malformed(path, f"its order is {value!r}, which is not 'total'")
    return value == "total"


def _parse_sql(text: str, path: Path) -> str:
    """The statement alone: one query, without a semicolon at its end."""
    sql = text.strip()
    if not sql:
        raise _malformed(path, "it has no SQL below its header")
    if sql.endswith(";"):
        raise _malformed(path, "its SQL ends with a semicolon")
    return sql


def _malformed(path: Path, reason: str) -> CatalogError:
    """The one error of this module, with the file and the way to mend it."""
    return CatalogError(
        f"the query file is malformed: {reason}",
        where=str(path),
        hint="Write '-- title:', '-- data:' and '-- covers:' lines, then the SQL.",
    )
