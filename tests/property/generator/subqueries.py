"""Subqueries inside expressions: scalar aggregates, IN and EXISTS, correlated or not."""

from __future__ import annotations

from .aggregates import aggregate
from .conditions import COMPARABLE, any_value
from .core import COMMON, Kind, Maker, Scope, Value, expression, produces
from .relations import Item, table


@produces(*COMMON, subquery=True)
def scalar_subquery(make: Maker, scope: Scope, _depth: int, kind: Kind) -> Value:
    """(SELECT aggregate FROM table [WHERE ...]), which always gives one row."""
    inner = table(make)
    inner_scope = Scope(inner.columns, scope.nesting - 1)
    value = aggregate(make, inner_scope.without_subqueries(), kind, 1)
    equal = [correlation(make, scope, inner, ["="])] if scope.correlated else []
    where = _where(make, inner_scope, [each for each in equal if each])
    sql = f"(SELECT {value.sql} FROM {inner.sql}{where})"
    return Value(sql, kind, value.bound, value.exact)


@produces(Kind.INT, Kind.STRING, Kind.DATE, Kind.DECIMAL, subquery=True)
def first_of_subquery(make: Maker, scope: Scope, _depth: int, kind: Kind) -> Value:
    """(SELECT value FROM table ORDER BY value LIMIT 1)."""
    inner = table(make)
    value = expression(make, Scope(inner.columns), kind, 1)
    where = _where(make, Scope(inner.columns, scope.nesting - 1), [])
    order = make.pick(["", " DESC", " NULLS LAST"])
    sql = f"SELECT {value.sql} AS one FROM {inner.sql}{where} ORDER BY one{order} LIMIT 1"
    return Value(f"({sql})", kind, value.bound)


@produces(Kind.BOOL, weight=2, subquery=True)
def exists_subquery(make: Maker, scope: Scope, _depth: int, _: Kind) -> Value:
    """[NOT] EXISTS (SELECT 1 FROM table WHERE ...)."""
    inner = table(make)
    parts = []
    if scope.correlated and make.chance(85):
        signs = [["="], ["=", "<", "<>", "<=>"]]
        parts = [correlation(make, scope, inner, signs[k]) for k in range(make.number(1, 2))]
    where = _where(make, Scope(inner.columns, scope.nesting - 1), [p for p in parts if p])
    word = make.pick(["EXISTS", "NOT EXISTS"])
    return Value(f"({word} (SELECT 1 FROM {inner.sql}{where}))", Kind.BOOL)


@produces(Kind.BOOL, weight=2, subquery=True)
def in_subquery(make: Maker, scope: Scope, _depth: int, _: Kind) -> Value:
    """value [NOT] IN (SELECT value FROM table [WHERE ...])."""
    inner = table(make)
    inner_scope = Scope(inner.columns, scope.nesting - 1)
    members = _members(make, scope, inner_scope)
    correlated = scope.correlated and make.chance(25)
    parts = [correlation(make, scope, inner, ["="])] if correlated else []
    where = _where(make, inner_scope, [part for part in parts if part])
    needle = ", ".join(value.sql for value, _ in members)
    found = ", ".join(value.sql for _, value in members)
    word = make.pick(["IN", "NOT IN"])
    sql = f"(({needle}) {word} (SELECT {found} FROM {inner.sql}{where}))"
    return Value(sql, Kind.BOOL)


@produces(Kind.BOOL, subquery=True)
def in_any_select(make: Maker, scope: Scope, _depth: int, _: Kind) -> Value:
    """value [NOT] IN (SELECT of any form)."""
    needle = any_value(make, scope.without_subqueries(), 1, COMMON)
    found = make.relation(make, scope.nesting - 1, [needle.kind])
    return Value(f"({needle.sql} {make.pick(['IN', 'NOT IN'])} ({found.sql}))", Kind.BOOL)


def _members(make: Maker, scope: Scope, inner: Scope) -> list[tuple[Value, Value]]:
    pairs = []
    for _ in range(make.weighted((5, 1), (1, 2))):
        needle = any_value(make, scope.without_subqueries(), 1, COMMON)
        depth = 0 if inner.of(needle.kind) else 2
        pairs.append((needle, expression(make, inner.without_subqueries(), needle.kind, depth)))
    return pairs


def correlation(make: Maker, scope: Scope, inner: Item, signs: list[str]) -> str | None:
    """A comparison of an inner column with one of the outer query; None if no kind fits."""
    kinds = {column.kind for column in inner.columns if column.kind in COMPARABLE}
    outer = [value for value in scope.values if value.kind in kinds]
    if not outer:
        return None
    value = make.pick(outer)
    column = make.pick([each for each in inner.columns if each.kind is value.kind])
    return f"{column.sql} {make.pick(signs)} {value.sql}"


def _where(make: Maker, inner: Scope, parts: list[str]) -> str:
    """The WHERE of a subquery: its correlation, and often a condition of its own."""
    if make.chance(45):
        parts.append(expression(make, inner, Kind.BOOL, 1).sql)
    return f" WHERE {' AND '.join(parts)}" if parts else ""
