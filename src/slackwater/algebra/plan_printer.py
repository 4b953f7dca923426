"""Prints plans: one operator a line, inputs indented below, the same text every time."""

from __future__ import annotations

from functools import singledispatchmethod

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
    JoinKey,
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
from slackwater.expr.nodes import ColumnRef, Expr, WindowCall
from slackwater.expr.sql import ExpressionPrinter

_ROWS_SHOWN = 5


def print_plan(rel: Rel) -> str:
    """The plan as an indented tree for people.

    >>> from slackwater.algebra.columns import Column
    >>> from slackwater.expr.nodes import ColumnId
    >>> from slackwater.types import INTEGER
    >>> print(print_plan(Limit(Scan("t", (Column(ColumnId(1), "a", INTEGER),)), 5)))
    Limit 5
      Scan t [a#1 INT]
    """
    return PlanPrinter().tree(rel)


class PlanPrinter:
    """Prints operators; a subclass decides how columns are written."""

    def __init__(self) -> None:
        """Expressions write columns as this printer does."""
        self._expressions = ExpressionPrinter(self.name)

    def tree(self, rel: Rel, indent: int = 0) -> str:
        """The operator and its inputs below it."""
        lines = ["  " * indent + self.describe(rel)]
        lines += [self.tree(each, indent + 1) for each in rel.inputs]
        return "\n".join(lines)

    def name(self, column: Column | ColumnRef) -> str:
        """The text of a column: its name and its id."""
        return f"{column.name}#{column.id}"

    def source_name(self, column: Column) -> str:
        """The text of a source's column where it is read."""
        return self.name(column)

    @singledispatchmethod
    def describe(self, rel: Rel) -> str:
        """One operator on one line, without its inputs."""
        return type(rel).__name__

    @describe.register
    def _(self, rel: Scan) -> str:
        columns = ", ".join(self._definition(each, self.source_name(each)) for each in rel.columns)
        return f"Scan {rel.source} [{columns}]"

    @describe.register
    def _(self, rel: Values) -> str:
        rows = ", ".join(f"({self._list(row)})" for row in self.shown_rows(rel))
        more = f" and more, {len(rel.rows)} rows" if len(rel.rows) > _ROWS_SHOWN else ""
        return f"Values [{self._definitions(rel.columns)}] {rows}{more}"

    def shown_rows(self, rel: Values) -> tuple[tuple[Expr, ...], ...]:
        """The constant rows worth printing."""
        return rel.rows[:_ROWS_SHOWN]

    @describe.register
    def _(self, rel: Range) -> str:
        column = self._definition(rel.output, self.name(rel.output))
        return f"Range {column} from {rel.start} to {rel.end} step {rel.step}"

    @describe.register
    def _(self, rel: Recompute) -> str:
        read = ", ".join(rel.sources) or "constants"
        columns = self._definitions(rel.columns)
        return f"Recompute {rel.fragment} [{columns}] of {read}: {rel.reason}"

    @describe.register
    def _(self, rel: Filter) -> str:
        return f"Filter {self._expressions.text(rel.condition)}"

    @describe.register
    def _(self, rel: Project) -> str:
        return f"Project [{self._outputs(rel.outputs)}]"

    @describe.register
    def _(self, rel: Join) -> str:
        parts = [f"Join {rel.kind.value}"]
        if rel.keys:
            parts.append(f"on {', '.join(self._key(key) for key in rel.keys)}")
        if rel.residual is not None:
            parts.append(f"where {self._expressions.text(rel.residual)}")
        if rel.mark is not None:
            parts.append(f"mark {self.name(rel.mark)}")
        return " ".join(parts)

    @describe.register
    def _(self, rel: Aggregate) -> str:
        return f"Aggregate by [{self._outputs(rel.keys)}] [{self._outputs(rel.aggregates)}]"

    @describe.register
    def _(self, rel: Union) -> str:
        return f"Union [{self._names(rel.columns)}]"

    @describe.register
    def _(self, rel: Window) -> str:
        functions = ", ".join(
            f"{self._window(output.expr, rel)} AS {self.name(output.column)}"
            for output in rel.functions
        )
        return f"Window [{functions}]"

    @describe.register
    def _(self, rel: Expand) -> str:
        rows = ", ".join(f"[{self._list(each)}]" for each in rel.projections)
        return f"Expand [{self._names(rel.columns)}] {rows}"

    @describe.register
    def _(self, rel: Generate) -> str:
        outer = " outer" if rel.outer else ""
        generator = self._expressions.text(rel.generator)
        return f"Generate{outer} {generator} AS [{self._names(rel.generated)}]"

    @describe.register
    def _(self, rel: Sort) -> str:
        return f"Sort [{self._expressions.sort_keys(rel.keys)}]"

    @describe.register
    def _(self, rel: Limit) -> str:
        count = "all" if rel.count is None else str(rel.count)
        return f"Limit {count}" + (f" offset {rel.offset}" if rel.offset else "")

    @describe.register
    def _(self, rel: GroupLimit) -> str:
        by = f" by [{self._list(rel.partition)}]" if rel.partition else ""
        order = self._expressions.sort_keys(rel.order)
        return f"GroupLimit {rel.kind.value} {rel.count}{by} in [{order}]"

    def _list(self, exprs: tuple[Expr, ...]) -> str:
        return ", ".join(self._expressions.text(expr) for expr in exprs)

    def _names(self, columns: tuple[Column, ...]) -> str:
        return ", ".join(self.name(column) for column in columns)

    def _definitions(self, columns: tuple[Column, ...]) -> str:
        return ", ".join(self._definition(column, self.name(column)) for column in columns)

    def _definition(self, column: Column, name: str) -> str:
        return f"{name} {column.dtype.sql()}" + ("" if column.nullable else " NOT NULL")

    def _outputs(self, outputs: tuple[Output, ...]) -> str:
        return ", ".join(
            self.name(output.column)
            if output.passes_through
            else f"{self._expressions.text(output.expr)} AS {self.name(output.column)}"
            for output in outputs
        )

    def _key(self, key: JoinKey) -> str:
        sign = "<=>" if key.null_safe else "="
        return f"{self._expressions.text(key.left)} {sign} {self._expressions.text(key.right)}"

    def _window(self, expr: Expr, rel: Window) -> str:
        if not isinstance(expr, WindowCall):
            raise TypeError(f"not a window call: {expr!r}")
        return self._expressions.window_text(expr, rel.partition, rel.order)
