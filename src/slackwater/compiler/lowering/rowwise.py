"""Lowers operators that see one row at a time, constant relations and orders."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Expand, Project, Scan, Sort
from slackwater.algebra.rel import Rel, UnaryRel
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes, settled_changes
from slackwater.plan.frames import Frame, Fresh
from slackwater.plan.weighted import read_changes, weight_of


class LowerRowwise(Lowering[UnaryRel]):
    """D(f(R)) = f(D(R)) for filters, projections, grouping sets and generators.

    An outer generator that gives nothing keeps its row, and so does the change.
    """

    def delta(self, rel: UnaryRel, builder: Builder) -> Frame | None:
        """The operator applied to the changes of its input, each row keeping its weight."""
        changes = settled_changes(rel, builder)
        if changes is None:
            return None
        table = read_changes(rel.input, changes, Fresh(rel))
        weight = weight_of(table)
        tree = _over(rel, table, weight)
        if weight_of(tree) != weight:
            tree = Project(tree, tuple(map(pass_through, (*rel.columns, weight))))
        return compute_changes(rel, "delta", tree, builder)


class LowerConstant(Lowering[Rel]):
    """D(values) = nothing: constant rows arrive once, when the view is first filled."""

    def delta(self, _rel: Rel, _builder: Builder) -> Frame | None:
        """Never any."""
        return None


class LowerSort(Lowering[Sort]):
    """D(sort(R)) = D(R): only a LIMIT above reads the order, from the rows."""

    def delta(self, rel: Sort, builder: Builder) -> Frame | None:
        """The changes of the input."""
        return builder.delta(rel.input)


def _over(rel: UnaryRel, changes: Scan, weight: Column) -> Rel:
    """The operator over changes, handing the weight on."""
    match rel:
        case Expand(projections=projections, output=output):
            rows = tuple((*row, weight.ref()) for row in projections)
            return replace(rel, input=changes, projections=rows, output=(*output, weight))
        case Project(outputs=outputs):
            return replace(rel, input=changes, outputs=(*outputs, pass_through(weight)))
        case _:
            return replace(rel, input=changes)
