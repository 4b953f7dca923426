"""Prints statements as Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from slackwater.algebra.operators import (
    Expand,
    Generate,
    Join,
    JoinKey,
    JoinKind,
    Range,
    Values,
    Window,
)
from slackwater.compiler.select_parts import FRAME_COLUMN, Select
from slackwater.compiler.selects import SelectPrinter
from slackwater.expr.nodes import (
    AggregateCall,
    Call,
    ColumnId,
    ColumnRef,
    Expr,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.expr.registers import SPARK, Sketch
from slackwater.expr.sql import ExpressionPrinter, quote_name
from slackwater.plan.program import ComputeStep
from slackwater.plan.statements import NO_COLUMNS, Statement
from slackwater.types import ArrayType, DataType, MapType, StructType

_PLAIN = re.compile(rf"{FRAME_COLUMN.pattern}|c\d+|[a-z]+\d+_[a-z_]+|a[0-9a-f]{{16}}_rows")
"""Names of frames and of their columns; none of them is a word of SQL."""


def print_spark(statement: Statement) -> str:
    """The statement as Spark SQL.

    >>> from slackwater.algebra.columns import Column
    >>> from slackwater.algebra.operators import Filter, Scan
    >>> from slackwater.expr.functions import call
    >>> from slackwater.expr.nodes import ColumnId
    >>> from slackwater.types import BIGINT
    >>> count = Column(ColumnId(1), "k0", BIGINT)
    >>> few = call("<", count.ref(), Literal("5", BIGINT))
    >>> print_spark(Statement(Filter(Scan("changes", (count,)), few), ("k0",)))
    'SELECT k0 FROM `changes` WHERE (k0 < 5L)'
    """
    return SparkPrinter().statement(statement)


def print_step(step: ComputeStep) -> str:
    """A step's statement as Spark SQL, with its parts before it."""
    text = print_spark(step.statement)
    if not step.parts:
        return text
    tables = ",\n".join(f"  {name} AS ({print_spark(part)})" for name, part in step.parts)
    return f"WITH\n{tables}\n{text}"


class SparkPrinter(SelectPrinter):
    """Spark's dialect."""

    joins: ClassVar[Mapping[JoinKind, str]] = {
        JoinKind.INNER: "INNER JOIN",
        JoinKind.CROSS: "CROSS JOIN",
        JoinKind.LEFT: "LEFT OUTER JOIN",
        JoinKind.RIGHT: "RIGHT OUTER JOIN",
        JoinKind.FULL: "FULL OUTER JOIN",
        JoinKind.SEMI: "LEFT SEMI JOIN",
        JoinKind.ANTI: "LEFT ANTI JOIN",
        JoinKind.NULL_AWARE_ANTI: "LEFT ANTI JOIN",
    }

    def quote(self, name: str) -> str:
        """Users' names are quoted, ours need not be."""
        return name if _PLAIN.fullmatch(name) else quote_name(name)

    def expression(self, expr: Expr, select: Select) -> str:
        """The expression's own text."""
        return _printer(select).text(expr)

    def join_condition(self, rel: Join, select: Select) -> str:
        """Equal keys and the residual condition."""
        parts = [self._key(key, rel.kind, select) for key in rel.keys]
        if rel.residual is not None:
            parts.append(self.expression(rel.residual, select))
        return " AND ".join(parts) or "TRUE"

    def _key(self, key: JoinKey, kind: JoinKind, select: Select) -> str:
        sign = "<=>" if key.null_safe else "="
        left, right = (self.expression(side, select) for side in (key.left, key.right))
        equality = f"({left} {sign} {right})"
        if kind is JoinKind.NULL_AWARE_ANTI:
            return f"({equality} OR ({equality} IS NULL))"
        return equality

    def group_key(self, expr: Expr, select: Select) -> str:
        """A bare number would mean the output column at that position."""
        text = self.expression(expr, select)
        return f"coalesce({text})" if isinstance(expr, Literal) else text

    def sort_keys(self, keys: tuple[SortKey, ...], select: Select) -> str:
        """The keys of ORDER BY."""
        return _printer(select).sort_keys(keys)

    def window(self, call: WindowCall, rel: Window, select: Select) -> str:
        """A window function with its OVER clause."""
        return _printer(select).window_text(call, rel.partition, rel.order)

    def generated(self, rel: Generate) -> Select:
        """A lateral view."""
        select = self.lateral_base(rel.input)
        outer = "OUTER " if rel.outer else ""
        made = {column.id: f"c{column.id}" for column in rel.generated}
        text = self.expression(rel.generator, select)
        view = f" LATERAL VIEW {outer}{text} generated AS {', '.join(made.values())}"
        return replace(select, source=select.source + view, columns={**select.columns, **made})

    def expanded(self, rel: Expand, new: tuple[int, ...]) -> Select:
        """A lateral view of a row per projection."""
        select = self.lateral_base(rel.input)
        names = ", ".join(f"c{rel.columns[n].id}" for n in new)
        rows = [[self.expression(row[n], select) for n in new] for row in rel.projections]
        if any(_is_nested(rel.columns[n].dtype) for n in new):
            # A stack wants types that also agree in where NULL may be inside; an array does not.
            stack = f"inline(array({', '.join(map(_struct, rows))}))"
        else:
            stack = f"stack({len(rows)}, {', '.join(value for row in rows for value in row)})"
        made = {rel.columns[n].id: f"c{rel.columns[n].id}" for n in new}
        texts = {**select.columns, **made}
        return replace(
            select,
            source=f"{select.source} LATERAL VIEW {stack} expanded AS {names}",
            columns={column.id: texts[column.id] for column in rel.columns},
        )

    def constant_rows(self, rel: Values) -> str:
        """A VALUES list; Spark has no form for one without rows or columns."""
        if not rel.columns:
            return f"(SELECT TRUE AS {NO_COLUMNS} FROM range({len(rel.rows)}))"
        nothing = Select("", {})
        if not rel.rows:
            nulls = [
                f"{self.expression(Literal(None, column.dtype), nothing)} AS c{column.id}"
                for column in rel.columns
            ]
            return f"(SELECT {', '.join(nulls)} WHERE FALSE)"
        rows = ", ".join(
            f"({', '.join(self.expression(value, nothing) for value in row)})" for row in rel.rows
        )
        names = ", ".join(f"c{column.id}" for column in rel.columns)
        return f"(SELECT * FROM VALUES {rows} AS v({names}))"

    def number_rows(self, rel: Range) -> str:
        """Spark's own range."""
        return f"(SELECT id AS c{rel.output.id} FROM range({rel.start}, {rel.end}, {rel.step}))"

    def single_join(self, rel: Join, left: Select, right: Select) -> Select:
        """A scalar subquery per left row, which is how Spark raises on a second match."""
        both = Select("", {**left.columns, **right.columns}, tables=2)
        kept = "".join(
            f"{left.columns[column.id]} AS c{column.id}, " for column in rel.left.columns
        )
        row = ", ".join(
            f"'c{column.id}', {right.columns[column.id]}" for column in rel.right.columns
        )
        found = f"SELECT named_struct({row}) FROM {right.source}"
        subquery = f"({found} WHERE {self.join_condition(rel, both)}) AS one"
        columns = {column.id: f"c{column.id}" for column in rel.left.columns}
        columns |= {column.id: f"one.c{column.id}" for column in rel.right.columns}
        return Select(f"(SELECT {kept}{subquery} FROM {left.source})", columns)

    def single_value(self, value: Expr, select: Select) -> str:
        """A scalar subquery, which raises on a second row and gives NULL over none."""
        only = ColumnId(0)
        text = self.expression(value, select)
        return f"({self.text(replace(select, items=((only, text),)), (only,), ('value',))})"


class SparkExpressions(ExpressionPrinter):
    """Expressions as Spark runs them: functions of ours are spelled out to the last constant."""

    def registers_estimate(self, call: Call) -> str:
        """The arithmetic of the estimate."""
        total, registers = map(self.text, call.args)
        return SPARK.estimate(Sketch.of(call.params), total, registers)

    def count_by_registers(self, call: AggregateCall) -> str:
        """The same, with the sums that it is made of."""
        (digits,) = map(self.text, call.args)
        term = f"CAST(shiftleft(1L, {digits}) AS DECIMAL(20,0))"
        total = f"coalesce(CAST(sum({term}) AS DOUBLE), 0.0D)"
        return SPARK.estimate(Sketch.of(call.params), total, f"count({digits})")


def _printer(select: Select) -> ExpressionPrinter:
    def name(column: ColumnRef) -> str:
        return select.columns[column.id]

    return SparkExpressions(name)


def _struct(values: list[str]) -> str:
    members = ", ".join(f"'f{n}', {value}" for n, value in enumerate(values))
    return f"named_struct({members})"


def _is_nested(dtype: DataType) -> bool:
    return isinstance(dtype, ArrayType | MapType | StructType)
