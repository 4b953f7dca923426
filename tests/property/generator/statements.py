"""Whole queries: common table expressions, and the outermost SELECT."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from .core import Maker, Relation, Scope
from .relations import joined_items
from .selects import limited_select, relation, where_clause


@dataclass(frozen=True, slots=True)
class Statement:
    """A query's text, and whether it says in which order its rows come."""

    sql: str
    ordered: bool = False

    def __str__(self) -> str:
        return self.sql


@st.composite
def random_statements(draw: Any) -> Statement:
    """Queries over the adversarial tables."""
    return build(Maker(draw, relation))


def build(make: Maker) -> Statement:
    """A query made by the choices of the maker."""
    definitions = [_define(make) for _ in range(make.weighted((6, 0), (3, 1), (1, 2)))]
    body = make.weighted((12, _unordered), (1, _ordered), (1, _all_columns))(make)
    prefix = f"WITH {', '.join(definitions)} " if definitions else ""
    return replace(body, sql=prefix + body.sql)


def _unordered(make: Maker) -> Statement:
    nesting = make.weighted((2, 0), (4, 1), (1, 2))
    return Statement(relation(make, nesting, outermost=True).sql)


def _ordered(make: Maker) -> Statement:
    """All columns decide the order, so that only equal rows tie."""
    return Statement(limited_select(make, 2, None, False).sql, ordered=True)


def _all_columns(make: Maker) -> Statement:
    """SELECT *, which gives columns of every type and the same names twice."""
    source = joined_items(make, 1)
    where = where_clause(make, Scope(source.columns, 1, correlated=True))
    return Statement(f"SELECT * FROM {source.sql}{where}")


def _define(make: Maker) -> str:
    """A common table expression, which FROM may then name any number of times."""
    found = relation(make, make.number(0, 1))
    name = make.name("with_")
    make.ctes.append(Relation(name, found.columns, found.rows))
    return f"{name} AS ({found.sql})"
