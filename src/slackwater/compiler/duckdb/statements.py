"""Statements for DuckDB: their text, and what an engine must know to execute it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from slackwater.algebra.operators import Scan
from slackwater.algebra.rel import walk_rel
from slackwater.compiler.duckdb.direct import Direct, HashedColumns, peel_hashes, read_direct
from slackwater.compiler.duckdb.few.pipelines import Pipeline, compile_statement
from slackwater.compiler.duckdb.printer import DuckdbPrinter
from slackwater.compiler.duckdb.texts import DECODING
from slackwater.compiler.duckdb.types import Columns, NotLocalError, duckdb_type
from slackwater.expr.nodes import Call, walk
from slackwater.plan.statements import Statement
from slackwater.types import VOID

Part = tuple[str, Statement]
"""A statement that others read by its name."""


@dataclass(frozen=True, slots=True)
class DuckdbStatement:
    """A statement for DuckDB."""

    sql: str
    columns: Columns
    """The columns of its result, with Spark's types."""
    makes_rows: bool
    """True if there may be rows even where no frame has any."""
    reads: Mapping[str, frozenset[str]]
    """The columns it needs of each frame."""
    direct: Direct | None
    """The statement in a form that needs no engine, if it has one."""
    decodes: bool
    """True if it looks at the characters of texts, which must then be valid."""
    suffix: str = ""
    """The end of the names of frames in its text."""
    hashes: tuple[tuple[str, HashedColumns], ...] = ()
    """Columns that the text leaves out: hashes of others, computed from its result."""
    few: Pipeline | None = field(default=None, compare=False, repr=False)
    """The statement in a form for a few rows, if it has one."""


def print_duckdb(
    statement: Statement, parts: tuple[Part, ...] = (), suffix: str = ""
) -> DuckdbStatement:
    """The statement for DuckDB; raises NotLocalError if its meaning is only Spark's.

    `parts` are statements that it reads by name instead of frames; each may read earlier ones.
    In its text the names of frames end with the suffix, so that an engine that keeps statements
    can tell the tables of each apart.

    >>> from slackwater.algebra.columns import Column
    >>> from slackwater.expr.nodes import ColumnId
    >>> from slackwater.types import BIGINT
    >>> scan = Scan("changes", (Column(ColumnId(1), "k0", BIGINT),))
    >>> print_duckdb(Statement(scan, ("k1",))).sql
    'SELECT t1."k0" AS "k1" FROM "changes" AS t1'
    """
    try:
        return _print(statement, parts, suffix)
    except (ValueError, RecursionError) as problem:
        # A form that nobody thought of, such as a function with more arguments; Spark knows it.
        raise NotLocalError(f"a statement of this form: {problem}") from problem


def _print(statement: Statement, parts: tuple[Part, ...], suffix: str) -> DuckdbStatement:
    columns = _result_columns(statement)
    direct = None if parts else read_direct(statement)
    few = None if direct is not None else compile_statement(statement, parts)
    statement, hashes = peel_hashes(statement)
    printer = DuckdbPrinter(suffix)
    named = [printer.part(name, part) for name, part in parts]
    prefix = f"WITH {', '.join(named)} " if named else ""
    statements = (statement, *(part for _, part in parts))
    return DuckdbStatement(
        sql=prefix + printer.statement(statement),
        columns=columns,
        makes_rows=any(each.makes_rows for each in statements),
        reads=_reads(statements, {name for name, _ in parts}),
        direct=direct,
        decodes=any(map(_decodes, statements)),
        suffix=suffix,
        hashes=hashes,
        few=few,
    )


def _result_columns(statement: Statement) -> Columns:
    """The result's columns; one of nothing but NULLs has no type that state could hold."""
    columns = {field.name: field.dtype for field in statement.fields}
    for name, dtype in columns.items():
        if dtype == VOID:
            raise NotLocalError(f"a column {name} of nothing but NULLs")
        duckdb_type(dtype)
    return columns


def _reads(statements: Iterable[Statement], parts: Iterable[str]) -> dict[str, frozenset[str]]:
    """The columns that the scans of statements name, by frame."""
    found: dict[str, frozenset[str]] = {}
    for statement in statements:
        for each in walk_rel(statement.rel):
            if isinstance(each, Scan) and each.source not in parts:
                names = frozenset(column.name for column in each.columns)
                found[each.source] = found.get(each.source, frozenset()) | names
    return found


def _decodes(statement: Statement) -> bool:
    return any(
        isinstance(node, Call) and node.function in DECODING
        for each in walk_rel(statement.rel)
        for expr in each.expressions
        for node in walk(expr)
    )
