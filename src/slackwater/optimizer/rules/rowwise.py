"""The common half of rules for operators that treat each row by itself."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Expand, Project, Scan
from slackwater.algebra.rel import Rel, UnaryRel
from slackwater.optimizer.rules.base import Builder, compute_changes, settled_changes
from slackwater.optimizer.rules.weighted import read_changes, weight_of
from slackwater.plan.frames import Frame, Fresh


def rowwise_delta(rel: UnaryRel, builder: Builder) -> Frame | None:
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
