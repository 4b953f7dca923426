"""The common half of rules for operators that treat each row by itself."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Expand, Filter, Project, Scan
from slackwater.algebra.rel import Rel, UnaryRel
from slackwater.algebra.sql import column_name
from slackwater.expr.nodes import ColumnId
from slackwater.optimizer.rules.base import (
    PRINTER,
    Builder,
    output_list,
    positions,
    settled_changes,
    weighted_input,
)
from slackwater.optimizer.rules.keys import stored_text
from slackwater.types import BIGINT


def weight_column(rel: Rel) -> Column:
    """A column for the weight, with an id that the operator and its inputs do not use."""
    used = [column.id for each in (rel, *rel.inputs) for column in each.columns]
    return Column(ColumnId(max(used, default=0) + 1), "_w", BIGINT, nullable=False)


def rowwise_delta(rel: UnaryRel, builder: Builder) -> str | None:
    """The operator applied to the changes of its input, each row keeping its weight."""
    changes = settled_changes(rel, builder)
    if changes is None:
        return None
    short = _short_form(rel, changes)
    if short is not None:
        return builder.sql(rel, "delta", short, (changes,))
    weight = weight_column(rel)
    stand_in = Scan("changes", (*rel.input.columns, weight))
    source = f"(SELECT *, _w AS {column_name(weight)} FROM {weighted_input(rel.input, changes)})"
    select = PRINTER.select(_over(rel, stand_in, weight), (source,))
    text = f"SELECT {output_list(rel, column_name(weight))} FROM ({select})"
    return builder.sql(rel, "delta", text, (changes,))


def _short_form(rel: UnaryRel, changes: str) -> str | None:
    """The two commonest operators straight over the frame: a plan with fewer layers to plan."""
    match rel:
        case Filter(condition=condition):
            kept = "".join(f"{name}, " for name in positions(rel))
            return f"SELECT {kept}_w FROM {changes} WHERE {stored_text(rel.input, condition)}"
        case Project(outputs=outputs):
            texts = (stored_text(rel.input, output.expr) for output in outputs)
            made = "".join(f"{text} AS k{n}, " for n, text in enumerate(texts))
            return f"SELECT {made}_w FROM {changes}"
        case _:
            return None


def _over(rel: UnaryRel, stand_in: Scan, weight: Column) -> Rel:
    """The operator over changes, handing the weight on."""
    if isinstance(rel, Expand):
        rows = tuple((*row, weight.ref()) for row in rel.projections)
        return replace(rel, input=stand_in, projections=rows, output=(*rel.output, weight))
    return replace(rel, input=stand_in)
