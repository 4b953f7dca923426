"""Translates whole statements: the SELECTs that rules write, for DuckDB, with their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from slackwater.runtime.local.direct import Direct, read_direct
from slackwater.runtime.local.forms import (
    Scope,
    Typed,
    cast,
    comparable,
    quoted,
    together,
    translate,
)
from slackwater.runtime.local.types import Columns, NotLocalError, duckdb_type, is_simple, wider
from slackwater.types import BIGINT, BOOLEAN, VOID, DataType


@dataclass(frozen=True, slots=True)
class Translated:
    """A statement for DuckDB.

    `columns` are its result's, with Spark's types; `reads` names the columns it needs of each
    table. `makes_rows` says that there may be rows even where no table has any.
    """

    sql: str
    columns: Columns
    makes_rows: bool
    reads: Mapping[str, frozenset[str]]
    direct: Direct | None
    """The statement in a form that needs no engine, if it has one."""


def translate_statement(sql: str, tables: Mapping[str, Columns]) -> Translated:
    """A statement over tables for DuckDB; raises NotLocalError if its meaning is only Spark's."""
    given = tuple((name, tuple(columns.items())) for name, columns in tables.items())
    found = _translate(sql, given)
    if isinstance(found, NotLocalError):
        raise found
    return found


@lru_cache(maxsize=4096)
def _translate(
    sql: str, tables: tuple[tuple[str, tuple[tuple[str, DataType], ...]], ...]
) -> Translated | NotLocalError:
    try:
        return _parsed(sql, {name: dict(columns) for name, columns in tables})
    except NotLocalError as problem:
        return problem


def _parsed(sql: str, tables: Mapping[str, Columns]) -> Translated:
    try:
        # This dialect is Spark's with ANSI mode: it tells CAST from TRY_CAST.
        tree: Any = sqlglot.parse_one(sql, read="databricks")
    except SqlglotError as problem:
        raise NotLocalError(f"a statement of this form: {problem}") from None
    return _Translator(tables).statement(tree)


@dataclass(frozen=True, slots=True)
class _Table:
    """Something in FROM: its text and its columns.

    Columns are always written with their table: DuckDB also lets a name mean an output column.
    """

    sql: str
    scope: Scope


@dataclass(slots=True)
class _Translator:
    tables: Mapping[str, Columns]
    reads: dict[str, set[str]] = field(default_factory=dict)
    named: dict[str, Columns] = field(default_factory=dict)
    aliases: int = 0

    def statement(self, tree: exp.Expression) -> Translated:
        text, columns = self._query(tree)
        reads = {name: frozenset(used) for name, used in self.reads.items()}
        return Translated(text, columns, _makes_rows(tree), reads, read_direct(tree, self.tables))

    def _query(self, tree: exp.Expression) -> tuple[str, Columns]:
        prefix = self._with(tree)
        if isinstance(tree, exp.Subquery):
            return self._query(tree.this)
        if isinstance(tree, exp.Union):
            text, columns = self._union(tree)
        elif isinstance(tree, exp.Select):
            text, columns = self._select(tree)
        else:
            raise NotLocalError(f"{type(tree).__name__.lower()} as a query")
        return prefix + text, columns

    def _with(self, tree: exp.Expression) -> str:
        clause = tree.args.get("with_")
        if clause is None:
            return ""
        parts = []
        for each in clause.expressions:
            text, columns = self._query(each.this)
            self.named[each.alias] = columns
            parts.append(f"{quoted(each.alias)} AS ({text})")
        return f"WITH {', '.join(parts)} "

    def _union(self, tree: exp.Union) -> tuple[str, Columns]:
        if tree.args.get("distinct"):
            raise NotLocalError("UNION DISTINCT")
        branches = [self._query(each) for each in (tree.this, tree.expression)]
        (_, left), (_, right) = branches
        types = [
            wider(one, other) for one, other in zip(left.values(), right.values(), strict=True)
        ]
        columns = dict(zip(left, types, strict=True))
        texts = [_cast_columns(text, own, types, list(left)) for text, own in branches]
        return f"({texts[0]}) UNION ALL ({texts[1]})", columns

    def _select(self, tree: exp.Select) -> tuple[str, Columns]:
        table = self._from(tree)
        scope = table.scope
        items, columns = [], {}
        for name, value in self._items(tree, scope):
            items.append(f"{value.sql} AS {quoted(name)}")
            columns[name] = value.dtype
        parts = [f"SELECT {'DISTINCT ' if tree.args.get('distinct') else ''}{', '.join(items)}"]
        if tree.args.get("distinct"):
            _require_simple(columns.values())
        if table.sql:
            parts.append(f"FROM {table.sql}")
        parts += self._clauses(tree, scope)
        for name, value in tree.args.items():
            if value and name not in _KNOWN_CLAUSES:
                raise NotLocalError(f"{name} in a statement")
        return " ".join(parts), columns

    def _items(self, tree: exp.Select, scope: Scope) -> list[tuple[str, Typed]]:
        found: list[tuple[str, Typed]] = []
        for n, item in enumerate(tree.expressions):
            if isinstance(item, exp.Star):
                if item.args.get("except_"):
                    raise NotLocalError("a star with exceptions")
                for name in scope.columns:
                    value = scope.column(name)
                    if value is not None:
                        found.append((name, value))
                continue
            inner = item.this if isinstance(item, exp.Alias) else item
            named = isinstance(item, exp.Alias | exp.Column)
            found.append((item.alias_or_name if named else f"column{n}", translate(inner, scope)))
        if len({name for name, _ in found}) < len(found):
            raise NotLocalError("two columns of one name")
        return found

    def _clauses(self, tree: exp.Select, scope: Scope) -> list[str]:
        parts = []
        if where := tree.args.get("where"):
            parts.append(f"WHERE {_boolean(where.this, scope)}")
        if group := tree.args.get("group"):
            if any(value for name, value in group.args.items() if name != "expressions"):
                raise NotLocalError("grouping sets")
            keys = [translate(each, scope) for each in group.expressions]
            _require_simple([key.dtype for key in keys])
            parts.append(f"GROUP BY {', '.join(key.sql for key in keys)}")
        if having := tree.args.get("having"):
            parts.append(f"HAVING {_boolean(having.this, scope)}")
        return parts

    def _from(self, tree: exp.Select) -> _Table:
        clause = tree.args.get("from_")
        if clause is None:
            return _Table("", Scope({}))
        table = self._source(clause.this)
        for join in tree.args.get("joins") or ():
            table = self._join(table, join)
        for lateral in tree.args.get("laterals") or ():
            table = _lateral(table, lateral, self._alias())
        return table

    def _alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    def _source(self, node: exp.Expression) -> _Table:
        alias = self._alias()
        if isinstance(node, exp.Subquery):
            text, columns = self._query(node.this)
            return _Table(f"({text}) AS {alias}", _scope(columns, alias))
        if not isinstance(node, exp.Table) or node.db:
            raise NotLocalError("such a table")
        name = node.name
        text = f"{quoted(name)} AS {alias}"
        if name in self.named:
            return _Table(text, _scope(self.named[name], alias))
        if name not in self.tables:
            raise NotLocalError(f"the table {name}")
        used = self.reads.setdefault(name, set())
        return _Table(text, Scope(_scope(self.tables[name], alias).columns, used))

    def _join(self, left: _Table, join: exp.Join) -> _Table:
        right = self._source(join.this)
        kind = " ".join(each for each in (join.side, join.kind) if each).upper() or "INNER"
        if kind not in _JOINS:
            raise NotLocalError(f"a {kind.lower()} join")
        text = f"{left.sql} {_JOINS[kind]} {right.sql}"
        if using := join.args.get("using"):
            if not kind.endswith(("SEMI", "ANTI")):
                raise NotLocalError("a join USING whose result has columns of both sides")
            return _Table(f"{text} ON {_equal(using, left.scope, right.scope)}", left.scope)
        both = _Both(left.scope, right.scope)
        if kind != "CROSS":
            text += f" ON {_boolean(join.args['on'], both.scope())}"
        scope = left.scope if kind.endswith(("SEMI", "ANTI")) else both.scope()
        return _Table(text, scope)


_KNOWN_CLAUSES = frozenset(
    [
        "expressions",
        "from_",
        "joins",
        "laterals",
        "where",
        "group",
        "having",
        "distinct",
        "with_",
    ]
)
_JOINS = {
    "INNER": "INNER JOIN",
    "CROSS": "CROSS JOIN",
    "LEFT": "LEFT JOIN",
    "LEFT OUTER": "LEFT JOIN",
    "RIGHT": "RIGHT JOIN",
    "RIGHT OUTER": "RIGHT JOIN",
    "FULL": "FULL JOIN",
    "FULL OUTER": "FULL JOIN",
    "LEFT SEMI": "SEMI JOIN",
    "LEFT ANTI": "ANTI JOIN",
}


@dataclass(frozen=True, slots=True)
class _Both:
    """The columns of two sides of a join, each noting its use on its own side."""

    left: Scope
    right: Scope

    def scope(self) -> Scope:
        """One scope; names that both have belong to nobody."""
        shared = self.left.columns.keys() & self.right.columns.keys()
        if shared:
            raise NotLocalError("a join of tables with equal column names")
        # Whatever may be read counts as read: sides of joins are narrow in our statements.
        self.left.used.update(self.left.columns)
        self.right.used.update(self.right.columns)
        return Scope({**self.left.columns, **self.right.columns})


def _equal(names: Sequence[exp.Identifier], left: Scope, right: Scope) -> str:
    """The condition that columns of two sides have the same values."""
    parts = []
    for name in names:
        sides = [scope.column(name.name) for scope in (left, right)]
        found = [side for side in sides if side is not None]
        if len(found) < len(sides):
            raise NotLocalError(f"the column {name.name}")
        one, other = comparable(together(found))
        parts.append(f"{one.sql} = {other.sql}")
    return " AND ".join(parts)


def _makes_rows(tree: exp.Expression) -> bool:
    """Whether a SELECT without FROM, or an aggregate without GROUP BY, gives rows over nothing."""
    for select in tree.find_all(exp.Select):
        if select.args.get("from_") is None:
            return True
        grouped = select.args.get("group") is not None
        if not grouped and any(item.find(exp.AggFunc) for item in select.expressions):
            return True
    return False


def _scope(columns: Columns, alias: str) -> Scope:
    return Scope({name: Typed(f"{alias}.{quoted(name)}", dtype) for name, dtype in columns.items()})


def _lateral(table: _Table, lateral: exp.Lateral, alias: str) -> _Table:
    if lateral.args.get("outer"):
        raise NotLocalError("an outer lateral view")
    call = lateral.this
    names = [each.name for each in lateral.args["alias"].columns]
    if isinstance(call, exp.Explode) and isinstance(call.this, exp.GenerateSeries):
        made = _series(table, call.this, names, alias)
    elif isinstance(call, exp.Stack):
        made = _stack(table, call, names, alias)
    else:
        raise NotLocalError("such a lateral view")
    columns = {**table.scope.columns, **made.scope.columns}
    return _Table(f"{table.sql}, {made.sql}", Scope(columns, table.scope.used))


def _series(table: _Table, series: exp.GenerateSeries, names: list[str], alias: str) -> _Table:
    """explode(sequence(1, n)): each row n times."""
    low, high = (translate(series.args[end], table.scope) for end in ("start", "end"))
    if low.dtype != BIGINT or high.dtype != BIGINT or series.args.get("step"):
        raise NotLocalError("such a sequence")
    (name,) = names
    text = f"unnest(generate_series({low.sql}, {high.sql})) AS {alias}({quoted(name)})"
    return _Table(text, _scope({name: BIGINT}, alias))


def _stack(table: _Table, call: exp.Stack, names: list[str], alias: str) -> _Table:
    """stack(n, ...): each row as n rows of other values."""
    values = [translate(each, table.scope) for each in call.expressions]
    width = len(names)
    rows = [values[start : start + width] for start in range(0, len(values), width)]
    if any(len(row) != width for row in rows):
        raise NotLocalError("such a stack")
    columns = [together(column) for column in zip(*rows, strict=True)]
    _require_simple([column[0].dtype for column in columns])
    texts = []
    for row in zip(*columns, strict=True):
        items = (f"{value.sql} AS {quoted(name)}" for value, name in zip(row, names, strict=True))
        texts.append(f"SELECT {', '.join(items)}")
    types = {name: column[0].dtype for name, column in zip(names, columns, strict=True)}
    return _Table(f"LATERAL ({' UNION ALL '.join(texts)}) AS {alias}", _scope(types, alias))


def _boolean(node: exp.Expression, scope: Scope) -> str:
    value = translate(node, scope)
    if value.dtype != BOOLEAN:
        raise NotLocalError(f"a condition of type {value.dtype}")
    return value.sql


def _require_simple(dtypes: Iterable[DataType]) -> None:
    for dtype in dtypes:
        if not is_simple(dtype):
            raise NotLocalError(f"grouping by {dtype}")


def _cast_columns(text: str, own: Columns, types: Sequence[DataType], names: list[str]) -> str:
    """The query with its columns under common names and types."""
    items = [
        f"{cast(Typed(f'u.{quoted(name)}', dtype), target).sql} AS {quoted(new)}"
        for (name, dtype), target, new in zip(own.items(), types, names, strict=True)
    ]
    if list(own.values()) == list(types) and list(own) == names:
        return text
    return f"SELECT {', '.join(items)} FROM ({text}) AS u"


def result_types(columns: Columns) -> Columns:
    """The types of a result; a column of nothing but NULLs has none that state could hold."""
    for name, dtype in columns.items():
        if dtype == VOID:
            raise NotLocalError(f"a column {name} of nothing but NULLs")
        duckdb_type(dtype)
    return columns
