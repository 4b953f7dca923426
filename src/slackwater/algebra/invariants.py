"""Rules about whole plans, beyond what each operator checks of itself when it is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import (
    Aggregate,
    Expand,
    Generate,
    Join,
    Project,
    Range,
    Recompute,
    Scan,
    Union,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.errors import InvariantError
from slackwater.expr.nodes import UNKNOWN_TYPE, ColumnId


def check_plan(rel: Rel) -> None:
    """Raise `InvariantError` unless every column is defined once and has a known type."""
    definitions = Counter(column.id for column in defined_columns(rel))
    repeated = sorted(column_id for column_id, times in definitions.items() if times > 1)
    if repeated:
        raise InvariantError(f"columns defined more than once: {repeated}")
    for each in walk_rel(rel):
        for column in each.columns:
            if column.dtype == UNKNOWN_TYPE:
                raise InvariantError(f"{type(each).__name__}: {column.name} has no known type")


def defined_columns(rel: Rel) -> Iterator[Column]:
    """Every column the plan brings into being, inputs first, in a stable order."""
    for each in rel.inputs:
        yield from defined_columns(each)
    yield from _defined_here(rel)


def _defined_here(rel: Rel) -> Iterator[Column]:
    match rel:
        case Scan() | Values() | Range() | Recompute() | Union():
            yield from rel.columns
        case Project(outputs=outputs) | Window(functions=outputs):
            yield from (output.column for output in outputs if not output.passes_through)
        case Aggregate(keys=keys, aggregates=aggregates):
            yield from (out.column for out in (*keys, *aggregates) if not out.passes_through)
        case Expand(input=source, output=output):
            known = _ids(source)
            yield from (column for column in output if column.id not in known)
        case Generate(generated=generated):
            yield from generated
        case Join(mark=mark) if mark is not None:
            yield mark
        case _:
            return


def _ids(rel: Rel) -> frozenset[ColumnId]:
    return frozenset(column.id for column in rel.columns)
