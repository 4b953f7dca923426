"""Drops the columns that nothing above reads, so that a statement names only what it needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Aggregate, Expand, Project, Scan, Union
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import ColumnId
from slackwater.plan.statements import Statement, needed_below


def prune(statement: Statement, wanted: Collection[str]) -> Statement:
    """The statement with the wanted columns only, and no column below that they do not need.

    >>> from slackwater.algebra.columns import Column
    >>> from slackwater.types import BIGINT
    >>> columns = tuple(Column(ColumnId(n), f"k{n}", BIGINT) for n in range(3))
    >>> prune(Statement(Scan("changes", columns), ("a", "b", "c")), ["b"]).needs
    {'changes': frozenset({'k1'})}
    """
    pairs = zip(statement.names, statement.rel.columns, strict=True)
    kept = {name: column.id for name, column in pairs if name in wanted}
    return Statement(_exactly(statement.rel, tuple(kept.values())), tuple(kept))


def _exactly(rel: Rel, wanted: tuple[ColumnId, ...]) -> Rel:
    """The relation with these columns in this order."""
    found = _pruned(rel, frozenset(wanted))
    if tuple(column.id for column in found.columns) == wanted:
        return found
    return Project(found, tuple(pass_through(found.column(each)) for each in wanted))


def _pruned(rel: Rel, wanted: frozenset[ColumnId]) -> Rel:
    """The relation with the wanted columns, in their order, and perhaps more."""
    match rel:
        case Scan(source=source, output=output):
            return Scan(source, tuple(column for column in output if column.id in wanted))
        case Union(branches=branches, output=output):
            places = [n for n, column in enumerate(output) if column.id in wanted]
            kept = (_exactly(each, tuple(each.columns[n].id for n in places)) for each in branches)
            return Union(tuple(kept), tuple(output[n] for n in places))
        case Project(outputs=outputs):
            rel = replace(rel, outputs=tuple(o for o in outputs if o.column.id in wanted))
        case Aggregate(aggregates=aggregates):
            rel = replace(rel, aggregates=tuple(o for o in aggregates if o.column.id in wanted))
        case Expand(projections=projections, output=output):
            places = [n for n, column in enumerate(output) if column.id in wanted]
            rows = tuple(tuple(row[n] for n in places) for row in projections)
            rel = replace(rel, projections=rows, output=tuple(output[n] for n in places))
    below = (_pruned(each, needed_below(rel, n, wanted)) for n, each in enumerate(rel.inputs))
    return rel.with_inputs(tuple(below))
