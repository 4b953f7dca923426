"""The columns of a relation that may fail where they are computed.

What stands above asks for them by name only, and DuckDB may compute them later than Spark does,
or for fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import (
    Aggregate,
    Expand,
    Generate,
    Join,
    JoinKind,
    Project,
    Scan,
    Union,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.error_guards import may_fail
from slackwater.expr.nodes import ColumnId

Failing = frozenset[ColumnId]


def failing_columns(rel: Rel, parts: Mapping[str, frozenset[str]]) -> Failing:
    """The columns that may fail; `parts` names those of statements that scans read."""
    below = [failing_columns(each, parts) for each in rel.inputs]
    inherited: Failing = frozenset().union(*below)
    match rel:
        case Scan(source=source, output=output):
            named = parts.get(source, frozenset())
            return _ids(column for column in output if column.name in named)
        case Project(outputs=outputs):
            return _made(outputs, inherited)
        case Aggregate(keys=keys, aggregates=aggregates):
            return _made((*keys, *aggregates), inherited)
        case Window(functions=functions):
            return inherited | _made(functions, inherited)
        case Generate(generator=generator, generated=generated):
            return inherited | (_ids(generated) if may_fail(generator, inherited) else frozenset())
        case Expand(projections=projections, output=output):
            rows = (_made(tuple(map(Output, output, row)), inherited) for row in projections)
            return frozenset().union(*rows)
        case Join(kind=JoinKind.SINGLE, right=right):
            return inherited | _ids(right.columns)
        case Union(branches=branches, output=output):
            return _of_union(branches, output, below)
        case _:
            return inherited


def _ids(columns: Iterable[Column]) -> Failing:
    return frozenset(column.id for column in columns)


def _made(outputs: Iterable[Output], inherited: Failing) -> Failing:
    return _ids(output.column for output in outputs if may_fail(output.expr, inherited))


def _of_union(
    branches: tuple[Rel, ...], output: tuple[Column, ...], below: list[Failing]
) -> Failing:
    found: set[ColumnId] = set()
    for branch, failing in zip(branches, below, strict=True):
        pairs = zip(output, branch.columns, strict=True)
        found |= {outer.id for outer, inner in pairs if inner.id in failing}
    return frozenset(found)
