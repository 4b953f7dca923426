"""The base of relational operators and the checks they share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from slackwater.algebra.columns import Column, Output
from slackwater.errors import InvariantError
from slackwater.expr.nodes import AggregateCall, ColumnId, ColumnRef, Expr, WindowCall, walk
from slackwater.types import same_type


@dataclass(frozen=True, slots=True)
class Rel:
    """Base of all operators."""

    columns: tuple[Column, ...] = field(init=False, compare=False, repr=False)

    @property
    def inputs(self) -> tuple[Rel, ...]:
        """The operators this one reads, in order."""
        return ()

    def with_inputs(self, inputs: tuple[Rel, ...]) -> Rel:
        """The same operator over other inputs."""
        if inputs:
            raise InvariantError(f"{type(self).__name__} takes no inputs")
        return self

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The expressions the operator evaluates itself, in order."""
        return ()

    def column(self, column_id: ColumnId) -> Column:
        """The output column with this id."""
        for column in self.columns:
            if column.id == column_id:
                return column
        raise InvariantError(f"{type(self).__name__} has no column #{column_id}")

    def derive(self, columns: tuple[Column, ...]) -> None:
        """Set the derived columns, once, and check that their ids differ."""
        ids = [column.id for column in columns]
        require(len(set(ids)) == len(ids), self, f"column ids repeat: {ids}")
        object.__setattr__(self, "columns", columns)


@dataclass(frozen=True, slots=True)
class UnaryRel(Rel):
    """Base of the operators with one input."""

    input: Rel

    @property
    def inputs(self) -> tuple[Rel, ...]:
        """The one input."""
        return (self.input,)

    def with_inputs(self, inputs: tuple[Rel, ...]) -> Rel:
        """The same operator over another input."""
        (only,) = inputs
        return replace(self, input=only)


def require(holds: bool, rel: Rel, problem: str) -> None:
    """Raise an `InvariantError` that names the operator unless the condition holds."""
    if not holds:
        raise InvariantError(f"{type(rel).__name__}: {problem}")


def check_reads(rel: Rel, available: tuple[Column, ...], exprs: tuple[Expr, ...]) -> None:
    """Every column read exists in the input, with the type it is read as."""
    by_id = {column.id: column for column in available}
    for expr in exprs:
        for node in walk(expr):
            if isinstance(node, ColumnRef):
                found = by_id.get(node.id)
                require(found is not None, rel, f"reads {node.name}#{node.id}, not in its input")
                if found is not None:
                    _check_read(rel, node, found)


def _check_read(rel: Rel, node: ColumnRef, found: Column) -> None:
    require(
        same_type(found.dtype, node.dtype),
        rel,
        f"reads {node.name}#{node.id} as {node.dtype}, but it is {found.dtype}",
    )
    require(
        node.nullable or not found.nullable,
        rel,
        f"reads {node.name}#{node.id} as never NULL, but it can be",
    )


def check_no_groups(rel: Rel, exprs: tuple[Expr, ...]) -> None:
    """Aggregates and window functions stand only in the operators made for them."""
    for expr in exprs:
        for node in walk(expr):
            require(
                not isinstance(node, AggregateCall | WindowCall),
                rel,
                f"holds {type(node).__name__} where only row expressions may stand",
            )


def check_outputs(rel: Rel, source: Rel, outputs: tuple[Output, ...]) -> None:
    """Outputs read the input, and each column's type and NULLs are its expression's."""
    check_reads(rel, source.columns, tuple(output.expr for output in outputs))
    for output in outputs:
        column, expr = output.column, output.expr
        require(
            same_type(column.dtype, expr.dtype),
            rel,
            f"{column.name}#{column.id} is {column.dtype}, its expression {expr.dtype}",
        )
        require(
            column.nullable or not expr.nullable,
            rel,
            f"{column.name}#{column.id} is declared never NULL, but its expression can be",
        )


def walk_rel(rel: Rel) -> Iterator[Rel]:
    """The operator and everything below it, parents first."""
    yield rel
    for each in rel.inputs:
        yield from walk_rel(each)
