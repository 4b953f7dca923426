"""The relational operators: frozen records that derive their columns and refuse to be wrong.

Every operator is a bag of rows. `columns` is derived once, when the operator is built; a
plan that exists has passed the checks of its operators (docs/invariants.md lists them).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.rel import (
    Rel,
    UnaryRel,
    check_no_groups,
    check_outputs,
    check_reads,
    require,
)
from slackwater.errors import InvariantError
from slackwater.expr.nodes import AggregateCall, Call, Expr, Literal, SortKey, WindowCall
from slackwater.expr.properties import conjuncts, rejects_null
from slackwater.types import BIGINT, BOOLEAN, same_type


@dataclass(frozen=True, slots=True)
class Scan(Rel):
    """All rows of a source."""

    source: str
    output: tuple[Column, ...]

    def __post_init__(self) -> None:
        """The columns are the source's."""
        self.derive(self.output)


@dataclass(frozen=True, slots=True)
class Values(Rel):
    """Constant rows."""

    output: tuple[Column, ...]
    rows: tuple[tuple[Literal, ...], ...]

    def __post_init__(self) -> None:
        """Each row has a value for each column."""
        for row in self.rows:
            require(len(row) == len(self.output), self, "a row has another number of values")
        self.derive(self.output)


@dataclass(frozen=True, slots=True)
class Range(Rel):
    """The numbers from start up to, not including, end."""

    output: Column
    start: int
    end: int
    step: int

    def __post_init__(self) -> None:
        """One BIGINT column; a step of zero would never end."""
        require(self.output.dtype == BIGINT, self, "its column is not BIGINT")
        require(self.step != 0, self, "step is zero")
        self.derive((self.output,))


@dataclass(frozen=True, slots=True)
class Recompute(Rel):
    """A part of the query we cannot represent: Spark runs it whole, and `reason` says why."""

    fragment: str
    reason: str
    sources: tuple[str, ...]
    output: tuple[Column, ...]

    def __post_init__(self) -> None:
        """The columns are what Spark says they are."""
        self.derive(self.output)


@dataclass(frozen=True, slots=True)
class Filter(UnaryRel):
    """The rows for which the condition is true, neither false nor NULL."""

    condition: Expr

    def __post_init__(self) -> None:
        """The condition is a predicate; columns it rejects NULL in lose their NULLs."""
        check_reads(self, self.input.columns, (self.condition,))
        check_no_groups(self, (self.condition,))
        require(self.condition.dtype == BOOLEAN, self, f"condition is {self.condition.dtype}")
        parts = conjuncts(self.condition)
        self.derive(
            tuple(
                column.as_required()
                if any(rejects_null(part, column.id) for part in parts)
                else column
                for column in self.input.columns
            )
        )

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The condition."""
        return (self.condition,)


@dataclass(frozen=True, slots=True)
class Project(UnaryRel):
    """Each row turned into another by expressions."""

    outputs: tuple[Output, ...]

    def __post_init__(self) -> None:
        """Outputs read the input, and their columns have the type of their expressions."""
        check_outputs(self, self.input, self.outputs)
        check_no_groups(self, self.expressions)
        self.derive(tuple(output.column for output in self.outputs))

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The output expressions."""
        return tuple(output.expr for output in self.outputs)


class JoinKind(Enum):
    """The rows that a join gives."""

    INNER = "inner"
    CROSS = "cross"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"
    NULL_AWARE_ANTI = "null-aware anti"
    """NOT IN: a comparison that is NULL also removes the left row."""
    MARK = "mark"
    """Every left row, with a column that says whether it has a match."""
    SINGLE = "single"
    """A left join in which a second match of a left row is an error."""


_LEFT_ONLY = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.NULL_AWARE_ANTI)


@dataclass(frozen=True, slots=True)
class JoinKey:
    """One equality between the two sides; `null_safe` lets NULL match NULL."""

    left: Expr
    right: Expr
    null_safe: bool = False


@dataclass(frozen=True, slots=True)
class Join(Rel):
    """Pairs of rows whose keys are equal and whose residual condition holds."""

    kind: JoinKind
    left: Rel
    right: Rel
    keys: tuple[JoinKey, ...] = ()
    residual: Expr | None = None
    mark: Column | None = None

    def __post_init__(self) -> None:
        """Keys read their own side only; the two sides share no column."""
        left, right = self.left.columns, self.right.columns
        shared = {column.id for column in left} & {column.id for column in right}
        require(not shared, self, f"both sides define columns {sorted(shared)}")
        check_reads(self, left, tuple(key.left for key in self.keys))
        check_reads(self, right, tuple(key.right for key in self.keys))
        if self.residual is not None:
            check_reads(self, left + right, (self.residual,))
            require(self.residual.dtype == BOOLEAN, self, "residual is not a predicate")
        check_no_groups(self, self.expressions)
        require((self.kind is JoinKind.MARK) == (self.mark is not None), self, "mark misplaced")
        if self.kind is JoinKind.CROSS:
            require(not self.keys and self.residual is None, self, "a cross join has a condition")
        self.derive(self._output(left, right))

    def _output(self, left: tuple[Column, ...], right: tuple[Column, ...]) -> tuple[Column, ...]:
        if self.kind in _LEFT_ONLY:
            return left
        if self.mark is not None:
            return (*left, self.mark)
        if self.kind in (JoinKind.RIGHT, JoinKind.FULL):
            left = tuple(column.as_nullable() for column in left)
        if self.kind in (JoinKind.LEFT, JoinKind.FULL, JoinKind.SINGLE):
            right = tuple(column.as_nullable() for column in right)
        return left + right

    @property
    def inputs(self) -> tuple[Rel, ...]:
        """Left, then right."""
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[Rel, ...]) -> Join:
        """The same join of other inputs."""
        left, right = inputs
        return replace(self, left=left, right=right)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Both sides of each key, then the residual."""
        keys = tuple(side for key in self.keys for side in (key.left, key.right))
        return keys if self.residual is None else (*keys, self.residual)


@dataclass(frozen=True, slots=True)
class Aggregate(UnaryRel):
    """One row per group of equal keys; without keys one row in all, even over nothing."""

    keys: tuple[Output, ...]
    aggregates: tuple[Output, ...]

    def __post_init__(self) -> None:
        """Keys are row expressions; every other output is one aggregate call."""
        check_outputs(self, self.input, (*self.keys, *self.aggregates))
        check_no_groups(self, tuple(key.expr for key in self.keys))
        for output in self.aggregates:
            require(
                isinstance(output.expr, AggregateCall),
                self,
                f"{output.column.name} is no aggregate",
            )
            check_no_groups(self, output.expr.children)
        self.derive(tuple(output.column for output in (*self.keys, *self.aggregates)))

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Keys, then aggregates."""
        return tuple(output.expr for output in (*self.keys, *self.aggregates))


@dataclass(frozen=True, slots=True)
class Distinct(UnaryRel):
    """Each different row once; NULLs count as equal."""

    def __post_init__(self) -> None:
        """The columns stay."""
        self.derive(self.input.columns)


@dataclass(frozen=True, slots=True)
class Union(Rel):
    """All rows of all branches; column i of the output is column i of each branch."""

    branches: tuple[Rel, ...]
    output: tuple[Column, ...]

    def __post_init__(self) -> None:
        """Branches agree with the output in number and types, and NULLs are declared."""
        require(len(self.branches) > 0, self, "has no branch")
        for branch in self.branches:
            require(len(branch.columns) == len(self.output), self, "a branch has another width")
            for column, read in zip(self.output, branch.columns, strict=True):
                require(
                    same_type(column.dtype, read.dtype),
                    self,
                    f"{column.name}#{column.id} is {column.dtype}, in a branch {read.dtype}",
                )
                require(
                    column.nullable or not read.nullable,
                    self,
                    f"{column.name}#{column.id} is declared never NULL, a branch can hold NULL",
                )
        self.derive(self.output)

    @property
    def inputs(self) -> tuple[Rel, ...]:
        """The branches."""
        return self.branches

    def with_inputs(self, inputs: tuple[Rel, ...]) -> Union:
        """The same output of other branches."""
        return replace(self, branches=inputs)


@dataclass(frozen=True, slots=True)
class Window(UnaryRel):
    """Every row, with functions over the rows of its partition around it."""

    partition: tuple[Expr, ...]
    order: tuple[SortKey, ...]
    functions: tuple[Output, ...]

    def __post_init__(self) -> None:
        """Every function is a window call; input columns stay."""
        check_outputs(self, self.input, self.functions)
        keys = (*self.partition, *(key.expr for key in self.order))
        check_reads(self, self.input.columns, keys)
        check_no_groups(self, keys)
        for output in self.functions:
            require(
                isinstance(output.expr, WindowCall), self, f"{output.column.name} is no window call"
            )
        added = tuple(output.column for output in self.functions)
        self.derive((*self.input.columns, *added))

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Partition, order, functions."""
        functions = tuple(output.expr for output in self.functions)
        return (*self.partition, *(key.expr for key in self.order), *functions)


@dataclass(frozen=True, slots=True)
class Expand(UnaryRel):
    """Each row once per projection: what GROUPING SETS and several DISTINCTs need."""

    projections: tuple[tuple[Expr, ...], ...]
    output: tuple[Column, ...]

    def __post_init__(self) -> None:
        """Each projection gives a value of the right type for each output column."""
        for projection in self.projections:
            require(len(projection) == len(self.output), self, "a projection has another width")
            outputs = tuple(map(Output, self.output, projection))
            check_outputs(self, self.input, outputs)
        check_no_groups(self, self.expressions)
        self.derive(self.output)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All projections, one after the other."""
        return tuple(expr for projection in self.projections for expr in projection)


@dataclass(frozen=True, slots=True)
class Generate(UnaryRel):
    """Each row once per row its generator gives; `outer` keeps rows for which it gives none."""

    generator: Call
    outer: bool
    generated: tuple[Column, ...]

    def __post_init__(self) -> None:
        """The generator reads the input; its columns, NULL in kept rows, come after the input's."""
        check_reads(self, self.input.columns, (self.generator,))
        check_no_groups(self, (self.generator,))
        nullable = all(column.nullable for column in self.generated)
        require(nullable or not self.outer, self, "columns of an outer generator cannot be NULL")
        self.derive((*self.input.columns, *self.generated))

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The generator."""
        return (self.generator,)


@dataclass(frozen=True, slots=True)
class Sort(UnaryRel):
    """The same rows in order; only a root, or the limit above, can see it."""

    keys: tuple[SortKey, ...]

    def __post_init__(self) -> None:
        """Keys read the input."""
        check_reads(self, self.input.columns, self.expressions)
        check_no_groups(self, self.expressions)
        self.derive(self.input.columns)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The keys."""
        return tuple(key.expr for key in self.keys)


@dataclass(frozen=True, slots=True)
class Limit(UnaryRel):
    """At most `count` rows (all if None) after leaving out the first `offset`."""

    count: int | None
    offset: int = 0

    def __post_init__(self) -> None:
        """Numbers of rows are not negative."""
        require(self.count is None or self.count >= 0, self, f"count {self.count}")
        require(self.offset >= 0, self, f"offset {self.offset}")
        self.derive(self.input.columns)


class RankKind(Enum):
    """Numbers for the rows of a partition in their order, by the function of that name."""

    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"


@dataclass(frozen=True, slots=True)
class GroupLimit(UnaryRel):
    """The first rows of each partition: those whose rank in its order is at most `count`."""

    partition: tuple[Expr, ...]
    order: tuple[SortKey, ...]
    kind: RankKind
    count: int

    def __post_init__(self) -> None:
        """Without an order no row is the first; numbers of rows are not negative."""
        check_reads(self, self.input.columns, self.expressions)
        check_no_groups(self, self.expressions)
        require(bool(self.order), self, "has no order")
        require(self.count >= 0, self, f"count {self.count}")
        self.derive(self.input.columns)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Partition, then order."""
        return (*self.partition, *(key.expr for key in self.order))


Operator = (
    Scan
    | Values
    | Range
    | Recompute
    | Filter
    | Project
    | Join
    | Aggregate
    | Distinct
    | Union
    | Window
    | Expand
    | Generate
    | Sort
    | Limit
    | GroupLimit
)
"""Every operator; each dispatch over operators ends in `assert_never`."""


def operator_of(rel: Rel) -> Operator:
    """A relation as one of the operators there are."""
    if not isinstance(rel, Operator):
        raise InvariantError(f"{type(rel).__name__} is no operator")
    return rel
