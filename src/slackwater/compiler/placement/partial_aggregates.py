"""Takes an aggregate apart: partial ones where the rows are, and one over their results.

The rule for Sum of figure 5.3: what moves between partitions is one row a group and partition.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Aggregate, Distinct, Expand, Filter, Generate, Project
from slackwater.algebra.rel import Rel, UnaryRel, walk_rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import cast, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import AggregateCall, Expr
from slackwater.plan.frames import Frame, Fresh
from slackwater.plan.statements import Statement

_AGAIN = {name: name for name in ["sum", "min", "max", "bit_and", "bit_or", "bit_xor"]} | {
    "count": "sum"
}
"""What puts partial results together."""
_IN_GROUPS = {"first": "first"}
"""The same for groups that have a row in every part there is of them."""


@dataclass(frozen=True, slots=True)
class Split:
    """A statement in two: the partial one, and the one that reads its frame."""

    partial: Statement
    final: Statement


def split(statement: Statement, partial_name: str) -> Split | None:
    """The statement in two parts with the same result; None if it has no such form."""
    above: list[UnaryRel] = []
    rel = statement.rel
    while isinstance(rel, Project | Filter | Generate | Expand):
        above.append(rel)
        rel = rel.input
    fresh = Fresh(*walk_rel(statement.rel))
    if isinstance(rel, Distinct):
        partial = _named(rel)
        scan = fresh.scan(Frame(partial_name, partial.fields))
        whole: Rel = Distinct(_renamed(scan, rel.columns))
    elif isinstance(rel, Aggregate) and all(_splits(rel, each) for each in rel.aggregates):
        partial = _named(rel)
        whole = _again(rel, fresh.scan(Frame(partial_name, partial.fields)), fresh)
    else:
        return None
    for each in reversed(above):
        whole = each.with_inputs((whole,))
    return Split(partial, Statement(whole, statement.names))


def _named(rel: Rel) -> Statement:
    return Statement(rel, tuple(f"k{n}" for n in range(len(rel.columns))))


def _renamed(scan: Rel, columns: tuple[Column, ...]) -> Project:
    pairs = zip(columns, scan.columns, strict=True)
    return Project(scan, tuple(Output(own, read.ref()) for own, read in pairs))


def _splits(rel: Aggregate, output: Output) -> bool:
    wanted = output.expr
    if not isinstance(wanted, AggregateCall) or wanted.distinct or wanted.order or wanted.params:
        return False
    if wanted.function in _IN_GROUPS:
        return bool(rel.keys) and wanted.where is None
    return wanted.function in _AGAIN


def _again(rel: Aggregate, scan: Rel, fresh: Fresh) -> Rel:
    """The partial results of each group put together, under the columns of the aggregate."""
    first = len(rel.keys)
    keys = [
        Output(key.column, read.ref())
        for key, read in zip(rel.keys, scan.columns[:first], strict=True)
    ]
    totals = fresh.outputs(
        _put_together(output, read)
        for output, read in zip(rel.aggregates, scan.columns[first:], strict=True)
    )
    shown = [
        Output(output.column, _finished(output, total.column))
        for output, total in zip(rel.aggregates, totals, strict=True)
    ]
    return Project(
        Aggregate(scan, tuple(keys), totals), (*(pass_through(key.column) for key in keys), *shown)
    )


def _put_together(output: Output, read: Column) -> Expr:
    function = output.expr.function if isinstance(output.expr, AggregateCall) else ""
    return aggregate((_AGAIN | _IN_GROUPS)[function], read.ref())


def _finished(output: Output, total: Column) -> Expr:
    value = cast(total.ref(), output.column.dtype)
    return value if output.column.nullable else call("coalesce", value, number(0))
