"""What stands in FROM: tables, derived tables, and joins of up to four of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .aggregates import aggregate
from .conditions import COMPARABLE
from .core import Kind, Maker, Relation, Scope, Value, expression, literal
from .tables import base_tables

_MOST_ROWS = 3000
"""Cross and inequality joins that could give more rows become equality joins."""

_TABLES = (
    *("t_nulls", "t_right", "t_nonull", "t_nulls", "t_right", "t_nonull"),
    *("t_dec", "t_float", "t_str", "t_time", "t_nested", "t_skew", "t_names", "t_empty"),
)


@dataclass(frozen=True, slots=True)
class Item:
    """A part of FROM: its text, the columns it gives under their qualified names, its size."""

    sql: str
    columns: tuple[Value, ...]
    rows: int


# Single items -------------------------------------------------------------------------------


def item(make: Maker, nesting: int) -> Item:
    """A table, or something that takes the place of one."""
    if make.ctes and make.chance(50):
        return named(make, make.pick(make.ctes))
    form = make.weighted((14, "table"), (4, "subquery"), (1, "values"), (1, "exploded"))
    if form == "subquery" and nesting > 0:
        return derived(make, make.relation(make, nesting - 1, None))
    if form == "values":
        return inline_values(make)
    if form == "exploded":
        return derived(make, exploded(make))
    return table(make)


def table(make: Maker) -> Item:
    """One of the tables."""
    return named(make, base_tables()[make.pick(_TABLES)])


def named(make: Maker, relation: Relation) -> Item:
    """A table or common table expression under an alias."""
    alias = make.name("t")
    return Item(f"{relation.sql} AS {alias}", qualified(alias, relation.columns), relation.rows)


def derived(make: Maker, relation: Relation) -> Item:
    """A SELECT in FROM."""
    alias = make.name("t")
    return Item(f"({relation.sql}) AS {alias}", qualified(alias, relation.columns), relation.rows)


def qualified(alias: str, columns: tuple[Value, ...]) -> tuple[Value, ...]:
    """The columns as they are written outside of the relation."""
    return tuple(replace(column, sql=f"{alias}.{column.sql}") for column in columns)


def inline_values(make: Maker) -> Item:
    """VALUES with a few rows."""
    alias = make.name("t")
    kinds = [make.pick([Kind.INT, Kind.STRING, Kind.DECIMAL]) for _ in range(make.number(1, 2))]
    rows = [
        f"({', '.join(literal(make, kind).sql for kind in kinds)})"
        for _ in range(make.number(1, 4))
    ]
    names = [make.name("v") for _ in kinds]
    columns = tuple(Value(f"{alias}.{n}", k, 1000) for n, k in zip(names, kinds, strict=True))
    return Item(f"(VALUES {', '.join(rows)}) AS {alias}({', '.join(names)})", columns, len(rows))


def exploded(make: Maker) -> Relation:
    """The elements of an array column as rows."""
    outer = make.pick(["", "OUTER "])
    source, kind = make.pick([("tags", Kind.STRING), ("nums", Kind.INT)])
    element, name = make.name("e"), make.name("c")
    output = element if kind is Kind.STRING else f"{element} % 1000"
    view = f"LATERAL VIEW {outer}explode({source}) AS {element}"
    sql = f"SELECT id, {output} AS {name} FROM t_nested {view}"
    return Relation(sql, (Value("id", Kind.INT, 100), Value(name, kind, 1000)), 60)


# Joins --------------------------------------------------------------------------------------


def joined_items(make: Maker, nesting: int) -> Item:
    """One to four items joined from left to right."""
    joins = make.weighted((4, 0), (5, 1), (2, 2), (1, 3)) if nesting > 0 else make.number(0, 1)
    result = item(make, nesting)
    for _ in range(joins):
        result = join(make, result, item(make, nesting))
    return result


def join(make: Maker, left: Item, right: Item) -> Item:
    """One join of any kind that the sizes allow."""
    if left.rows * right.rows <= _MOST_ROWS and make.chance(20):
        return loose_join(make, left, right)
    if make.chance(6):
        return lateral_join(make, left)
    if make.chance(12) and (name := _shared_name(left, right)):
        return join_using(make, left, right, name)
    return keyed_join(make, left, right)


_OUTER = ("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")


def keyed_join(make: Maker, left: Item, right: Item) -> Item:
    """A join on one or two equalities, now and then with a further condition."""
    parts = [key_equality(make, left, right) for _ in range(make.weighted((4, 1), (1, 2)))]
    if make.chance(25):
        parts.append(_both_sides(make, left, right))
    word = make.weighted((4, "INNER"), *((2, word) for word in _OUTER[1:]))
    return _join(word, left, right, " AND ".join(parts))


def key_equality(make: Maker, left: Item, right: Item) -> str:
    """An equality of columns of one kind; of numbers where the sides share no kind."""
    first, second = _key_pair(make, left, right)
    sign = make.weighted((4, "="), (1, "<=>"))
    if make.chance(10):
        first = expression(make, Scope(left.columns), first.kind, 1)
    return f"{first.sql} {sign} {second.sql}"


def _key_pair(make: Maker, left: Item, right: Item) -> tuple[Value, Value]:
    kinds = {column.kind for column in right.columns}
    firsts = [column for column in left.columns if column.kind in kinds & set(COMPARABLE)]
    if not firsts:
        left_scope, right_scope = Scope(left.columns), Scope(right.columns)
        return (
            expression(make, left_scope, Kind.INT, 2),
            expression(make, right_scope, Kind.INT, 2),
        )
    first = make.pick(firsts)
    return first, make.pick([column for column in right.columns if column.kind is first.kind])


def lateral_join(make: Maker, left: Item) -> Item:
    """A join with an aggregate over the rows of a table that belong to each left row."""
    inner = table(make)
    first, second = _key_pair(make, left, inner)
    value = aggregate(make, Scope(inner.columns), make.pick([Kind.LONG, Kind.INT, Kind.STRING]), 0)
    alias, name = make.name("t"), make.name("c")
    body = f"SELECT {value.sql} AS {name} FROM {inner.sql} WHERE {second.sql} = {first.sql}"
    word = make.pick(["CROSS", "LEFT"])
    on = " ON TRUE" if word == "LEFT" else ""
    column = replace(value, sql=f"{alias}.{name}")
    sql = f"{left.sql} {word} JOIN LATERAL ({body}) AS {alias}{on}"
    return Item(sql, (*left.columns, column), left.rows)


def loose_join(make: Maker, left: Item, right: Item) -> Item:
    """A cross join, or a join on a condition without an equality."""
    word = make.pick(["CROSS", *_OUTER])
    if word == "CROSS":
        return _join(word, left, right, "")
    return _join(word, left, right, _both_sides(make, left, right))


def _both_sides(make: Maker, left: Item, right: Item) -> str:
    condition = expression(make, Scope(left.columns + right.columns), Kind.BOOL, 2).sql
    if not make.chance(10):
        return condition
    # Spark refuses subqueries in ON that read both sides.
    one_side = expression(make, Scope(make.pick([left, right]).columns, 1), Kind.BOOL, 1).sql
    return f"{condition} AND {one_side}"


def _join(word: str, left: Item, right: Item, condition: str) -> Item:
    on = f" ON {condition}" if condition else ""
    sql = f"{left.sql} {word} JOIN {right.sql}{on}"
    if word in {"LEFT SEMI", "LEFT ANTI"}:
        return Item(sql, left.columns, left.rows)
    loose = not condition or " = " not in condition
    rows = left.rows * right.rows if loose else 2 * max(left.rows, right.rows)
    return Item(sql, left.columns + right.columns, rows)


def _shared_name(left: Item, right: Item) -> str | None:
    """A column name that occurs once on either side, with one kind."""
    names = [column.sql.rpartition(".")[2] for column in left.columns]
    for column in right.columns:
        name = column.sql.rpartition(".")[2]
        same = [other for other in left.columns if other.sql.rpartition(".")[2] == name]
        if names.count(name) == 1 and same[0].kind is column.kind and column.kind in COMPARABLE:
            return name
    return None


def join_using(make: Maker, left: Item, right: Item, name: str) -> Item:
    """JOIN ... USING, whose column is there once and without a qualifier."""
    word = make.pick(_OUTER[:4])
    sides = [
        [column for column in side.columns if column.sql.rpartition(".")[2] == name]
        for side in (left, right)
    ]
    key = max(sides[0] + sides[1], key=lambda column: column.bound)
    shared = replace(key, sql=name, exact=all(side[0].exact for side in sides))
    others = [c for c in left.columns + right.columns if c.sql.rpartition(".")[2] != name]
    sql = f"{left.sql} {word} JOIN {right.sql} USING ({name})"
    return _renamed(make, sql, (shared, *others), 2 * max(left.rows, right.rows))


def _renamed(make: Maker, sql: str, columns: tuple[Value, ...], rows: int) -> Item:
    """The columns under new names, where the old ones could be mistaken for others."""
    outputs = [(make.name("c"), column) for column in columns]
    listed = ", ".join(f"{column.sql} AS {name}" for name, column in outputs)
    named_columns = tuple(replace(column, sql=name) for name, column in outputs)
    return derived(make, Relation(f"SELECT {listed} FROM {sql}", named_columns, rows))
