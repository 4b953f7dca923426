"""What a FROM clause offers: tables, joins of them, and rows that lateral views make of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from slackwater.runtime.local.forms import (
    Scope,
    Typed,
    comparable,
    plain_number,
    quoted,
    require_only,
    together,
    translate,
)
from slackwater.runtime.local.types import Columns, NotLocalError, is_simple
from slackwater.types import BIGINT, VOID, DataType


@dataclass(frozen=True, slots=True)
class Relation:
    """Something in FROM: its text and its columns.

    Columns are always written with their table: DuckDB also lets a name mean an output column.
    """

    sql: str
    scope: Scope


JOINS = {
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
class BothSides:
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
        failing = self.left.failing | self.right.failing
        return Scope({**self.left.columns, **self.right.columns}, failing=failing)


def equal_columns(names: Sequence[exp.Identifier], left: Scope, right: Scope) -> str:
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


def scope_of(columns: Columns, alias: str, failing: Iterable[str] = ()) -> Scope:
    """The columns of a table of that name in the statement for DuckDB."""
    named = {name: Typed(f"{alias}.{quoted(name)}", dtype) for name, dtype in columns.items()}
    return Scope(named, failing=frozenset(failing))


def require_simple(dtypes: Iterable[DataType]) -> None:
    """Refuse values that cannot be compared here."""
    for dtype in dtypes:
        if not is_simple(dtype):
            raise NotLocalError(f"grouping by {dtype}")


def with_lateral_view(table: Relation, lateral: exp.Lateral, alias: str) -> Relation:
    """The table with the columns of a lateral view beside its own."""
    require_only(lateral, "this", "view", "alias")
    call = lateral.this
    names = [each.name for each in lateral.args["alias"].columns]
    if type(call) is exp.Explode and isinstance(call.this, exp.GenerateSeries):
        made = _series(table, call.this, names, alias)
    elif isinstance(call, exp.Stack):
        made = _stack(table, call, names, alias)
    else:
        raise NotLocalError("such a lateral view")
    columns = {**table.scope.columns, **made.scope.columns}
    if len(columns) < len(table.scope.columns) + len(names):
        raise NotLocalError("a lateral view with a column of the table's")
    return Relation(f"{table.sql}, {made.sql}", replace(table.scope, columns=columns))


def _series(table: Relation, series: exp.GenerateSeries, names: list[str], alias: str) -> Relation:
    """explode(sequence(1, n)): each row n times; Spark counts down to a smaller number."""
    require_only(series, "start", "end")
    low, high = together([translate(series.args[end], table.scope) for end in ("start", "end")])
    if low.dtype != BIGINT:
        raise NotLocalError("such a sequence")
    (name,) = names
    step = f"CASE WHEN {high.sql} < {low.sql} THEN -1 ELSE 1 END"
    text = f"unnest(generate_series({low.sql}, {high.sql}, {step})) AS {alias}({quoted(name)})"
    return Relation(text, scope_of({name: BIGINT}, alias))


def _stack(table: Relation, call: exp.Stack, names: list[str], alias: str) -> Relation:
    """stack(n, ...): each row as n rows of other values, the last of them NULL if there are few."""
    values = [translate(each, table.scope) for each in call.expressions]
    count, width = plain_number(call.this), len(names)
    if not count or width != -(-len(values) // count):
        raise NotLocalError("such a stack")
    values += [Typed("NULL", VOID)] * (count * width - len(values))
    rows = [values[start : start + width] for start in range(0, len(values), width)]
    columns = [together(column) for column in zip(*rows, strict=True)]
    require_simple([column[0].dtype for column in columns])
    texts = []
    for row in zip(*columns, strict=True):
        items = (f"{value.sql} AS {quoted(name)}" for value, name in zip(row, names, strict=True))
        texts.append(f"SELECT {', '.join(items)}")
    types = {name: column[0].dtype for name, column in zip(names, columns, strict=True)}
    return Relation(f"LATERAL ({' UNION ALL '.join(texts)}) AS {alias}", scope_of(types, alias))
