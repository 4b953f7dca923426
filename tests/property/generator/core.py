"""What every part of the generator shares: kinds of values, values, scopes and choices.

An expression strategy is asked for a kind and gives a value: SQL text of that type together
with what is known of it. Strategies register themselves with `@produces`, so that one
construct is one function and modules need not import each other in a circle.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeVar

from hypothesis import strategies as st

Option = TypeVar("Option")


class Kind(Enum):
    """A type that expressions are asked for; the value is how SQL writes it."""

    INT = "INT"
    STRING = "STRING"
    LONG = "BIGINT"
    DECIMAL = "DECIMAL(12,2)"
    DOUBLE = "DOUBLE"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    BOOL = "BOOLEAN"
    FLOAT = "FLOAT"
    NTZ = "TIMESTAMP_NTZ"
    BINARY = "BINARY"
    BIG = "DECIMAL(38,0)"
    WIDE = "DECIMAL(38,18)"
    INTS = "ARRAY<INT>"
    STRINGS = "ARRAY<STRING>"
    POINT = "STRUCT<x: INT, y: DOUBLE, label: STRING>"
    MAP = "MAP<STRING, INT>"


COMMON = tuple(Kind)[:8]
"""Kinds that any scope can give, from literals if need be; the others come from columns only."""


@dataclass(frozen=True, slots=True)
class Value:
    """SQL text of a kind, and what keeps queries over it determined and free of overflow.

    `bound` is a limit of a number's size. Values that are not `exact` are doubles whose sum
    depends on the order of addition. `samples` are literals that occur in the column.
    """

    sql: str
    kind: Kind
    bound: float = math.inf
    exact: bool = True
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """The values an expression may read, and how much nesting it may still add.

    `nesting` is the number of levels of subqueries left; only where rows of tables are in
    scope may a subquery be `correlated`.
    """

    values: tuple[Value, ...]
    nesting: int = 0
    correlated: bool = False

    def of(self, kind: Kind) -> list[Value]:
        """The values of one kind."""
        return [value for value in self.values if value.kind is kind]

    def kinds(self) -> list[Kind]:
        """The kinds that occur, in the order of their first column."""
        return list(dict.fromkeys(value.kind for value in self.values))

    def without_subqueries(self) -> Scope:
        """The same values for a place where no subquery may stand."""
        return replace(self, nesting=0)


@dataclass(frozen=True, slots=True)
class Relation:
    """A SELECT with its output columns, and a rough limit of its rows."""

    sql: str
    columns: tuple[Value, ...]
    rows: int


RelationMaker = Callable[["Maker", int, Sequence[Kind] | None], Relation]


@dataclass(slots=True)
class Maker:
    """Draws choices; all are made so that shrinking leads to the simplest query.

    `relation` makes a SELECT of any form, with so much nesting and columns of these kinds; it
    is given from outside because SELECTs and expressions contain each other.
    """

    draw: Callable[[Any], Any]
    relation: RelationMaker
    ctes: list[Relation] = field(default_factory=list)
    _names: int = 0

    def pick(self, options: Sequence[Option]) -> Option:
        """One of the options; the first is the simplest."""
        return options[self.number(0, len(options) - 1)]

    def weighted(self, *options: tuple[int, Option]) -> Option:
        """One of the options, each as often as its weight says."""
        return self.pick([option for weight, option in options for _ in range(weight)])

    def number(self, low: int, high: int) -> int:
        """A whole number, both limits included."""
        return low if low == high else self.draw(st.integers(low, high))

    def chance(self, percent: int) -> bool:
        """True in so many cases of a hundred; False is the simpler answer."""
        return self.number(0, 99) >= 100 - percent

    def some(self, options: Sequence[Option], low: int, high: int) -> list[Option]:
        """Between `low` and `high` different options, in their order."""
        left = list(range(len(options)))
        wanted = min(self.number(low, high), len(left))
        taken = sorted(left.pop(self.number(0, len(left) - 1)) for _ in range(wanted))
        return [options[position] for position in taken]

    def name(self, prefix: str) -> str:
        """A name that the query does not use yet."""
        self._names += 1
        return f"{prefix}{self._names}"


Producer = Callable[[Maker, Scope, int, Kind], Value]
_PRODUCERS: dict[Kind, list[Producer]] = defaultdict(list)
_SUBQUERY_PRODUCERS: dict[Kind, list[Producer]] = defaultdict(list)


def produces(
    *kinds: Kind, weight: int = 1, subquery: bool = False
) -> Callable[[Producer], Producer]:
    """Register a strategy for the kinds it can make."""

    def register(producer: Producer) -> Producer:
        for kind in kinds:
            target = _SUBQUERY_PRODUCERS if subquery else _PRODUCERS
            target[kind] += [producer] * weight
        return producer

    return register


def expression(make: Maker, scope: Scope, kind: Kind, depth: int) -> Value:
    """A value of the kind, nested at most so deep."""
    if scope.nesting and _SUBQUERY_PRODUCERS[kind] and make.chance(8):
        return make.pick(_SUBQUERY_PRODUCERS[kind])(make, scope, depth, kind)
    if depth <= 0 or not _PRODUCERS[kind] or make.chance(35):
        return leaf(make, scope, kind)
    return make.pick(_PRODUCERS[kind])(make, scope, depth - 1, kind)


def leaf(make: Maker, scope: Scope, kind: Kind) -> Value:
    """A column of the kind or, if there is none, of another kind turned into it.

    A literal stands for it now and then, and where no column can be turned into the kind.
    """
    columns = scope.of(kind)
    if columns and not make.chance(8):
        return make.pick(columns)
    others = [value for value in scope.values if value.kind in _CONVERSIONS.get(kind, {})]
    if columns or not others or make.chance(10):
        return literal(make, kind)
    other = make.pick(others)
    return Value(_CONVERSIONS[kind][other.kind].format(other.sql), kind, bound=3000)


_CONVERSIONS: dict[Kind, dict[Kind, str]] = {
    Kind.INT: {
        Kind.STRING: "length({})",
        Kind.LONG: "CAST(pmod({}, 100) AS INT)",
        Kind.DATE: "month({})",
    },
    Kind.LONG: {
        Kind.INT: "CAST({} % 1000 AS BIGINT)",
        Kind.STRING: "try_cast(length({}) AS BIGINT)",
    },
    Kind.DECIMAL: {
        Kind.INT: "CAST({} % 1000 AS DECIMAL(12,2))",
        Kind.LONG: "CAST({} % 1000 AS DECIMAL(12,2))",
    },
    Kind.DOUBLE: {
        Kind.INT: "CAST({} % 1000 AS DOUBLE)",
        Kind.LONG: "CAST({} % 1000 AS DOUBLE)",
    },
    Kind.STRING: {
        Kind.INT: "CAST({} AS STRING)",
        Kind.LONG: "CAST({} AS STRING)",
        Kind.DATE: "CAST({} AS STRING)",
    },
    Kind.DATE: {
        Kind.TIMESTAMP: "CAST({} AS DATE)",
        Kind.INT: "date_add(DATE'2024-02-25', {} % 100)",
    },
    Kind.TIMESTAMP: {
        Kind.DATE: "CAST({} AS TIMESTAMP)",
        Kind.INT: "timestamp_seconds({} % 1000)",
    },
    Kind.BOOL: {
        Kind.INT: "({} > 2)",
        Kind.STRING: "({} >= 'b')",
        Kind.LONG: "({} % 2 = 0)",
        Kind.DECIMAL: "({} > 1)",
        Kind.DOUBLE: "({} < 2)",
        Kind.DATE: "({} IS NOT NULL)",
    },
}
"""How a column of one kind gives a value of another, by the kind wanted and the kind found."""


def literal(make: Maker, kind: Kind) -> Value:
    """A constant of the kind; NULL now and then."""
    if kind not in _LITERALS or make.chance(6):
        return Value(f"CAST(NULL AS {kind.value})", kind, bound=0)
    return Value(make.pick(_LITERALS[kind]), kind, bound=100)


_LITERALS: dict[Kind, Sequence[str]] = {
    Kind.INT: ("1", "0", "2", "3", "7", "10", "-1", "42"),
    Kind.LONG: ("1L", "0L", "7L", "-2L", "CAST(12 AS BIGINT)"),
    Kind.DECIMAL: ("1.50", "0.00", "-7.77", "2.5", "0.01", "CAST(3 AS DECIMAL(12,2))"),
    Kind.DOUBLE: ("1.0D", "0.5D", "0.0D", "-2.25D", "4D"),
    Kind.STRING: ("'a'", "'b'", "''", "'void'", "'A'", "' '", "'abc'", "'it''s'"),
    Kind.DATE: ("DATE'2024-02-29'", "DATE'1970-01-01'", "DATE'2021-03-28'", "DATE'1582-10-10'"),
    Kind.TIMESTAMP: ("TIMESTAMP'2024-02-29 00:00:00Z'", "TIMESTAMP'2021-10-31 01:30:00Z'"),
    Kind.BOOL: ("TRUE", "FALSE"),
    Kind.BINARY: ("X'41'", "X''"),
    Kind.FLOAT: ("1.0F", "0.5F"),
    Kind.NTZ: ("TIMESTAMP_NTZ'2021-03-14 02:30:00'",),
    Kind.BIG: ("CAST(10 AS DECIMAL(38,0))",),
    Kind.WIDE: ("CAST(0.5 AS DECIMAL(38,18))",),
    Kind.INTS: ("array(1, 2)", "array(CAST(NULL AS INT))"),
    Kind.STRINGS: ("array('a', 'b')", "array('a', NULL)"),
}
