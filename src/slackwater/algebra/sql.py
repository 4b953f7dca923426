"""Prints operators as Spark SQL: one SELECT per operator over its named inputs.

Columns are written by their ids (`c3`), so that no two clash whatever the user called them.
"""

from __future__ import annotations

from functools import singledispatchmethod

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Project,
    Range,
    Recompute,
    Scan,
    Sort,
    Union,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import AggregateCall, ColumnRef, Expr, Literal, WindowCall
from slackwater.expr.sql import ExpressionPrinter, quote_name
from slackwater.types import ArrayType, DataType, MapType, StructType

_JOINS = {
    JoinKind.INNER: "INNER JOIN",
    JoinKind.LEFT: "LEFT OUTER JOIN",
    JoinKind.RIGHT: "RIGHT OUTER JOIN",
    JoinKind.FULL: "FULL OUTER JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
    JoinKind.NULL_AWARE_ANTI: "LEFT ANTI JOIN",
}
NO_COLUMNS = "TRUE AS no_columns"
"""Stands in for the columns of a relation that has none, so that SQL can count its rows."""


def column_name(column: Column | ColumnRef) -> str:
    """How statements write a column."""
    return f"c{column.id}"


def column_list(columns: tuple[Column, ...]) -> str:
    """How statements list columns; never nothing, so that SQL can count rows without any."""
    return ", ".join(column_name(column) for column in columns) or NO_COLUMNS


def _is_single_value(rel: Aggregate) -> bool:
    return any(
        isinstance(output.expr, AggregateCall) and output.expr.function == "single_value"
        for output in rel.aggregates
    )


class OperatorPrinter:
    """Prints one operator at a time; the caller names the inputs."""

    def __init__(self) -> None:
        """Expressions write columns as operators do."""
        self._printer = ExpressionPrinter(column_name)

    def text(self, expr: Expr) -> str:
        """An expression as SQL over the columns of the inputs."""
        return self._printer.text(expr)

    @singledispatchmethod
    def select(self, rel: Rel, inputs: tuple[str, ...]) -> str:
        """The SELECT for one operator over its named inputs."""
        raise TypeError(f"no SQL form for {type(rel).__name__} of {inputs}")

    @select.register
    def _(self, rel: Scan, _inputs: tuple[str, ...]) -> str:
        outputs = [f"{quote_name(column.name)} AS {column_name(column)}" for column in rel.columns]
        return f"SELECT {', '.join(outputs)} FROM {quote_name(rel.source)}"

    @select.register
    def _(self, rel: Values, _inputs: tuple[str, ...]) -> str:
        if not rel.columns:
            return f"SELECT {NO_COLUMNS} FROM range({len(rel.rows)})"
        if not rel.rows:
            nulls = [
                f"{self.text(Literal(None, column.dtype))} AS {column_name(column)}"
                for column in rel.columns
            ]
            return f"SELECT {', '.join(nulls)} WHERE FALSE"
        rows = ", ".join(f"({', '.join(map(self.text, row))})" for row in rel.rows)
        return f"SELECT * FROM VALUES {rows} AS v({column_list(rel.columns)})"

    @select.register
    def _(self, rel: Range, _inputs: tuple[str, ...]) -> str:
        return (
            f"SELECT id AS {column_name(rel.output)} FROM range({rel.start}, {rel.end}, {rel.step})"
        )

    @select.register
    def _(self, rel: Recompute, _inputs: tuple[str, ...]) -> str:
        outputs = [f"p{k} AS {column_name(column)}" for k, column in enumerate(rel.columns)]
        return f"SELECT {', '.join(outputs) or NO_COLUMNS} FROM {quote_name(rel.fragment)}"

    @select.register
    def _(self, rel: Filter, inputs: tuple[str, ...]) -> str:
        return (
            f"SELECT {column_list(rel.columns)} FROM {inputs[0]} WHERE {self.text(rel.condition)}"
        )

    @select.register
    def _(self, rel: Project, inputs: tuple[str, ...]) -> str:
        return f"SELECT {self.outputs(rel.outputs) or NO_COLUMNS} FROM {inputs[0]}"

    @select.register
    def _(self, rel: Join, inputs: tuple[str, ...]) -> str:
        left, right = inputs
        columns = column_list(rel.columns)
        if rel.kind is JoinKind.CROSS:
            return f"SELECT {columns} FROM {left} CROSS JOIN {right}"
        condition = self.condition(rel)
        if rel.mark is not None:
            exists = f"EXISTS (SELECT 1 FROM {right} WHERE {condition}) AS {column_name(rel.mark)}"
            kept = ", ".join([*(column_name(column) for column in rel.left.columns), exists])
            return f"SELECT {kept} FROM {left}"
        if rel.kind is JoinKind.SINGLE:
            return self._single(rel, left, right, condition)
        return f"SELECT {columns} FROM {left} {_JOINS[rel.kind]} {right} ON {condition}"

    def _single(self, rel: Join, left: str, right: str, condition: str) -> str:
        """A scalar subquery per left row, which is how Spark raises on a second match."""
        kept = "".join(f"{column_name(column)}, " for column in rel.left.columns)
        row = ", ".join(
            f"'{column_name(column)}', {column_name(column)}" for column in rel.right.columns
        )
        found = ", ".join(
            f"one.{column_name(column)} AS {column_name(column)}" for column in rel.right.columns
        )
        subquery = f"(SELECT named_struct({row}) FROM {right} WHERE {condition}) AS one"
        return f"SELECT {kept}{found} FROM (SELECT {kept}{subquery} FROM {left})"

    def condition(self, rel: Join) -> str:
        """When two rows match: equal keys and the residual condition."""
        parts = [self._key(key, rel.kind) for key in rel.keys]
        if rel.residual is not None:
            parts.append(self.text(rel.residual))
        return " AND ".join(parts) or "TRUE"

    def _key(self, key: JoinKey, kind: JoinKind) -> str:
        sign = "<=>" if key.null_safe else "="
        equality = f"({self.text(key.left)} {sign} {self.text(key.right)})"
        if kind is JoinKind.NULL_AWARE_ANTI:
            return f"({equality} OR ({equality} IS NULL))"
        return equality

    @select.register
    def _(self, rel: Aggregate, inputs: tuple[str, ...]) -> str:
        if _is_single_value(rel):
            # A scalar subquery is what raises on a second row and gives NULL over none.
            (output,) = rel.aggregates
            (value,) = output.expr.children
            found = f"(SELECT {self.text(value)} FROM {inputs[0]})"
            return f"SELECT {found} AS {column_name(output.column)}"
        outputs = self.outputs((*rel.keys, *rel.aggregates))
        if not rel.keys:
            # Without keys there is one row even over nothing; an aggregate makes SQL say so.
            return f"SELECT {outputs or 'count(1) AS no_columns'} FROM {inputs[0]}"
        keys = ", ".join(self.group_key(key.expr) for key in rel.keys)
        return f"SELECT {outputs} FROM {inputs[0]} GROUP BY {keys}"

    def group_key(self, expr: Expr) -> str:
        """An expression as GROUP BY takes it."""
        text = self.text(expr)
        # A bare number would mean the output column at that position.
        return f"coalesce({text})" if isinstance(expr, Literal) else text

    @select.register
    def _(self, rel: Distinct, inputs: tuple[str, ...]) -> str:
        return f"SELECT DISTINCT {column_list(rel.columns)} FROM {inputs[0]}"

    @select.register
    def _(self, rel: Union, inputs: tuple[str, ...]) -> str:
        selects = []
        for name, branch in zip(inputs, rel.branches, strict=True):
            outputs = [
                f"{column_name(read)} AS {column_name(column)}"
                for read, column in zip(branch.columns, rel.columns, strict=True)
            ]
            selects.append(f"SELECT {', '.join(outputs) or NO_COLUMNS} FROM {name}")
        return " UNION ALL ".join(selects)

    @select.register
    def _(self, rel: Window, inputs: tuple[str, ...]) -> str:
        kept = [column_name(column) for column in rel.input.columns]
        added = [
            f"{self._window(output.expr, rel)} AS {column_name(output.column)}"
            for output in rel.functions
        ]
        return f"SELECT {', '.join([*kept, *added])} FROM {inputs[0]}"

    def _window(self, expr: Expr, rel: Window) -> str:
        if not isinstance(expr, WindowCall):
            raise TypeError(f"not a window call: {expr!r}")
        return self._printer.window_text(expr, rel.partition, rel.order)

    @select.register
    def _(self, rel: Expand, inputs: tuple[str, ...]) -> str:
        known = {column.id for column in rel.input.columns}
        new = [k for k, column in enumerate(rel.columns) if column.id not in known]
        names = ", ".join(column_name(rel.columns[k]) for k in new)
        rows = [[self.text(row[k]) for k in new] for row in rel.projections]
        if any(_is_nested(rel.columns[k].dtype) for k in new):
            # A stack wants types that also agree in where NULL may be inside; an array does not.
            stack = f"inline(array({', '.join(map(_struct, rows))}))"
        else:
            stack = f"stack({len(rows)}, {', '.join(value for row in rows for value in row)})"
        return (
            f"SELECT {column_list(rel.columns)} FROM {inputs[0]} "
            f"LATERAL VIEW {stack} expanded AS {names}"
        )

    @select.register
    def _(self, rel: Generate, inputs: tuple[str, ...]) -> str:
        outer = "OUTER " if rel.outer else ""
        names = ", ".join(column_name(column) for column in rel.generated)
        return (
            f"SELECT {column_list(rel.columns)} FROM {inputs[0]} "
            f"LATERAL VIEW {outer}{self.text(rel.generator)} generated AS {names}"
        )

    @select.register
    def _(self, rel: Sort, inputs: tuple[str, ...]) -> str:
        keys = self._printer.sort_keys(rel.keys)
        return f"SELECT {column_list(rel.columns)} FROM {inputs[0]} ORDER BY {keys}"

    @select.register
    def _(self, rel: Limit, inputs: tuple[str, ...]) -> str:
        limit = "" if rel.count is None else f" LIMIT {rel.count}"
        offset = f" OFFSET {rel.offset}" if rel.offset else ""
        return f"SELECT {column_list(rel.columns)} FROM {inputs[0]}{limit}{offset}"

    def outputs(self, outputs: tuple[Output, ...]) -> str:
        """The select list for outputs."""
        return ", ".join(
            column_name(output.column)
            if output.passes_through
            else f"{self.text(output.expr)} AS {column_name(output.column)}"
            for output in outputs
        )


def _struct(values: list[str]) -> str:
    members = ", ".join(f"'f{n}', {value}" for n, value in enumerate(values))
    return f"named_struct({members})"


def _is_nested(dtype: DataType) -> bool:
    return isinstance(dtype, ArrayType | MapType | StructType)
