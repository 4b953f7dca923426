"""SELECTs of every form; each may be asked for columns of given kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from . import scalars as _scalars  # noqa: F401  registers the row expressions
from . import subqueries as _subqueries  # noqa: F401  registers the subqueries
from .aggregates import AGGREGATED_KINDS, aggregate, spread
from .conditions import COMPARABLE
from .core import COMMON, Kind, Maker, Relation, Scope, Value, expression
from .relations import Item, derived, joined_items
from .windows import window_values

Kinds = Sequence[Kind] | None
_GROUPS = 60


def relation(
    make: Maker, nesting: int, kinds: Kinds = None, *, outermost: bool = False
) -> Relation:
    """A SELECT of any form."""
    forms: list[tuple[int, SelectMaker]] = [(6, plain_select), (5, grouped_select)]
    forms += [(1, global_select), (1, grouping_sets_select)]
    if nesting > 0:
        forms += [(2, set_operation), (2, window_select), (1, limited_select)]
    return make.weighted(*forms)(make, nesting, kinds, outermost)


# Rows ---------------------------------------------------------------------------------------


def plain_select(make: Maker, nesting: int, kinds: Kinds, _outermost: bool) -> Relation:
    """SELECT [DISTINCT] expressions FROM items [WHERE condition]."""
    source = joined_items(make, nesting)
    return _select_from(make, source, nesting, kinds)


def _select_from(make: Maker, source: Item, nesting: int, kinds: Kinds) -> Relation:
    scope = Scope(source.columns, nesting, correlated=True)
    distinct = make.chance(15)
    wanted = kinds or _output_kinds(make, scope, distinct=distinct)
    outputs = [_output(make, scope, kind) for kind in wanted]
    where = where_clause(make, scope)
    word = "SELECT DISTINCT" if distinct else "SELECT"
    sql = f"{word} {_listed(outputs)} FROM {source.sql}{where}"
    return Relation(sql, _named(outputs), source.rows)


def _output_kinds(make: Maker, scope: Scope, *, distinct: bool) -> list[Kind]:
    """Mostly kinds that the scope has; maps cannot be told apart by DISTINCT."""
    present = [kind for kind in scope.kinds() if not distinct or kind in COMPARABLE]
    choices = [*present, *present, *COMMON]
    return [make.pick(choices) for _ in range(make.number(1, 4))]


def _output(make: Maker, scope: Scope, kind: Kind) -> tuple[str, Value]:
    value = expression(make, scope, kind, 2)
    return make.name("c"), value


def _listed(outputs: Sequence[tuple[str, Value]]) -> str:
    return ", ".join(f"{value.sql} AS {name}" for name, value in outputs)


def _named(outputs: Sequence[tuple[str, Value]]) -> tuple[Value, ...]:
    return tuple(replace(value, sql=name) for name, value in outputs)


def where_clause(make: Maker, scope: Scope) -> str:
    """A WHERE, or nothing."""
    if not make.chance(45):
        return ""
    return f" WHERE {expression(make, scope, Kind.BOOL, 2).sql}"


# Groups -------------------------------------------------------------------------------------


def grouped_select(make: Maker, nesting: int, kinds: Kinds, outermost: bool) -> Relation:
    """SELECT keys and aggregates FROM items [WHERE] GROUP BY keys [HAVING]."""
    source = joined_items(make, nesting)
    scope = Scope(source.columns, nesting, correlated=True)
    keys = _keys(make, scope, 3)
    where = where_clause(make, scope)
    grouping = ", ".join(dict.fromkeys(key.sql for key in keys))
    return _aggregated(
        make, source, keys, f"{where} GROUP BY {grouping}", kinds=kinds, outermost=outermost
    )


def global_select(make: Maker, nesting: int, kinds: Kinds, outermost: bool) -> Relation:
    """Aggregates of all rows, which give one row even over none."""
    source = joined_items(make, nesting)
    where = where_clause(make, Scope(source.columns, nesting, correlated=True))
    return _aggregated(make, source, [], where, kinds=kinds, outermost=outermost)


def grouping_sets_select(make: Maker, nesting: int, kinds: Kinds, outermost: bool) -> Relation:
    """GROUP BY with ROLLUP, CUBE or GROUPING SETS over columns."""
    source = joined_items(make, nesting)
    where = where_clause(make, Scope(source.columns, nesting, correlated=True))
    usable = [column for column in source.columns if column.kind in COMPARABLE]
    keys = make.some(usable, 1, 3) or [Value("1", Kind.INT, 1)]
    texts = [key.sql for key in keys]
    form = make.pick(["ROLLUP({0})", "CUBE({0})", "GROUPING SETS (({0}), ({1}), ())"])
    grouping = form.format(", ".join(texts), texts[-1])
    keys.append(Value(f"CAST(grouping({texts[0]}) AS INT)", Kind.INT, 1))
    return _aggregated(
        make, source, keys, f"{where} GROUP BY {grouping}", kinds=kinds, outermost=outermost
    )


def _keys(make: Maker, scope: Scope, most: int) -> list[Value]:
    """Grouping keys: mostly columns, now and then expressions."""
    usable = [kind for kind in scope.kinds() if kind in COMPARABLE] or [Kind.INT]
    row_scope = scope.without_subqueries()
    keys = []
    for _ in range(make.number(1, most)):
        kind = make.pick(usable)
        depth = 0 if scope.of(kind) and not make.chance(25) else 1
        key = expression(make, row_scope, kind, depth)
        # A lone number would mean the output at that position.
        keys.append(replace(key, sql=f"coalesce({key.sql})") if _is_constant(key) else key)
    return keys


def _is_constant(value: Value) -> bool:
    return "." not in value.sql or value.sql.lstrip("-").replace(".", "").isdecimal()


def _aggregated(
    make: Maker, source: Item, keys: list[Value], tail: str, *, kinds: Kinds, outermost: bool
) -> Relation:
    """The SELECT over groups: its outputs read keys and aggregates like columns."""
    rows = Scope(source.columns)
    present = [kind for kind in rows.kinds() if kind in COMPARABLE]
    wanted = kinds or [make.pick([*AGGREGATED_KINDS, *present]) for _ in range(make.number(1, 3))]
    made = tuple(aggregate(make, rows, kind, make.number(0, 1)) for kind in wanted)
    groups = Scope((*keys, *made))
    values = made if kinds else (*make.some(keys, 0, 3), *made)
    outputs = [(make.name("c"), _over_group(make, groups, value)) for value in values]
    having = ""
    if make.chance(25):
        # Spark finds only the outputs of grouping sets there, so that keys are left out.
        tested = Scope(made or tuple(keys), nesting=1)
        having = f" HAVING {expression(make, tested, Kind.BOOL, 1).sql}"
    columns = _named(outputs)
    if outermost and not kinds and make.chance(25):
        outputs.append((make.name("c"), spread(make, rows)))
    sql = f"SELECT {_listed(outputs)} FROM {source.sql}{tail}{having}"
    return Relation(sql, columns, _GROUPS if keys else 1)


def _over_group(make: Maker, groups: Scope, value: Value) -> Value:
    """A key or aggregate as it is, or an expression of the same kind over the group."""
    if value.kind in COMMON and make.chance(20):
        return expression(make, groups, value.kind, 1)
    return value


# SELECTs over SELECTs -----------------------------------------------------------------------


def set_operation(make: Maker, nesting: int, kinds: Kinds, _outermost: bool) -> Relation:
    """UNION, INTERSECT or EXCEPT, with or without ALL, of two or three SELECTs."""
    usual = [Kind.INT, Kind.STRING, Kind.INT, Kind.STRING, Kind.LONG, Kind.DECIMAL, Kind.DATE]
    wanted = kinds or [make.pick(usual) for _ in range(make.number(1, 3))]
    all_rows = set(wanted) <= set(COMPARABLE)
    result = relation(make, nesting - 1, wanted)
    for _ in range(make.weighted((4, 1), (1, 2))):
        words = ["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]
        word = make.pick(words) if all_rows else "UNION ALL"
        result = _set_operation(word, result, relation(make, nesting - 1, wanted))
    return result


def _set_operation(word: str, left: Relation, right: Relation) -> Relation:
    columns = tuple(
        Value(a.sql, a.kind, max(a.bound, b.bound), a.exact and b.exact)
        for a, b in zip(left.columns, right.columns, strict=True)
    )
    return Relation(f"({left.sql}) {word} ({right.sql})", columns, left.rows + right.rows)


def window_select(make: Maker, nesting: int, kinds: Kinds, _outermost: bool) -> Relation:
    """Window functions over a SELECT, in an order that leaves only equal rows tied."""
    source = derived(make, _orderable(make, nesting - 1))
    added = window_values(make, Scope(source.columns))
    outputs = [(make.name("c"), value) for value in (*source.columns, *added)]
    sql = f"SELECT {_listed(outputs)} FROM {source.sql}"
    return _shaped(make, Relation(sql, _named(outputs), source.rows), kinds)


def limited_select(make: Maker, nesting: int, kinds: Kinds, _outermost: bool) -> Relation:
    """The first rows of a SELECT, in an order that leaves only equal rows tied."""
    inner = _orderable(make, nesting - 1)
    keys = [f"{column.sql}{make.pick(_DIRECTIONS)}" for column in inner.columns]
    limit = make.number(1, 12)
    offset = f" OFFSET {make.number(1, 3)}" if make.chance(25) else ""
    names = ", ".join(column.sql for column in inner.columns)
    sql = f"SELECT {names} FROM ({inner.sql}) ORDER BY {', '.join(keys)} LIMIT {limit}{offset}"
    return _shaped(make, Relation(sql, inner.columns, limit), kinds)


_DIRECTIONS = ("", " DESC", " NULLS LAST", " DESC NULLS FIRST")


def _orderable(make: Maker, nesting: int) -> Relation:
    """A SELECT whose columns can all be sorted by."""
    found = relation(make, nesting)
    if all(column.kind in COMPARABLE for column in found.columns):
        return found
    return _shaped(
        make, found, [c.kind for c in found.columns if c.kind in COMPARABLE] or [Kind.INT]
    )


def _shaped(make: Maker, found: Relation, kinds: Kinds) -> Relation:
    """The relation with columns of the wanted kinds."""
    if kinds is None:
        return found
    return _select_from(make, derived(make, found), 0, kinds)


SelectMaker = Callable[[Maker, int, Kinds, bool], Relation]
