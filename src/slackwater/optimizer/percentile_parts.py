"""Takes percentiles apart from the aggregates beside them, so that each is kept its own way."""

from __future__ import annotations

from slackwater.algebra.columns import Output, pass_through
from slackwater.algebra.operators import Aggregate, Project
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import Expr
from slackwater.expr.properties import referenced_columns
from slackwater.optimizer.ids import Ids, under_own_ids
from slackwater.optimizer.rules.accumulators import remember
from slackwater.optimizer.rules.percentiles import percentile_value
from slackwater.optimizer.side_by_side import side_by_side
from slackwater.plan.facts import Facts
from slackwater.plan.weighted import groupable


def split_percentiles(rel: Rel, ids: Ids) -> Rel:
    """Percentiles of each value, and all other aggregates, are grouped apart and joined by key.

    Nothing is gained where the other aggregates need the rows of their groups themselves.
    """
    if not isinstance(rel, Aggregate) or not all(groupable(key.column.dtype) for key in rel.keys):
        return rel
    parts = _parts(rel)
    if len(parts) < 2 or not all(map(_has_running_value, parts.get(None, ()))):
        return rel
    first, *others = (tuple(outputs) for outputs in parts.values())
    return side_by_side(
        (
            Aggregate(_narrowed(rel, first), rel.keys, first),
            *(
                Aggregate(_narrowed(rel, outputs), under_own_ids(rel.keys, ids), outputs)
                for outputs in others
            ),
        ),
        rel.columns,
    )


def _parts(rel: Aggregate) -> dict[Expr | None, list[Output]]:
    """The outputs by the value that they are percentiles of; None for those that are none."""
    found: dict[Expr | None, list[Output]] = {}
    for output in rel.aggregates:
        value = percentile_value(output.expr)
        found.setdefault(None if isinstance(value, str) else value, []).append(output)
    return found


def _has_running_value(output: Output) -> bool:
    return not isinstance(remember(output.expr, grows=True, facts=Facts()), str)


def _narrowed(rel: Aggregate, outputs: tuple[Output, ...]) -> Rel:
    """The input with the columns that some outputs need."""
    exprs = (each.expr for each in (*rel.keys, *outputs))
    needed = {column for expr in exprs for column in referenced_columns(expr)}
    kept = tuple(column for column in rel.input.columns if column.id in needed)
    if not kept or len(kept) == len(rel.input.columns):
        return rel.input
    return Project(rel.input, tuple(map(pass_through, kept)))
