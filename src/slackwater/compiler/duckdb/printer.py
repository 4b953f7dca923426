"""Prints relations as DuckDB's SELECTs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import (
    Expand,
    Generate,
    Join,
    JoinKey,
    JoinKind,
    Range,
    Recompute,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.duckdb.casts import under
from slackwater.compiler.duckdb.errors import may_fail
from slackwater.compiler.duckdb.expressions import write
from slackwater.compiler.duckdb.failing import failing_columns
from slackwater.compiler.duckdb.float_keys import as_key
from slackwater.compiler.duckdb.logic import compared, condition
from slackwater.compiler.duckdb.orders import write_order
from slackwater.compiler.duckdb.scope import Scope, refused
from slackwater.compiler.duckdb.types import (
    NotLocalError,
    duckdb_type,
    is_groupable,
    quoted,
    quoted_text,
)
from slackwater.compiler.duckdb.windows import write_window
from slackwater.compiler.select_parts import Condition, Select, Texts
from slackwater.compiler.selects import SelectPrinter
from slackwater.expr.facts import conjuncts
from slackwater.expr.nodes import Call, ColumnId, Expr, Literal, SortKey, WindowCall
from slackwater.plan.statements import NO_COLUMNS, Statement
from slackwater.types import BIGINT, VOID, ArrayType, StructType

_ROWS = ColumnId(-1)
"""An id that no column has, for the item of a SELECT that makes rows."""
_MADE = "made"
"""The name of that item."""


class DuckdbPrinter(SelectPrinter):
    """DuckDB's dialect. Columns have their table before them: a bare name may mean an output."""

    always_qualifies: ClassVar[bool] = True
    joins: ClassVar[Mapping[JoinKind, str]] = {
        JoinKind.INNER: "INNER JOIN",
        JoinKind.CROSS: "CROSS JOIN",
        JoinKind.LEFT: "LEFT JOIN",
        JoinKind.RIGHT: "RIGHT JOIN",
        JoinKind.FULL: "FULL JOIN",
        JoinKind.SEMI: "SEMI JOIN",
        JoinKind.ANTI: "ANTI JOIN",
        JoinKind.NULL_AWARE_ANTI: "ANTI JOIN",
    }

    def __init__(self, suffix: str = "") -> None:
        """No alias is taken and no part is printed yet; frames are named with the suffix."""
        super().__init__()
        self._suffix = suffix
        self._failing: dict[str, frozenset[str]] = {}

    def table(self, name: str) -> str:
        """Parts are called by their names, frames by names that only this statement uses."""
        return quoted(name if name in self._failing else name + self._suffix)

    def statement(self, statement: Statement) -> str:
        """The statement as one query."""
        _require_known(statement.rel)
        return super().statement(statement)

    def part(self, name: str, statement: Statement) -> str:
        """A statement that others read by its name, as a part of WITH."""
        text = self.statement(statement)
        failing = self.failing_columns(statement.rel)
        pairs = zip(statement.names, statement.rel.columns, strict=True)
        self._failing[name] = frozenset(each for each, column in pairs if column.id in failing)
        return f"{quoted(name)} AS ({text})"

    def quote(self, name: str) -> str:
        """Every name is quoted."""
        return quoted(name)

    def expression(self, expr: Expr, select: Select) -> str:
        """A value of exactly its type in Spark."""
        return write(expr, _scope(select))

    def condition(self, part: Expr, select: Select) -> Condition:
        """A condition on rows, and whether it may fail."""
        return Condition(condition(part, _scope(select)), may_fail(part, select.failing))

    def conditions(self, parts: Sequence[Condition], select: Select) -> str:
        """Keeps the order of parts: one behind a part that may fail must not hide its error.

        DuckDB would look at simple comparisons first, wherever they stand. Parts of a condition
        on several tables have no order in Spark either, and DuckDB joins by those it finds.
        """
        if select.tables > 1:
            return " AND ".join(part.text for part in parts)
        found = parts[-1].text
        for part in reversed(parts[:-1]):
            both = f"({part.text} AND {found})"
            either = f"CASE WHEN {part.text} THEN {found} ELSE FALSE END"
            found = either if part.may_fail else both
        return found

    def failing_columns(self, rel: Rel) -> frozenset[ColumnId]:
        """Columns that may fail where they are computed: what is asked of them comes later."""
        return failing_columns(rel, self._failing)

    def join_condition(self, rel: Join, select: Select) -> str:
        """Equal keys and the parts of the residual condition, in which order is of no account."""
        parts = [self._key(key, rel.kind, select) for key in rel.keys]
        if rel.residual is not None:
            scope = _scope(select)
            parts += [condition(part, scope) for part in conjuncts(rel.residual)]
        return " AND ".join(parts) or "TRUE"

    def _key(self, key: JoinKey, kind: JoinKind, select: Select) -> str:
        left, right = compared((key.left, key.right), _scope(select))
        equality = f"({left} {'IS NOT DISTINCT FROM' if key.null_safe else '='} {right})"
        if kind is JoinKind.NULL_AWARE_ANTI:
            return f"({equality} OR ({equality} IS NULL))"
        return equality

    def group_key(self, expr: Expr, select: Select) -> str:
        """A value that both engines equate alike."""
        if not is_groupable(expr.dtype):
            raise refused(expr, "grouping by a value")
        return as_key(self.expression(expr, select), expr.dtype)

    def shown_key(self, expr: Expr, select: Select) -> str:
        """The key as it stands in GROUP BY; of equal values it shows the one that Spark shows."""
        return self.group_key(expr, select)

    def window(self, call: WindowCall, rel: Window, select: Select) -> str:
        """A window function with its OVER clause."""
        return write_window(call, rel.partition, rel.order, _scope(select))

    def generated(self, rel: Generate) -> Select:
        """A row per element of an array, or several rows of given values."""
        select, generator = self.open_select(rel.input), rel.generator
        if generator.function == "stack" and not rel.outer:
            return self._stacked(rel, select, _stack_rows(rel), rel.generated)
        form = _GENERATORS.get(generator.function)
        if form is None or len(generator.args) != 1:
            raise refused(generator, "such a generator")
        rows, made = form(rel, _scope(select))
        return self._with_rows(rel, select, f"unnest({rows})", made)

    def expanded(self, rel: Expand, new: tuple[int, ...]) -> Select:
        """A row per projection."""
        rows = [tuple(row[n] for n in new) for row in rel.projections]
        columns = tuple(rel.columns[n] for n in new)
        return self._stacked(rel, self.open_select(rel.input), rows, columns)

    def _stacked(
        self, rel: Rel, select: Select, rows: Sequence[tuple[Expr, ...]], made: tuple[Column, ...]
    ) -> Select:
        """Several rows of values: the elements of an array of structs."""
        scope = _scope(select)
        structs = []
        for row in rows:
            pairs = zip(made, row, strict=True)
            fields = (f"c{each.id} := {under(value, each.dtype, scope)}" for each, value in pairs)
            structs.append(f"struct_pack({', '.join(fields)})")
        array = f"[{', '.join(structs)}]" if made else f"range({len(rows)})"
        fields_of = {each.id: f"struct_extract({{}}, 'c{each.id}')" for each in made}
        return self._with_rows(rel, select, f"unnest({array})", fields_of)

    def _with_rows(self, rel: Rel, select: Select, rows: str, made: Texts) -> Select:
        """The SELECT with an item that makes rows, as a table: the item stays, read or not.

        `made` says how each new column is read from that item, which stands in place of `{}`.
        DuckDB is slow where the rows are made in FROM of anything but a column.
        """
        ids = tuple(select.columns)
        items = (*select.columns.items(), (_ROWS, rows))
        names = (*(f"c{each}" for each in ids), _MADE)
        text = self.text(replace(select, items=items), (*ids, _ROWS), names)
        alias = self.alias()
        columns = {each: f"{alias}.c{each}" for each in ids}
        columns |= {each: form.format(f"{alias}.{_MADE}") for each, form in made.items()}
        kept = {column.id: columns[column.id] for column in rel.columns}
        return Select(f"({text}) AS {alias}", kept, failing=self.failing_columns(rel))

    def constant_rows(self, rel: Values) -> str:
        """A VALUES list, each value under its type."""
        if not rel.columns:
            return f"(SELECT TRUE AS {NO_COLUMNS} FROM range({len(rel.rows)}))"
        nothing = Select("", {})
        if not rel.rows:
            nulls = (
                f"{self.expression(Literal(None, column.dtype), nothing)} AS c{column.id}"
                for column in rel.columns
            )
            return f"(SELECT {', '.join(nulls)} WHERE FALSE)"
        rows = (
            f"({', '.join(self.expression(value, nothing) for value in row)})" for row in rel.rows
        )
        names = ", ".join(f"c{column.id}" for column in rel.columns)
        return f"(SELECT * FROM (VALUES {', '.join(rows)}) AS v({names}))"

    def number_rows(self, rel: Range) -> str:
        """DuckDB's own range."""
        numbers = f"range({rel.start}, {rel.end}, {rel.step}) AS r(c{rel.output.id})"
        return f"(SELECT * FROM {numbers})"

    def sort_keys(self, keys: tuple[SortKey, ...], select: Select) -> str:
        """The keys of ORDER BY."""
        return write_order(keys, _scope(select))

    def single_join(self, rel: Join, left: Select, right: Select) -> Select:
        """The only match of each left row, as a subquery; a second one is an error."""
        if not rel.right.columns:
            raise NotLocalError("a join with rows that have no columns")
        failing = left.failing | right.failing
        both = Select("", {**left.columns, **right.columns}, tables=2, failing=failing)
        kept = "".join(
            f"{left.columns[column.id]} AS c{column.id}, " for column in rel.left.columns
        )
        pairs = (f"c{column.id} := {right.columns[column.id]}" for column in rel.right.columns)
        types = (f"c{column.id} {duckdb_type(column.dtype)}" for column in rel.right.columns)
        row = _only(f"struct_pack({', '.join(pairs)})", f"STRUCT({', '.join(types)})")
        condition = self.join_condition(rel, both)
        match = f"(SELECT {row} FROM {right.source} WHERE {condition}) AS {_MADE}"
        alias = self.alias()
        columns = {column.id: f"{alias}.c{column.id}" for column in rel.left.columns}
        columns |= {
            column.id: f"struct_extract({alias}.{_MADE}, 'c{column.id}')"
            for column in rel.right.columns
        }
        source = f"(SELECT {kept}{match} FROM {left.source}) AS {alias}"
        return Select(source, columns, failing=self.failing_columns(rel))

    def single_value(self, value: Expr, select: Select) -> str:
        """The value of the only row; NULL over none."""
        text = _only(self.expression(value, select), duckdb_type(value.dtype))
        only = replace(select, items=((_ROWS, text),))
        return f"({self.text(only, (_ROWS,), (_MADE,))})"


def _only(text: str, dtype: str) -> str:
    """The value of the only row of a group, whose second row is an error."""
    fails = f"CAST(error('more than one row') AS {dtype})"
    return f"CASE WHEN count(*) > 1 THEN {fails} ELSE first({text}) END"


def _require_known(rel: Rel) -> None:
    """Refuse the operators that only Spark has."""
    for each in walk_rel(rel):
        if isinstance(each, Recompute):
            raise NotLocalError(f"a part of a query that Spark runs whole: {each.reason}")


def _scope(select: Select) -> Scope:
    return Scope(write, select.columns, select.failing)


def _elements(rel: Generate, scope: Scope) -> tuple[str, Texts]:
    """A row per element."""
    (values,) = rel.generator.args
    if len(rel.generated) != 1:
        raise NotLocalError("a generator of several columns")
    if isinstance(values, Call) and values.function == "sequence":
        rows = _series(values, scope)
    else:
        rows = _array_text(values, scope)
    return _or_one(rows, rel), {rel.generated[0].id: "{}"}


def _numbered(rel: Generate, scope: Scope) -> tuple[str, Texts]:
    """A row per element with its place, which is counted from 0."""
    (values,), (place, item) = rel.generator.args, rel.generated
    inner, variable = scope.with_variable(f"c{item.id}")
    _, number = inner.with_variable(f"c{place.id}")
    pair = f"struct_pack(place := CAST({number} - 1 AS INTEGER), item := {variable})"
    pairs = f"list_transform({_array_text(values, scope)}, lambda {variable}, {number}: {pair})"
    made = {place.id: "struct_extract({}, 'place')", item.id: "struct_extract({}, 'item')"}
    return _or_one(pairs, rel), made


def _structs(rel: Generate, scope: Scope) -> tuple[str, Texts]:
    """A row per struct, a column per field; of a struct that is NULL all are."""
    (values,) = rel.generator.args
    text = _array_text(values, scope)
    struct = values.dtype.element if isinstance(values.dtype, ArrayType) else None
    if not isinstance(struct, StructType) or len(struct.fields) != len(rel.generated):
        raise refused(values, "inline of something else than structs")
    pairs = zip(rel.generated, struct.fields, strict=True)
    made = {
        column.id: f"struct_extract({{}}, {quoted_text(_plain_name(field.name))})"
        for column, field in pairs
    }
    return _or_one(text, rel), made


def _plain_name(name: str) -> str:
    """The name of a field as part of a form, in which braces stand for values."""
    return name.replace("{", "{{").replace("}", "}}")


def _array_text(values: Expr, scope: Scope) -> str:
    if not isinstance(values.dtype, ArrayType):
        raise refused(values, f"rows of something else than an array: {values.dtype}")
    return scope.text(values)


def _or_one(rows: str, rel: Generate) -> str:
    """The elements; of none at all one NULL, where a row must stay."""
    return f"CASE WHEN len({rows}) > 0 THEN {rows} ELSE [NULL] END" if rel.outer else rows


_GENERATORS: Mapping[str, Callable[[Generate, Scope], tuple[str, Texts]]] = {
    "explode": _elements,
    "posexplode": _numbered,
    "inline": _structs,
}


def _stack_rows(rel: Generate) -> list[tuple[Expr, ...]]:
    """The rows of stack(n, ...); the last values are NULL if there are few."""
    number, *values = rel.generator.args
    count = int(number.value or 0) if isinstance(number, Literal) else 0
    width = len(rel.generated)
    if count <= 0 or width != -(-len(values) // count):
        raise refused(rel.generator, "such a stack")
    values += [Literal(None, VOID)] * (count * width - len(values))
    return [tuple(values[start : start + width]) for start in range(0, len(values), width)]


def _series(call: Call, scope: Scope) -> str:
    """The numbers between two; Spark counts down to a smaller one."""
    if len(call.args) != 2 or any(each.dtype != BIGINT for each in call.args):
        raise refused(call, "such a sequence")
    low, high = scope.texts(call.args)
    step = f"CASE WHEN {high} < {low} THEN -1 ELSE 1 END"
    return f"generate_series({low}, {high}, {step})"
