"""Compiles a plan to one Spark SQL statement that computes it from scratch.

Every operator becomes one common table expression over those of its inputs. Columns are
named by their ids, so that no two clash whatever the user called them; the user's names come
back in the last SELECT.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.expr.nodes import AggregateCall, ColumnRef, Expr, Literal, WindowCall
from slackwater.expr.sql import ExpressionPrinter, quote_name

_JOINS = {
    JoinKind.INNER: "INNER JOIN",
    JoinKind.LEFT: "LEFT OUTER JOIN",
    JoinKind.RIGHT: "RIGHT OUTER JOIN",
    JoinKind.FULL: "FULL OUTER JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
    JoinKind.NULL_AWARE_ANTI: "LEFT ANTI JOIN",
}
_NO_COLUMNS = "TRUE AS no_columns"
"""Stands in for the columns of a relation that has none, so that SQL can count its rows."""


@dataclass(frozen=True, slots=True)
class FragmentUse:
    """A fragment the statement reads: a table of this name with columns p0, p1, ..."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class BatchStatement:
    """One SELECT that computes a plan, and the tables it expects to find."""

    sql: str
    sources: tuple[str, ...]
    fragments: tuple[FragmentUse, ...]


def compile_batch(rel: Rel, names: tuple[str, ...]) -> BatchStatement:
    """The statement that computes `rel`, its columns called by `names`.

    >>> from slackwater.expr.nodes import ColumnId
    >>> from slackwater.types import INTEGER
    >>> table = Scan("t", (Column(ColumnId(1), "a", INTEGER),))
    >>> print(compile_batch(Limit(table, 5), ("a",)).sql)
    WITH
      r1 AS (SELECT `a` AS c1 FROM `t`),
      r2 AS (SELECT c1 FROM r1 LIMIT 5)
    SELECT c1 AS `a` FROM r2
    """
    compiler = _BatchCompiler()
    root = compiler.compile(rel)
    outputs = [
        f"{_name(column)} AS {quote_name(name)}"
        for column, name in zip(rel.columns, names, strict=True)
    ]
    steps = ",\n".join(f"  {name} AS ({text})" for name, text in compiler.steps)
    return BatchStatement(
        sql=f"WITH\n{steps}\nSELECT {', '.join(outputs) or _NO_COLUMNS} FROM {root}",
        sources=tuple(sorted({each.source for each in walk_rel(rel) if isinstance(each, Scan)})),
        fragments=_fragments(rel),
    )


def _fragments(rel: Rel) -> tuple[FragmentUse, ...]:
    widths = {
        each.fragment: len(each.columns) for each in walk_rel(rel) if isinstance(each, Recompute)
    }
    return tuple(FragmentUse(name, width) for name, width in sorted(widths.items()))


def _name(column: Column | ColumnRef) -> str:
    return f"c{column.id}"


def _columns(columns: tuple[Column, ...]) -> str:
    return ", ".join(_name(column) for column in columns) or _NO_COLUMNS


def _is_single_value(rel: Aggregate) -> bool:
    return any(
        isinstance(output.expr, AggregateCall) and output.expr.function == "single_value"
        for output in rel.aggregates
    )


class _BatchCompiler:
    """Collects one step per operator, inputs first."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []
        self._printer = ExpressionPrinter(_name)

    def compile(self, rel: Rel) -> str:
        """Add the steps for an operator and everything below it; return the last one's name."""
        inputs = tuple(self.compile(each) for each in rel.inputs)
        text = self.select(rel, inputs)
        name = f"r{len(self.steps) + 1}"
        self.steps.append((name, text))
        return name

    @singledispatchmethod
    def select(self, rel: Rel, inputs: tuple[str, ...]) -> str:
        """The SELECT for one operator over its named inputs."""
        raise TypeError(f"no SQL form for {type(rel).__name__} of {inputs}")

    @select.register
    def _(self, rel: Scan, _inputs: tuple[str, ...]) -> str:
        outputs = [f"{quote_name(column.name)} AS {_name(column)}" for column in rel.columns]
        return f"SELECT {', '.join(outputs)} FROM {quote_name(rel.source)}"

    @select.register
    def _(self, rel: Values, _inputs: tuple[str, ...]) -> str:
        if not rel.columns:
            return f"SELECT {_NO_COLUMNS} FROM range({len(rel.rows)})"
        if not rel.rows:
            nulls = [
                f"{self._text(Literal(None, column.dtype))} AS {_name(column)}"
                for column in rel.columns
            ]
            return f"SELECT {', '.join(nulls)} WHERE FALSE"
        rows = ", ".join(f"({', '.join(map(self._text, row))})" for row in rel.rows)
        return f"SELECT * FROM VALUES {rows} AS v({_columns(rel.columns)})"

    @select.register
    def _(self, rel: Range, _inputs: tuple[str, ...]) -> str:
        return f"SELECT id AS {_name(rel.output)} FROM range({rel.start}, {rel.end}, {rel.step})"

    @select.register
    def _(self, rel: Recompute, _inputs: tuple[str, ...]) -> str:
        outputs = [f"p{k} AS {_name(column)}" for k, column in enumerate(rel.columns)]
        return f"SELECT {', '.join(outputs) or _NO_COLUMNS} FROM {quote_name(rel.fragment)}"

    @select.register
    def _(self, rel: Filter, inputs: tuple[str, ...]) -> str:
        return f"SELECT {_columns(rel.columns)} FROM {inputs[0]} WHERE {self._text(rel.condition)}"

    @select.register
    def _(self, rel: Project, inputs: tuple[str, ...]) -> str:
        return f"SELECT {self._outputs(rel.outputs) or _NO_COLUMNS} FROM {inputs[0]}"

    @select.register
    def _(self, rel: Join, inputs: tuple[str, ...]) -> str:
        left, right = inputs
        columns = _columns(rel.columns)
        if rel.kind is JoinKind.CROSS:
            return f"SELECT {columns} FROM {left} CROSS JOIN {right}"
        condition = self._condition(rel)
        if rel.mark is not None:
            exists = f"EXISTS (SELECT 1 FROM {right} WHERE {condition}) AS {_name(rel.mark)}"
            kept = ", ".join([*(_name(column) for column in rel.left.columns), exists])
            return f"SELECT {kept} FROM {left}"
        if rel.kind is JoinKind.SINGLE:
            return self._single(rel, left, right, condition)
        return f"SELECT {columns} FROM {left} {_JOINS[rel.kind]} {right} ON {condition}"

    def _single(self, rel: Join, left: str, right: str, condition: str) -> str:
        """A scalar subquery per left row, which is how Spark raises on a second match."""
        kept = "".join(f"{_name(column)}, " for column in rel.left.columns)
        row = ", ".join(f"'{_name(column)}', {_name(column)}" for column in rel.right.columns)
        found = ", ".join(f"one.{_name(column)} AS {_name(column)}" for column in rel.right.columns)
        subquery = f"(SELECT named_struct({row}) FROM {right} WHERE {condition}) AS one"
        return f"SELECT {kept}{found} FROM (SELECT {kept}{subquery} FROM {left})"

    def _condition(self, rel: Join) -> str:
        parts = [self._key(key, rel.kind) for key in rel.keys]
        if rel.residual is not None:
            parts.append(self._text(rel.residual))
        return " AND ".join(parts) or "TRUE"

    def _key(self, key: JoinKey, kind: JoinKind) -> str:
        sign = "<=>" if key.null_safe else "="
        equality = f"({self._text(key.left)} {sign} {self._text(key.right)})"
        if kind is JoinKind.NULL_AWARE_ANTI:
            return f"({equality} OR ({equality} IS NULL))"
        return equality

    @select.register
    def _(self, rel: Aggregate, inputs: tuple[str, ...]) -> str:
        if _is_single_value(rel):
            # A scalar subquery is what raises on a second row and gives NULL over none.
            (output,) = rel.aggregates
            (value,) = output.expr.children
            found = f"(SELECT {self._text(value)} FROM {inputs[0]})"
            return f"SELECT {found} AS {_name(output.column)}"
        outputs = self._outputs((*rel.keys, *rel.aggregates))
        if not rel.keys:
            # Without keys there is one row even over nothing; an aggregate makes SQL say so.
            return f"SELECT {outputs or 'count(1) AS no_columns'} FROM {inputs[0]}"
        keys = ", ".join(self._group_key(key.expr) for key in rel.keys)
        return f"SELECT {outputs} FROM {inputs[0]} GROUP BY {keys}"

    def _group_key(self, expr: Expr) -> str:
        text = self._text(expr)
        # A bare number would mean the output column at that position.
        return f"coalesce({text})" if isinstance(expr, Literal) else text

    @select.register
    def _(self, rel: Distinct, inputs: tuple[str, ...]) -> str:
        return f"SELECT DISTINCT {_columns(rel.columns)} FROM {inputs[0]}"

    @select.register
    def _(self, rel: Union, inputs: tuple[str, ...]) -> str:
        selects = []
        for name, branch in zip(inputs, rel.branches, strict=True):
            outputs = [
                f"{_name(read)} AS {_name(column)}"
                for read, column in zip(branch.columns, rel.columns, strict=True)
            ]
            selects.append(f"SELECT {', '.join(outputs) or _NO_COLUMNS} FROM {name}")
        return " UNION ALL ".join(selects)

    @select.register
    def _(self, rel: Window, inputs: tuple[str, ...]) -> str:
        kept = [_name(column) for column in rel.input.columns]
        added = [
            f"{self._window(output.expr, rel)} AS {_name(output.column)}"
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
        names = ", ".join(_name(rel.columns[k]) for k in new)
        values = ", ".join(self._text(row[k]) for row in rel.projections for k in new)
        stack = f"stack({len(rel.projections)}, {values})"
        return (
            f"SELECT {_columns(rel.columns)} FROM {inputs[0]} "
            f"LATERAL VIEW {stack} expanded AS {names}"
        )

    @select.register
    def _(self, rel: Generate, inputs: tuple[str, ...]) -> str:
        outer = "OUTER " if rel.outer else ""
        names = ", ".join(_name(column) for column in rel.generated)
        return (
            f"SELECT {_columns(rel.columns)} FROM {inputs[0]} "
            f"LATERAL VIEW {outer}{self._text(rel.generator)} generated AS {names}"
        )

    @select.register
    def _(self, rel: Sort, inputs: tuple[str, ...]) -> str:
        keys = self._printer.sort_keys(rel.keys)
        return f"SELECT {_columns(rel.columns)} FROM {inputs[0]} ORDER BY {keys}"

    @select.register
    def _(self, rel: Limit, inputs: tuple[str, ...]) -> str:
        limit = "" if rel.count is None else f" LIMIT {rel.count}"
        offset = f" OFFSET {rel.offset}" if rel.offset else ""
        return f"SELECT {_columns(rel.columns)} FROM {inputs[0]}{limit}{offset}"

    def _text(self, expr: Expr) -> str:
        return self._printer.text(expr)

    def _outputs(self, outputs: tuple[Output, ...]) -> str:
        return ", ".join(
            _name(output.column)
            if output.passes_through
            else f"{self._text(output.expr)} AS {_name(output.column)}"
            for output in outputs
        )
