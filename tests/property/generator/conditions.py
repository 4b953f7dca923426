"""Conditions on rows, one strategy per construct; those with subqueries are in `subqueries`."""

from __future__ import annotations

from .core import COMMON, Kind, Maker, Scope, Value, expression, produces

COMPARABLE = tuple(kind for kind in Kind if kind is not Kind.MAP)


@produces(Kind.BOOL, weight=6)
def comparison(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """Two values of one kind compared; often with a constant that occurs in the data."""
    first = any_value(make, scope, depth)
    sign = make.pick(["=", "<>", "<", "<=", ">", ">=", "<=>"])
    return _bool(f"({first.sql} {sign} {counterpart(make, scope, first, depth).sql})")


@produces(Kind.BOOL)
def numbers_of_two_kinds(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """A comparison for which Spark must widen one side."""
    first = expression(make, scope, Kind.INT, depth)
    second = expression(make, scope, make.pick([Kind.LONG, Kind.DECIMAL, Kind.DOUBLE]), depth)
    return _bool(f"({first.sql} {make.pick(['=', '<', '>=', '<=>'])} {second.sql})")


@produces(Kind.BOOL, weight=3)
def null_test(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """IS [NOT] NULL."""
    value = any_value(make, scope, depth)
    return _bool(f"({value.sql} IS {make.pick(['NOT NULL', 'NULL'])})")


@produces(Kind.BOOL)
def distinct_from(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """IS [NOT] DISTINCT FROM."""
    first = any_value(make, scope, depth)
    second = counterpart(make, scope, first, depth)
    word = make.pick(["IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
    return _bool(f"({first.sql} {word} {second.sql})")


@produces(Kind.BOOL, weight=2)
def in_list(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """[NOT] IN of a list, now and then with a NULL in it."""
    value = any_value(make, scope, depth, COMMON)
    members = [counterpart(make, scope, value, 0).sql for _ in range(make.number(1, 4))]
    if make.chance(15):
        members.append("NULL")
    return _bool(f"({value.sql} {make.pick(['IN', 'NOT IN'])} ({', '.join(members)}))")


@produces(Kind.BOOL)
def between(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """[NOT] BETWEEN."""
    value = any_value(make, scope, depth, COMMON)
    low, high = (counterpart(make, scope, value, 0).sql for _ in range(2))
    return _bool(f"({value.sql} {make.pick(['BETWEEN', 'NOT BETWEEN'])} {low} AND {high})")


@produces(Kind.BOOL)
def text_pattern(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """LIKE and its relatives."""
    text = expression(make, scope, Kind.STRING, depth)
    forms = [
        "({} LIKE '%a%')",
        "({} LIKE '_')",
        "({} NOT LIKE 'a%')",
        "({} ILIKE 'A%')",
        "({} RLIKE '^[a-z]+$')",
        "startswith({}, 'a')",
        "contains({}, ' ')",
        "({} LIKE ANY ('a', 'v%'))",
    ]
    return _bool(make.pick(forms).format(text.sql))


@produces(Kind.BOOL, weight=2)
def both_or_either(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """Two conditions joined by AND or OR."""
    first, second = (expression(make, scope, Kind.BOOL, depth) for _ in range(2))
    return _bool(f"({first.sql} {make.pick(['OR', 'AND'])} {second.sql})")


@produces(Kind.BOOL)
def negation(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """NOT, or the test of a truth value."""
    condition = expression(make, scope, Kind.BOOL, depth)
    form = make.pick(["(NOT {})", "({} IS TRUE)", "({} IS NOT FALSE)", "({} IS UNKNOWN)"])
    return _bool(form.format(condition.sql))


@produces(Kind.BOOL)
def not_a_number(make: Maker, scope: Scope, depth: int, _: Kind) -> Value:
    """isnan of a double."""
    return _bool(f"isnan({expression(make, scope, Kind.DOUBLE, depth).sql})")


@produces(Kind.BOOL)
def array_test(make: Maker, scope: Scope, _depth: int, _: Kind) -> Value:
    """A condition on an array column; TRUE where there is none."""
    forms = {
        Kind.STRINGS: ["array_contains({}, 'a')", "exists({}, e -> e IS NULL)"],
        Kind.INTS: ["array_contains({}, 1)", "exists({}, e -> e > 2)", "forall({}, e -> e > 0)"],
    }
    arrays = [value for value in scope.values if value.kind in forms]
    if not arrays:
        return _bool("TRUE")
    array = make.pick(arrays)
    return _bool(make.pick(forms[array.kind]).format(array.sql))


def any_value(make: Maker, scope: Scope, depth: int, kinds: tuple[Kind, ...] = COMPARABLE) -> Value:
    """A value of a kind that the scope has."""
    present = [kind for kind in scope.kinds() if kind in kinds] or [Kind.INT]
    return expression(make, scope, make.pick(present), depth)


def counterpart(make: Maker, scope: Scope, value: Value, depth: int) -> Value:
    """Something to compare a value with, so that neither answer is rare."""
    if value.samples and make.chance(60):
        return Value(make.pick(value.samples), value.kind)
    return expression(make, scope, value.kind, depth)


def _bool(sql: str) -> Value:
    return Value(sql, Kind.BOOL)
