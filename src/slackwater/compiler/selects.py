"""Writes a relation as nested SELECTs; what one SELECT can say is one SELECT.

Both engines share the shape of a statement: which operators go into one SELECT and which need a
subquery. A dialect says how expressions, conditions and joins are written.

    Project(Filter(Scan)) becomes SELECT (k0 + 1) AS k0, _w FROM changes WHERE (k1 > 5)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import singledispatchmethod
from typing import ClassVar

from slackwater.algebra.columns import Output
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
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
from slackwater.compiler.group_limits import as_filtered_window
from slackwater.compiler.select_parts import (
    Condition,
    Select,
    finishes_groups,
    is_about_groups,
    is_foreign,
    is_named_by_id,
    is_single_value,
    keeps_all,
)
from slackwater.expr.facts import conjuncts
from slackwater.expr.nodes import (
    ColumnId,
    ColumnRef,
    Expr,
    SortKey,
    WindowCall,
)
from slackwater.plan.statements import NO_COLUMNS, Statement


class SelectPrinter(ABC):
    """Writes relations in one dialect; an instance writes one statement."""

    joins: ClassVar[Mapping[JoinKind, str]]
    always_qualifies: ClassVar[bool] = False
    """Whether columns have their table before them even where there is only one."""

    def __init__(self) -> None:
        """No alias is taken yet."""
        self._aliases = 0

    # What a dialect says.

    @abstractmethod
    def quote(self, name: str) -> str:
        """A name of a table or column."""

    def table(self, name: str) -> str:
        """The name of a frame or source as a statement writes it."""
        return self.quote(name)

    @abstractmethod
    def expression(self, expr: Expr, select: Select) -> str:
        """A value over the columns of a SELECT."""

    def condition(self, part: Expr, select: Select) -> Condition:
        """A condition on the rows of a SELECT."""
        return Condition(self.expression(part, select))

    def conditions(self, parts: Sequence[Condition], _select: Select) -> str:
        """Conditions on the rows of a SELECT that must all hold, in this order."""
        return " AND ".join(part.text for part in parts)

    @abstractmethod
    def join_condition(self, rel: Join, select: Select) -> str:
        """When rows of two tables match."""

    @abstractmethod
    def group_key(self, expr: Expr, select: Select) -> str:
        """An expression as GROUP BY takes it."""

    def shown_key(self, expr: Expr, select: Select) -> str:
        """An expression of GROUP BY as a value of the result."""
        return self.expression(expr, select)

    @abstractmethod
    def sort_keys(self, keys: tuple[SortKey, ...], select: Select) -> str:
        """The keys of ORDER BY."""

    @abstractmethod
    def window(self, call: WindowCall, rel: Window, select: Select) -> str:
        """A window function with its OVER clause."""

    @abstractmethod
    def generated(self, rel: Generate) -> Select:
        """The rows of a table with those that a generator makes of each."""

    @abstractmethod
    def expanded(self, rel: Expand, new: tuple[int, ...]) -> Select:
        """A row per projection; `new` are the places of columns that the input does not have."""

    @abstractmethod
    def constant_rows(self, rel: Values) -> str:
        """Rows of literals as a query in parentheses."""

    @abstractmethod
    def number_rows(self, rel: Range) -> str:
        """A range of numbers as a query in parentheses."""

    @abstractmethod
    def single_join(self, rel: Join, left: Select, right: Select) -> Select:
        """A join in which a second match is an error."""

    @abstractmethod
    def single_value(self, value: Expr, select: Select) -> str:
        """The value of a column's only row; a second row is an error."""

    # What dialects share.

    def statement(self, statement: Statement) -> str:
        """The statement as one query."""
        return self.query(statement.rel, statement.names)

    def query(self, rel: Rel, names: tuple[str, ...]) -> str:
        """A relation as a query whose columns have these names."""
        if isinstance(rel, Union):
            return " UNION ALL ".join(self._branch(each, names) for each in rel.branches)
        select = self.select(rel)
        if select.order and names != tuple(f"c{column.id}" for column in rel.columns):
            # ORDER BY takes a name for an output column before it looks at the tables.
            select = self._reopened(select, rel)
        return self.text(select, tuple(column.id for column in rel.columns), names)

    def _branch(self, rel: Rel, names: tuple[str, ...]) -> str:
        text = self.query(rel, names)
        return f"({text})" if isinstance(rel, Limit | Sort) else text

    def text(self, select: Select, ids: tuple[ColumnId, ...], names: tuple[str, ...]) -> str:
        """A SELECT of these columns under these names."""
        texts = dict(select.items) if select.items is not None else select.columns
        items = [self._item(texts[each], name) for each, name in zip(ids, names, strict=True)]
        if not items:
            # Without keys an aggregate has one row even over nothing.
            one_row = select.aggregated and not select.group
            items = [f"{'count(1)' if one_row else 'TRUE'} AS {NO_COLUMNS}"]
        parts = [f"SELECT {'DISTINCT ' if select.distinct else ''}{', '.join(items)}"]
        if select.source:
            parts.append(f"FROM {select.source}")
        if select.where:
            parts.append(f"WHERE {self.conditions(select.where, select)}")
        if select.group:
            parts.append(f"GROUP BY {', '.join(select.group)}")
        if select.having:
            parts.append(f"HAVING {self.conditions(select.having, select)}")
        return " ".join(parts) + select.order + select.limit

    def _item(self, text: str, name: str) -> str:
        quoted = self.quote(name)
        return quoted if text == quoted else f"{text} AS {quoted}"

    def as_table(self, text: str, rel: Rel, failing: frozenset[ColumnId] = frozenset()) -> Select:
        """A query, in parentheses, as a table whose columns are called by their ids."""
        if not self.always_qualifies:
            names = {column.id: f"c{column.id}" for column in rel.columns}
            return Select(text, names, failing=failing)
        alias = self.alias()
        names = {column.id: f"{alias}.c{column.id}" for column in rel.columns}
        return Select(f"{text} AS {alias}", names, failing=failing)

    def alias(self) -> str:
        """A name for a table that no other has."""
        self._aliases += 1
        return f"t{self._aliases}"

    def open_select(self, rel: Rel) -> Select:
        """The relation as something that conditions and expressions can be added to."""
        select = self.select(rel)
        return select if select.is_open else self._reopened(select, rel)

    def _reopened(self, select: Select, rel: Rel) -> Select:
        """The SELECT as a table of another one."""
        ids = tuple(column.id for column in rel.columns)
        text = self.text(select, ids, tuple(f"c{each}" for each in ids))
        return self.as_table(f"({text})", rel, self.failing_columns(rel))

    def failing_columns(self, _rel: Rel) -> frozenset[ColumnId]:
        """Columns that are computed in a subquery and may fail there; a dialect may care."""
        return frozenset()

    def joined(self, rel: Rel) -> Select:
        """The relation as one of several tables, its columns with an alias before them."""
        if isinstance(rel, Scan):
            return self._scanned(rel)
        names = tuple(f"c{column.id}" for column in rel.columns)
        text, alias = self.query(rel, names), self.alias()
        columns = {column.id: f"{alias}.c{column.id}" for column in rel.columns}
        return Select(f"({text}) AS {alias}", columns, failing=self.failing_columns(rel))

    @singledispatchmethod
    def select(self, rel: Rel) -> Select:
        """The relation as a SELECT that may still be added to."""
        raise TypeError(f"no SQL form for {type(rel).__name__}")

    @select.register
    def _(self, rel: Scan) -> Select:
        if not self.always_qualifies:
            columns = {column.id: self.quote(column.name) for column in rel.columns}
            return Select(self.table(rel.source), columns, foreign=is_foreign(rel))
        return self._scanned(rel)

    def _scanned(self, rel: Scan) -> Select:
        alias = self.alias()
        columns = {column.id: f"{alias}.{self.quote(column.name)}" for column in rel.columns}
        source = f"{self.table(rel.source)} AS {alias}"
        return Select(source, columns, failing=self.failing_columns(rel))

    @select.register
    def _(self, rel: Recompute) -> Select:
        columns = {column.id: f"p{n}" for n, column in enumerate(rel.columns)}
        return Select(self.quote(rel.fragment), columns)

    @select.register
    def _(self, rel: Values) -> Select:
        return self.as_table(self.constant_rows(rel), rel)

    @select.register
    def _(self, rel: Range) -> Select:
        return self.as_table(self.number_rows(rel), rel)

    @select.register
    def _(self, rel: Filter) -> Select:
        select = self.select(rel.input)
        parts = conjuncts(rel.condition)
        if is_about_groups(rel, select):
            failing = self.failing_columns(rel.input)
            grouped = replace(select, columns=dict(select.items or ()), failing=failing)
            return replace(select, having=(*select.having, *self._conditions(parts, grouped)))
        if not select.is_open:
            select = self._reopened(select, rel.input)
        return replace(select, where=(*select.where, *self._conditions(parts, select)))

    def _conditions(self, parts: tuple[Expr, ...], select: Select) -> list[Condition]:
        return [self.condition(part, select) for part in parts]

    @select.register
    def _(self, rel: Project) -> Select:
        select = self.select(rel.input)
        if all(isinstance(output.expr, ColumnRef) for output in rel.outputs):
            if select.distinct and not keeps_all(rel):
                select = self._reopened(select, rel.input)
            return self._renamed(rel.outputs, select)
        if finishes_groups(rel, select):
            grouped = replace(select, columns=dict(select.items or ()))
            return replace(select, items=self._items(rel, grouped))
        if not select.is_open:
            select = self._reopened(select, rel.input)
        return replace(select, items=self._items(rel, select))

    def _items(self, rel: Project, select: Select) -> tuple[tuple[ColumnId, str], ...]:
        return tuple(
            (output.column.id, self.expression(output.expr, select)) for output in rel.outputs
        )

    def _renamed(self, outputs: tuple[Output, ...], select: Select) -> Select:
        """The same SELECT under other ids, with fewer columns or in another order."""
        texts = dict(select.items) if select.items is not None else select.columns
        pairs = [
            (each.column.id, each.expr.id) for each in outputs if isinstance(each.expr, ColumnRef)
        ]
        renamed = tuple((new, texts[old]) for new, old in pairs)
        if select.items is not None:
            return replace(select, items=renamed)
        failing = frozenset(new for new, old in pairs if old in select.failing)
        return replace(select, columns=dict(renamed), failing=failing)

    @select.register
    def _(self, rel: Join) -> Select:
        if rel.kind is JoinKind.SINGLE:
            return self.single_join(rel, self.joined(rel.left), self.joined(rel.right))
        if rel.mark is not None:
            return self._marked(rel)
        left, right = self.joined(rel.left), self.joined(rel.right)
        failing = left.failing | right.failing
        both = Select("", {**left.columns, **right.columns}, tables=2, failing=failing)
        source = f"{left.source} {self.joins[rel.kind]} {right.source}"
        if rel.kind is not JoinKind.CROSS:
            source += f" ON {self.join_condition(rel, both)}"
        columns = {column.id: both.columns[column.id] for column in rel.columns}
        return replace(both, source=source, columns=columns)

    def _marked(self, rel: Join) -> Select:
        """Every left row with whether it has a match, as a correlated EXISTS."""
        left, right = self.joined(rel.left), self.joined(rel.right)
        failing = left.failing | right.failing
        both = Select("", {**left.columns, **right.columns}, tables=2, failing=failing)
        condition = self.join_condition(replace(rel, kind=JoinKind.INNER, mark=None), both)
        items = [(column.id, left.columns[column.id]) for column in rel.left.columns]
        exists = f"EXISTS (SELECT 1 FROM {right.source} WHERE {condition})"
        return replace(left, items=(*items, (rel.columns[-1].id, exists)))

    @select.register
    def _(self, rel: Aggregate) -> Select:
        select = self.open_select(rel.input)
        if is_single_value(rel):
            (output,) = rel.aggregates
            (value,) = output.expr.children
            text = self.single_value(value, select)
            return Select("", {}, items=((output.column.id, text),))
        items = (
            *((key.column.id, self.shown_key(key.expr, select)) for key in rel.keys),
            *((each.column.id, self.expression(each.expr, select)) for each in rel.aggregates),
        )
        keys = tuple(self.group_key(key.expr, select) for key in rel.keys)
        return replace(select, items=items, group=keys, aggregated=True)

    @select.register
    def _(self, rel: Distinct) -> Select:
        select = self.open_select(rel.input)
        items = tuple((each.id, self.group_key(each.ref(), select)) for each in rel.columns)
        return replace(select, items=items, distinct=True)

    @select.register
    def _(self, rel: Union) -> Select:
        names = tuple(f"c{column.id}" for column in rel.columns)
        text = self.query(rel, names)
        return self.as_table(f"({text})", rel, self.failing_columns(rel))

    @select.register
    def _(self, rel: Window) -> Select:
        select = self.open_select(rel.input)
        items = [(column.id, select.columns[column.id]) for column in rel.input.columns]
        for output in rel.functions:
            if not isinstance(output.expr, WindowCall):
                raise TypeError(f"not a window call: {output.expr!r}")
            items.append((output.column.id, self.window(output.expr, rel, select)))
        return replace(select, items=tuple(items))

    @select.register
    def _(self, rel: Generate) -> Select:
        return self.generated(rel)

    @select.register
    def _(self, rel: Expand) -> Select:
        known = {column.id for column in rel.input.columns}
        new = tuple(n for n, column in enumerate(rel.columns) if column.id not in known)
        return self.expanded(rel, new)

    def lateral_base(self, rel: Rel) -> Select:
        """A table that rows can be made from: conditions on it must come first."""
        select = self.open_select(rel)
        alone = not select.where and select.tables == 1 and not select.foreign
        return select if alone else self._reopened(select, rel)

    @select.register
    def _(self, rel: Sort) -> Select:
        select = self.open_select(rel.input)
        if select.foreign or not is_named_by_id(select):
            select = self._reopened(select, rel.input)
        return replace(select, order=f" ORDER BY {self.sort_keys(rel.keys, select)}")

    @select.register
    def _(self, rel: Limit) -> Select:
        select = self.select(rel.input)
        if select.limit:
            select = self._reopened(select, rel.input)
        limit = "" if rel.count is None else f" LIMIT {rel.count}"
        offset = f" OFFSET {rel.offset}" if rel.offset else ""
        return replace(select, limit=limit + offset)

    @select.register
    def _(self, rel: GroupLimit) -> Select:
        return self.select(as_filtered_window(rel))
