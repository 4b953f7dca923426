"""JSON documents, read by DuckDB where Jackson, which Spark reads them with, sees the same.

Documents that DuckDB refuses are for Spark to judge, which is more lenient with some: it reads
quotes of the other kind and overlooks what is behind a document. DuckDB is more lenient with
others, which are refused here: commas behind the last member, NaN and infinity. Where a name
is there twice, engines choose differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from slackwater.compiler.duckdb.once import bound, once
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import duckdb_type, quoted, quoted_text
from slackwater.expr.nodes import Call, Literal
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    SMALLINT,
    STRING,
    TINYINT,
    DataType,
    Field,
    StructType,
)

_PATH = re.compile(r"\$(\.[A-Za-z_][A-Za-z0-9_]*)+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BLANKS = r"[ \t\n\r]*"
_OBJECT = rf"^{_BLANKS}\{{"
_LENIENT = rf"(?i),{_BLANKS}[}}\]]|[:,\[]{_BLANKS}[-+]?(nan|inf|infinity){_BLANKS}[,}}\]]"
_LONG_NUMBER = "[0-9]{300}"
_MOST_BYTES = 50_000
"""Jackson refuses names that are longer than this."""
_FEW_BYTES = 300
_MOST_BRACKETS = 1000
"""Jackson refuses documents that are nested more deeply."""
_PLAIN_DOUBLE = r"-?(0\.0|0\.00?[1-9][0-9]{0,11}|0\.[1-9][0-9]{0,11}|[1-9][0-9]{0,6}\.[0-9]{1,8})"
"""Doubles that Java writes like this: not by a power of ten, and with digits that all count."""
_REWRITTEN = r"[0-9][.eE]|\\|-0|[\x{10000}-\x{10FFFF}]"
"""Parts that Jackson may write in another way: numbers, escapes, characters of two halves."""
_ONLY_SPARK = "error('a document that only Spark knows')"
_WHOLE = "('UBIGINT', 'BIGINT')"
_AS_DOUBLE = "CAST({0} AS DOUBLE)"


def _get_object(call: Call, scope: Scope) -> str:
    """The text of what a path of names leads to; NULL if there is nothing."""
    document, path = call.args
    if document.dtype != STRING or not isinstance(path, Literal) or path.value is None:
        raise refused(call, "such a document or path")
    if not _PATH.fullmatch(path.value):
        raise refused(call, "a path of more than names")
    found = path.value

    def write(text: str) -> str:
        # A path of names leads nowhere but in an object, be the rest valid or not.
        other = f"{text} IS NULL OR NOT regexp_matches({text}, {quoted_text(_OBJECT)})"
        value = _value_at(text, found)
        return f"(CASE WHEN {other} THEN NULL {_when_unlike(text)} ELSE {value} END)"

    return once((document,), scope, write)


def _when_unlike(text: str) -> str:
    """The branch of a CASE for documents of which engines may think differently."""
    deep = f"strlen({text}) - strlen(translate({text}, '[{{', '')) > {_MOST_BRACKETS}"
    long = f"regexp_matches({text}, {quoted_text(_LONG_NUMBER)})"
    large = (
        f"strlen({text}) > {_FEW_BYTES} AND ({long} OR {deep} OR strlen({text}) > {_MOST_BYTES})"
    )
    lenient = f"regexp_matches({text}, {quoted_text(_LENIENT)})"
    return f"WHEN {lenient} OR ({large}) THEN {_ONLY_SPARK}"


def _value_at(text: str, path: str) -> str:
    """The value at a path as Spark writes it."""
    place = quoted_text(path)
    kind, value = f"json_type({text}, {place})", f"json_extract_string({text}, {place})"
    plain = f"regexp_full_match({value}, {quoted_text(_PLAIN_DOUBLE)})"
    rewritten = f"regexp_matches({value}, {quoted_text(_REWRITTEN)})"
    return (
        f"CASE WHEN {kind} IN ('VARCHAR', 'BOOLEAN', 'UBIGINT', 'BIGINT') THEN {value}"
        f" WHEN {kind} IS NULL OR {kind} = 'NULL' THEN {_nothing_at(text, path)}"
        f" WHEN {kind} = 'DOUBLE' AND {plain} THEN {value}"
        f" WHEN {kind} IN ('OBJECT', 'ARRAY') AND NOT {rewritten} THEN {value}"
        f" ELSE {_ONLY_SPARK} END"
    )


def _nothing_at(text: str, path: str) -> str:
    """NULL, unless a name of the path is there twice: Spark looks for it there too."""
    names = path.split(".")
    twice = []
    for depth in range(1, len(names)):
        parent = quoted_text(".".join(names[:depth]))
        keys = f"json_keys({text}, {parent})"
        twice.append(
            f"len(list_filter({keys}, lambda part: part = {quoted_text(names[depth])})) > 1"
        )
    return f"CASE WHEN {' OR '.join(twice)} THEN {_ONLY_SPARK} END"


def _from_json(call: Call, scope: Scope) -> str:
    """A document as a struct; one that is no object, or has values of other types, is Spark's."""
    (document,) = call.args
    dtype = call.dtype
    if document.dtype != STRING or not isinstance(dtype, StructType) or len(call.params) != 1:
        raise refused(call, "reading JSON like this")
    members = list(_members(call, dtype, "$"))
    listed = f"[{', '.join(quoted_text(path) for path, _ in members)}]"
    paths = [path for path, _ in members]

    def write(text: str) -> str:
        parsed = f"struct_pack(k := json_type({text}, {listed}), "
        parsed += f"v := json_extract_string({text}, {listed}))"
        body = bound("document", parsed, _struct(dtype, "$", paths, text))
        unlike = f"WHEN NOT regexp_matches({text}, {quoted_text(_OBJECT)}) THEN {_ONLY_SPARK}"
        null = f"CAST(NULL AS {duckdb_type(dtype)})"
        return (
            f"(CASE WHEN {text} IS NULL THEN {null} {unlike} {_when_unlike(text)} ELSE {body} END)"
        )

    return once((document,), scope, write)


def _members(call: Call, struct: StructType, path: str) -> Iterator[tuple[str, DataType]]:
    """The paths of all values in a struct, with their types."""
    names = [each.name for each in struct.fields]
    if not names or len({name.lower() for name in names}) < len(names):
        raise refused(call, "such names in JSON")
    for each in struct.fields:
        known = isinstance(each.dtype, StructType) or each.dtype in _READERS
        if not known or not _NAME.fullmatch(each.name):
            raise refused(call, "such a member of JSON")
        inner = f"{path}.{each.name}"
        yield inner, each.dtype
        if isinstance(each.dtype, StructType):
            yield from _members(call, each.dtype, inner)


def _struct(struct: StructType, path: str, paths: list[str], text: str) -> str:
    """A struct of the members of an object; what is there twice is Spark's to choose from."""
    members = (
        f"{quoted(each.name)} := {_member(each, f'{path}.{each.name}', paths, text)}"
        for each in struct.fields
    )
    keys = f"json_keys({text}, {quoted_text(path)})"
    twice = f"len({keys}) > len(list_distinct({keys}))"
    return f"CASE WHEN {twice} THEN {_ONLY_SPARK} ELSE struct_pack({', '.join(members)}) END"


def _member(field: Field, path: str, paths: list[str], text: str) -> str:
    place = paths.index(path) + 1
    kind, value = f"document.k[{place}]", f"document.v[{place}]"
    null = f"{kind} IS NULL OR {kind} = 'NULL'"
    if isinstance(field.dtype, StructType):
        kinds, read = "('OBJECT')", _struct(field.dtype, path, paths, text)
    else:
        kinds, read = _READERS[field.dtype]
        read = read.format(value)
    missing = f"CAST(NULL AS {duckdb_type(field.dtype)})"
    return (
        f"CASE WHEN {null} THEN {missing} WHEN {kind} IN {kinds} THEN {read} ELSE {_ONLY_SPARK} END"
    )


_READERS: Mapping[DataType, tuple[str, str]] = {
    STRING: ("('VARCHAR', 'BOOLEAN')", "{}"),
    BOOLEAN: ("('BOOLEAN')", "CAST({} AS BOOLEAN)"),
    TINYINT: (_WHOLE, "CAST({} AS TINYINT)"),
    SMALLINT: (_WHOLE, "CAST({} AS SMALLINT)"),
    INTEGER: (_WHOLE, "CAST({} AS INTEGER)"),
    BIGINT: (_WHOLE, "CAST({} AS BIGINT)"),
    DOUBLE: (
        "('UBIGINT', 'BIGINT', 'DOUBLE')",
        f"CASE WHEN isfinite({_AS_DOUBLE}) THEN {_AS_DOUBLE} ELSE {_ONLY_SPARK} END",
    ),
}
"""The kinds of JSON values that become a type, and how."""

FORMS: Mapping[str, Form] = {
    "get_json_object": _get_object,
    "from_json": _from_json,
}
