"""Expressions: frozen trees over columns, each node with its type and whether it can be NULL.

A function is named by its Spark SQL name and looked up in `functions`; nothing here knows
Catalyst. Nodes compare and hash by structure, which later makes equal work recognisable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import NewType

from slackwater.types import DataType, OpaqueType, always_fits

ColumnId = NewType("ColumnId", int)

UNKNOWN_TYPE = OpaqueType("?")
"""Type of an inner expression whose type rule we do not know; columns never have it."""


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of all expressions."""

    @property
    def dtype(self) -> DataType:
        """The type of the value."""
        raise TypeError(f"{type(self).__name__} has no type")

    @property
    def nullable(self) -> bool:
        """Whether the value can be NULL; True when in doubt."""
        return True

    @property
    def children(self) -> tuple[Expr, ...]:
        """The direct inputs, in order."""
        return ()

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        """The same node over other inputs."""
        if children:
            raise ValueError(f"{type(self).__name__} takes no inputs")
        return self


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A constant, kept as Spark's own text of the value (None for NULL) and its type.

    Dates and numbers are in their usual text form; timestamps are microseconds since 1970
    as text, day-time intervals microseconds, year-month intervals months, binary in hex.
    For arrays, maps and structs the text is a SQL expression.
    """

    value: str | None
    literal_type: DataType

    @property
    def dtype(self) -> DataType:
        """The literal's type."""
        return self.literal_type

    @property
    def nullable(self) -> bool:
        """Only the literal NULL is NULL."""
        return self.value is None


@dataclass(frozen=True, slots=True)
class ColumnRef(Expr):
    """A column of the input, found by its id; the name is only for people."""

    id: ColumnId
    name: str
    column_type: DataType
    column_nullable: bool

    @property
    def dtype(self) -> DataType:
        """The column's type."""
        return self.column_type

    @property
    def nullable(self) -> bool:
        """Whether the column can hold NULL where it is read."""
        return self.column_nullable


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A scalar function or operator applied to arguments.

    `params` are constants that belong to the function rather than to the row, such as the
    unit of `timestampadd` or the schema of `from_json`, as SQL text.
    """

    function: str
    args: tuple[Expr, ...]
    call_type: DataType
    call_nullable: bool
    params: tuple[str, ...] = ()

    @property
    def dtype(self) -> DataType:
        """The function's result type."""
        return self.call_type

    @property
    def nullable(self) -> bool:
        """Whether the result can be NULL."""
        return self.call_nullable

    @property
    def children(self) -> tuple[Expr, ...]:
        """The arguments."""
        return self.args

    def with_children(self, children: tuple[Expr, ...]) -> Call:
        """The same function over other arguments."""
        return replace(self, args=children)


class CastMode(Enum):
    """What a cast does with a value that does not fit."""

    SESSION = "cast"
    """Raise under ANSI mode, NULL otherwise: as the session is set."""
    TRY = "try_cast"
    """Always NULL."""


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """A value converted to another type."""

    child: Expr
    target: DataType
    mode: CastMode = CastMode.SESSION

    @property
    def dtype(self) -> DataType:
        """The type cast to."""
        return self.target

    @property
    def nullable(self) -> bool:
        """Where every value fits NULLs stay as they are; elsewhere the cast may add some."""
        return self.child.nullable or not always_fits(self.child.dtype, self.target)

    @property
    def children(self) -> tuple[Expr, ...]:
        """The value converted."""
        return (self.child,)

    def with_children(self, children: tuple[Expr, ...]) -> Cast:
        """The same cast of another value."""
        (child,) = children
        return replace(self, child=child)


@dataclass(frozen=True, slots=True)
class FieldAccess(Expr):
    """A field of a struct, or that field of every struct in an array."""

    child: Expr
    field: str
    field_type: DataType
    field_nullable: bool

    @property
    def dtype(self) -> DataType:
        """The field's type."""
        return self.field_type

    @property
    def nullable(self) -> bool:
        """NULL if the struct or the field is."""
        return self.field_nullable or self.child.nullable

    @property
    def children(self) -> tuple[Expr, ...]:
        """The struct."""
        return (self.child,)

    def with_children(self, children: tuple[Expr, ...]) -> FieldAccess:
        """The same field of another struct."""
        (child,) = children
        return replace(self, child=child)


@dataclass(frozen=True, slots=True)
class LambdaVariable(Expr):
    """A variable bound by the nearest enclosing `Lambda` that lists it."""

    name: str
    variable_type: DataType
    variable_nullable: bool

    @property
    def dtype(self) -> DataType:
        """The type of the elements it stands for."""
        return self.variable_type

    @property
    def nullable(self) -> bool:
        """Whether elements can be NULL."""
        return self.variable_nullable


@dataclass(frozen=True, slots=True)
class Lambda(Expr):
    """An anonymous function passed to functions such as `transform`."""

    variables: tuple[LambdaVariable, ...]
    body: Expr

    @property
    def dtype(self) -> DataType:
        """The body's type."""
        return self.body.dtype

    @property
    def nullable(self) -> bool:
        """Whether the body can be NULL."""
        return self.body.nullable

    @property
    def children(self) -> tuple[Expr, ...]:
        """The body; variables are bound, not inputs."""
        return (self.body,)

    def with_children(self, children: tuple[Expr, ...]) -> Lambda:
        """The same variables over another body."""
        (body,) = children
        return replace(self, body=body)


@dataclass(frozen=True, slots=True)
class UserCall(Expr):
    """A user's function, registered by name in the Spark session, applied again by that name."""

    name: str
    args: tuple[Expr, ...]
    call_type: DataType

    @property
    def dtype(self) -> DataType:
        """The declared result type."""
        return self.call_type

    @property
    def children(self) -> tuple[Expr, ...]:
        """The arguments."""
        return self.args

    def with_children(self, children: tuple[Expr, ...]) -> UserCall:
        """The same function over other arguments."""
        return replace(self, args=children)


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an ordering."""

    expr: Expr
    ascending: bool = True
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class AggregateCall(Expr):
    """An aggregate function over a group, with DISTINCT, FILTER and an inner order."""

    function: str
    args: tuple[Expr, ...]
    call_type: DataType
    call_nullable: bool
    distinct: bool = False
    where: Expr | None = None
    order: tuple[SortKey, ...] = ()
    params: tuple[str, ...] = ()

    @property
    def dtype(self) -> DataType:
        """The aggregate's result type."""
        return self.call_type

    @property
    def nullable(self) -> bool:
        """Whether the aggregate can be NULL, an empty group included."""
        return self.call_nullable

    @property
    def children(self) -> tuple[Expr, ...]:
        """Arguments, then the filter, then the order keys."""
        where = () if self.where is None else (self.where,)
        return (*self.args, *where, *(key.expr for key in self.order))

    def with_children(self, children: tuple[Expr, ...]) -> AggregateCall:
        """The same aggregate over other inputs."""
        args = children[: len(self.args)]
        rest = children[len(self.args) :]
        where = None if self.where is None else rest[0]
        keys = rest if self.where is None else rest[1:]
        order = tuple(replace(key, expr=expr) for key, expr in zip(self.order, keys, strict=True))
        return replace(self, args=args, where=where, order=order)


class FrameUnit(Enum):
    """What a window frame counts."""

    ROWS = "ROWS"
    RANGE = "RANGE"


class BoundKind(Enum):
    """Where a window frame starts or ends."""

    UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
    CURRENT_ROW = "CURRENT ROW"
    UNBOUNDED_FOLLOWING = "UNBOUNDED FOLLOWING"
    OFFSET = "OFFSET"


@dataclass(frozen=True, slots=True)
class FrameBound:
    """One end of a frame; an offset is negative before the current row, positive after it."""

    kind: BoundKind
    offset: Expr | None = None

    def __post_init__(self) -> None:
        """An offset is given exactly for the kind that needs one."""
        if (self.kind is BoundKind.OFFSET) != (self.offset is not None):
            raise ValueError(f"frame bound {self.kind.value} with offset {self.offset}")


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows around the current one that a window function sees."""

    unit: FrameUnit
    lower: FrameBound
    upper: FrameBound


@dataclass(frozen=True, slots=True)
class WindowCall(Expr):
    """A function over the frame of each row; partition and order belong to the operator.

    Ranking and offset functions (`rank`, `lag` ...) fix their own frame and have None here.
    """

    function: Call | AggregateCall
    frame: Frame | None
    ignore_nulls: bool = False

    @property
    def dtype(self) -> DataType:
        """The function's type."""
        return self.function.dtype

    @property
    def nullable(self) -> bool:
        """Whether the function can give NULL."""
        return self.function.nullable

    @property
    def children(self) -> tuple[Expr, ...]:
        """The function."""
        return (self.function,)

    def with_children(self, children: tuple[Expr, ...]) -> WindowCall:
        """The same frame for another function."""
        (function,) = children
        if not isinstance(function, Call | AggregateCall):
            raise TypeError(f"not a window function: {function!r}")
        return replace(self, function=function)


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, parents first."""
    yield expr
    for child in expr.children:
        yield from walk(child)


def transform(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Rebuild bottom-up, replacing each node for which `change` returns another."""
    children = tuple(transform(child, change) for child in expr.children)
    rebuilt = expr if children == expr.children else expr.with_children(children)
    changed = change(rebuilt)
    return rebuilt if changed is None else changed
