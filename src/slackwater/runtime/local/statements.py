"""Translates whole statements: the SELECTs that rules write, for DuckDB, with their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from slackwater.runtime.local.direct import Direct, read_direct
from slackwater.runtime.local.forms import (
    DECODING,
    Scope,
    Typed,
    cast,
    failing_columns,
    may_fail,
    operands,
    quoted,
    require_only,
    same_name,
    translate,
)
from slackwater.runtime.local.relations import (
    JOINS,
    BothSides,
    Relation,
    equal_columns,
    require_simple,
    scope_of,
    with_lateral_view,
)
from slackwater.runtime.local.types import Columns, NotLocalError, duckdb_type, wider
from slackwater.types import BOOLEAN, VOID, DataType


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
    decodes: bool
    """Whether it looks at the characters of texts, which must then be valid."""


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
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as problem:
        # A form that nobody thought of; Spark knows it.
        return NotLocalError(f"a statement of this form: {problem!r}")


def _parsed(sql: str, tables: Mapping[str, Columns]) -> Translated:
    try:
        # This dialect is Spark's with ANSI mode: it tells CAST from TRY_CAST.
        tree: Any = sqlglot.parse_one(sql, read="databricks")
    except SqlglotError as problem:
        raise NotLocalError(f"a statement of this form: {problem}") from None
    _require_no_qualifiers(tree)
    return _Translator(tables).statement(tree)


def _require_no_qualifiers(tree: exp.Expression) -> None:
    """Refuse columns that are named after a table: here the first name is always a column's."""
    kinds = (exp.Table, exp.Subquery, exp.Lateral, exp.CTE)
    tables = {each.alias_or_name.lower() for each in tree.find_all(*kinds)}
    for column in tree.find_all(exp.Column):
        if len(column.parts) > 1 and column.parts[0].name.lower() in tables:
            raise NotLocalError(f"the name of a table before a column: {column.sql()}")


@dataclass(slots=True)
class _Translator:
    tables: Mapping[str, Columns]
    reads: dict[str, set[str]] = field(default_factory=dict)
    named: dict[str, Columns] = field(default_factory=dict)
    aliases: int = 0

    def statement(self, tree: exp.Expression) -> Translated:
        text, columns = self._query(tree)
        reads = {name: frozenset(used) for name, used in self.reads.items()}
        decodes = tree.find(*DECODING) is not None
        direct = read_direct(tree, self.tables)
        return Translated(text, columns, _makes_rows(tree), reads, direct, decodes)

    def _query(self, tree: exp.Expression) -> tuple[str, Columns]:
        prefix = self._with(tree)
        if isinstance(tree, exp.Subquery):
            require_only(tree, "this", "alias", "with_")
            text, columns = self._query(tree.this)
            return prefix + text, columns
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
        require_only(clause, "expressions")
        parts = []
        for each in clause.expressions:
            require_only(each, "this", "alias")
            _require_no_names(each)
            if any(same_name(each.alias, other) for other in (*self.tables, *self.named)):
                raise NotLocalError("a name that means two tables")
            text, columns = self._query(each.this)
            self.named[each.alias] = columns
            parts.append(f"{quoted(each.alias)} AS ({text})")
        return f"WITH {', '.join(parts)} "

    def _union(self, tree: exp.Union) -> tuple[str, Columns]:
        require_only(tree, "this", "expression", "with_")
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
            require_simple(columns.values())
        if table.sql:
            parts.append(f"FROM {table.sql}")
        parts += self._clauses(tree, scope)
        require_only(tree, *_KNOWN_CLAUSES)
        return " ".join(parts), columns

    def _items(self, tree: exp.Select, scope: Scope) -> list[tuple[str, Typed]]:
        found: list[tuple[str, Typed]] = []
        for n, item in enumerate(tree.expressions):
            if isinstance(item, exp.Star):
                require_only(item)
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
            parts.append(f"WHERE {_in_order(where.this, tree, scope)}")
        if group := tree.args.get("group"):
            if any(value for name, value in group.args.items() if name != "expressions"):
                raise NotLocalError("grouping sets")
            if any(isinstance(each.unnest(), exp.Literal) for each in group.expressions):
                raise NotLocalError("grouping by the number of a column")
            keys = [translate(each, scope) for each in group.expressions]
            require_simple([key.dtype for key in keys])
            parts.append(f"GROUP BY {', '.join(key.sql for key in keys)}")
        if having := tree.args.get("having"):
            parts.append(f"HAVING {_unordered(having.this, scope)}")
        return parts

    def _from(self, tree: exp.Select) -> Relation:
        clause = tree.args.get("from_")
        if clause is None:
            return Relation("", Scope({}))
        table = self._source(clause.this)
        for join in tree.args.get("joins") or ():
            table = self._join(table, join)
        for lateral in tree.args.get("laterals") or ():
            table = with_lateral_view(table, lateral, self._alias())
        return table

    def _alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    def _source(self, node: exp.Expression) -> Relation:
        alias = self._alias()
        if isinstance(node, exp.Subquery):
            _require_no_names(node)
            text, columns = self._query(node)
            scope = scope_of(columns, alias, failing_columns(node))
            return Relation(f"({text}) AS {alias}", scope)
        if not isinstance(node, exp.Table):
            raise NotLocalError("such a table")
        require_only(node, "this", "alias")
        _require_no_names(node)
        name = node.name
        text = f"{quoted(name)} AS {alias}"
        if name in self.named:
            return Relation(text, scope_of(self.named[name], alias))
        if name not in self.tables:
            raise NotLocalError(f"the table {name}")
        used = self.reads.setdefault(name, set())
        return Relation(text, Scope(scope_of(self.tables[name], alias).columns, used))

    def _join(self, left: Relation, join: exp.Join) -> Relation:
        require_only(join, "this", "side", "kind", "on", "using")
        right = self._source(join.this)
        kind = " ".join(each for each in (join.side, join.kind) if each).upper() or "INNER"
        if kind not in JOINS:
            raise NotLocalError(f"a {kind.lower()} join")
        text = f"{left.sql} {JOINS[kind]} {right.sql}"
        if using := join.args.get("using"):
            if not kind.endswith(("SEMI", "ANTI")):
                raise NotLocalError("a join USING whose result has columns of both sides")
            return Relation(
                f"{text} ON {equal_columns(using, left.scope, right.scope)}", left.scope
            )
        both = BothSides(left.scope, right.scope)
        if kind != "CROSS":
            text += f" ON {_unordered(join.args['on'], both.scope())}"
        scope = left.scope if kind.endswith(("SEMI", "ANTI")) else both.scope()
        return Relation(text, scope)


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


def _require_no_names(node: exp.Expression) -> None:
    """Refuse a table whose columns get other names."""
    if node.alias_column_names:
        raise NotLocalError("other names for the columns of a table")


def _makes_rows(tree: exp.Expression) -> bool:
    """Whether a SELECT without FROM, or an aggregate without GROUP BY, gives rows over nothing."""
    for select in tree.find_all(exp.Select):
        if select.args.get("from_") is None:
            return True
        aggregated = any(item.find(exp.AggFunc) for item in select.expressions)
        if select.args.get("group") is None and (aggregated or select.args.get("having")):
            return True
    return False


def _in_order(node: exp.Expression, tree: exp.Select, scope: Scope) -> str:
    """A condition on rows; what stands behind a part that may fail must not hide the error.

    DuckDB would look at simple comparisons first, wherever they stand. Parts of a condition on
    several tables have no order in Spark either.
    """
    source: Any = tree.args.get("from_")
    if source is None or tree.args.get("joins") or source.find(exp.Join):
        return _unordered(node, scope)
    parts = _parts(node)
    found = _boolean(parts[-1], scope)
    for part in reversed(parts[:-1]):
        before = _boolean(part, scope)
        either = f"CASE WHEN {before} THEN {found} ELSE FALSE END"
        found = either if may_fail(part, scope.failing) else f"({before} AND {found})"
    return found


def _unordered(node: exp.Expression, scope: Scope) -> str:
    """A condition of parts in any order, in which DuckDB finds the equalities to join by."""
    return " AND ".join(f"({_boolean(part, scope)})" for part in _parts(node))


def _parts(node: exp.Expression) -> list[exp.Expression]:
    """Conditions that must all be true."""
    whole: Any = node.unnest()
    return operands(whole) if isinstance(whole, exp.And) else [whole]


def _boolean(node: exp.Expression, scope: Scope) -> str:
    value = translate(node, scope)
    if value.dtype != BOOLEAN:
        raise NotLocalError(f"a condition of type {value.dtype}")
    return value.sql


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
