"""Whole queries: common table expressions, and the outermost SELECT."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .core import Maker, Relation
from .selects import relation


@st.composite
def queries(draw: Any) -> str:
    """The text of a query."""
    return build(Maker(draw, relation))


def build(make: Maker) -> str:
    """A query made by the choices of the maker."""
    definitions = [_define(make) for _ in range(make.weighted((6, 0), (3, 1), (1, 2)))]
    body = relation(make, make.weighted((1, 0), (3, 1), (2, 2)), outermost=True)
    prefix = f"WITH {', '.join(definitions)} " if definitions else ""
    return prefix + body.sql


def _define(make: Maker) -> str:
    """A common table expression, which FROM may then name any number of times."""
    found = relation(make, make.number(0, 1))
    name = make.name("with_")
    make.ctes.append(Relation(name, found.columns, found.rows))
    return f"{name} AS ({found.sql})"
