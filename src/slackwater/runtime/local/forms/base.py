"""What the translations of expressions have in common: typed text, names, common types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from sqlglot import exp

from slackwater.compiler.duckdb.functions import Rounding
from slackwater.runtime.local.types import NotLocalError, duckdb_type, is_simple, wider
from slackwater.types import BOOLEAN, VOID, DataType, DecimalType

MAX_DIGITS = 38
_QUICK_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression for DuckDB and the type that Spark gives it."""

    sql: str
    dtype: DataType


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns an expression may name; those it does are noted in `used`."""

    columns: Mapping[str, Typed]
    used: set[str] = field(default_factory=set)
    failing: frozenset[str] = frozenset()
    """Columns that are computed below and may fail there."""
    lambdas: int = 0
    """How many lambdas are around the expression."""

    def column(self, name: str) -> Typed | None:
        """The column of that name, if there is one."""
        found = self.columns.get(name)
        if found is not None:
            self.used.add(name)
        return found

    def with_variable(self, name: str, value: Typed) -> Scope:
        """The scope inside a lambda; Spark also finds its variable by a name in another case."""
        others = {each: typed for each, typed in self.columns.items() if not same_name(each, name)}
        return replace(self, columns={**others, name: value}, lambdas=self.lambdas + 1)


Form = Callable[[Any, Scope], Typed]
"""Translates one kind of node; raises NotLocalError where the types are not known to agree."""
Forms = Mapping[type[exp.Expression], Form]
_KNOWN: dict[type[exp.Expression], Form] = {}


def learn(forms: Forms) -> None:
    """Add forms to those that `translate` knows."""
    _KNOWN.update(forms)


def translate(node: exp.Expression, scope: Scope) -> Typed:
    """An expression of Spark SQL for DuckDB."""
    form = _KNOWN.get(type(node))
    if form is None:
        raise NotLocalError(f"{type(node).__name__.lower()} in a statement")
    return form(node, scope)


def same_name(one: str, other: str) -> bool:
    """Whether Spark takes two names for the same."""
    return one.lower() == other.lower()


def quoted(name: str) -> str:
    """A name as DuckDB quotes it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as DuckDB writes it."""
    return "'" + value.replace("'", "''") + "'"


def cast(value: Typed, dtype: DataType) -> Typed:
    """The value under a type that holds it, or an error of DuckDB's if it does not."""
    if value.dtype == dtype:
        return value
    if isinstance(value.dtype, DecimalType) and isinstance(dtype, DecimalType):
        return _rescaled(value.sql, value.dtype, dtype)
    return Typed(f"CAST({value.sql} AS {duckdb_type(dtype)})", dtype)


def _rescaled(sql: str, one: DecimalType, other: DecimalType) -> Typed:
    """A decimal under another type; ours is the quicker rounding of more than 64 bits."""
    if one.precision > _QUICK_DIGITS and other.scale < one.scale:
        rounding = Rounding(one.precision, one.scale, other.precision, other.scale)
        return Typed(f"{rounding.name}({sql})", other)
    return Typed(f"CAST({sql} AS {duckdb_type(other)})", other)


def together(values: Sequence[Typed]) -> list[Typed]:
    """Values brought to one type."""
    dtype = reduce(wider, (value.dtype for value in values))
    return [cast(value, dtype) for value in values]


def require_only(node: exp.Expression, *known: str) -> None:
    """Refuse a node that says more than what is known here."""
    for name, value in node.args.items():
        if value and name not in known:
            raise NotLocalError(f"{name} in a statement")


def translated(nodes: Iterable[exp.Expression], scope: Scope) -> list[Typed]:
    """Several expressions of Spark SQL for DuckDB."""
    return [translate(node, scope) for node in nodes]


def comparable(values: Sequence[Typed]) -> Sequence[Typed]:
    """The values, if both engines order and equate values of their types alike."""
    for value in values:
        if not is_simple(value.dtype):
            raise NotLocalError(f"comparing {value.dtype}")
    return values


def condition(node: exp.Expression, scope: Scope) -> str:
    """A condition, in parentheses."""
    value = translate(node, scope)
    if value.dtype not in (BOOLEAN, VOID):
        raise NotLocalError(f"a condition of type {value.dtype}")
    return f"({value.sql})"


def plain_number(node: exp.Expression | None) -> int | None:
    """The whole number that is written there."""
    plain = isinstance(node, exp.Literal) and not node.is_string
    return int(node.name) if plain and node is not None else None
