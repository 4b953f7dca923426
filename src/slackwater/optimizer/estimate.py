"""Guesses how many rows relations have and how much state a view will keep.

The guesses use only the number of rows of each source and shares that are usual for each
operator. They are shown when a view is made, and what it then keeps is held against what they say
of the sources as they are by then.
"""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.algebra.operators import (
    Aggregate,
    Expand,
    Filter,
    GroupLimit,
    Join,
    JoinKind,
    Limit,
    Range,
    Recompute,
    Scan,
    Union,
    Values,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.plan.arrangements import Role
from slackwater.plan.view_plan import KeptState, ViewPlan
from slackwater.types import DataType, DecimalType, StringType, is_numeric

_FILTERED = 0.5
_GROUPED = 0.3
_IN_BUCKET = 16
"""Rows of an order bucket of a window, at least."""
_ROW_OVERHEAD = 16
"""Hash and weight of a stored row."""


def estimate_rows(rel: Rel, rows: Mapping[str, int]) -> float:
    """About how many rows a relation has, given those of the sources and views it reads."""
    inputs = [estimate_rows(each, rows) for each in rel.inputs]
    match rel:
        case Scan(source=source):
            return float(rows.get(source, 0))
        case Recompute(sources=sources):
            return float(max((rows.get(name, 0) for name in sources), default=0))
        case Values(rows=constants):
            return float(len(constants))
        case Range(start=start, end=end, step=step):
            return max(0.0, (end - start) / step)
        case Filter():
            return inputs[0] * _FILTERED
        case Join():
            return _join_rows(rel, *inputs)
        case Aggregate(keys=keys):
            return max(1.0, inputs[0] * _GROUPED) if keys else 1.0
        case Union():
            return sum(inputs)
        case Expand(projections=projections):
            return inputs[0] * len(projections)
        case GroupLimit(partition=partition, count=count):
            groups = max(1.0, inputs[0] * _GROUPED) if partition else 1.0
            return min(inputs[0], groups * count)
        case Limit(count=count):
            return inputs[0] if count is None else min(inputs[0], float(count))
        case _:
            return inputs[0]


def _join_rows(rel: Join, left: float, right: float) -> float:
    if rel.kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.NULL_AWARE_ANTI):
        return left * _FILTERED
    if rel.kind in (JoinKind.MARK, JoinKind.SINGLE):
        return left
    return max(left, right) if rel.keys else left * max(right, 1.0)


def estimate_state(plan: ViewPlan, rows: Mapping[str, int]) -> int:
    """About how many bytes a view's state takes, its answer included."""
    kept = (*plan.inner_state, KeptState(plan.answer, plan.root.rel))
    sizes = {each.arrangement.id: _size(each, rows) for each in kept}
    return int(sum(sizes.values()))


def _size(state: KeptState, rows: Mapping[str, int]) -> float:
    width = _ROW_OVERHEAD + sum(map(_width, state.arrangement.types))
    count = estimate_rows(state.owner, rows)
    if state.arrangement.role is not Role.ACCUMULATORS:
        return width * count
    groups = count / _IN_BUCKET if isinstance(state.owner, Window) else count
    return width * max(1.0, groups)


def _width(dtype: DataType) -> int:
    if isinstance(dtype, StringType):
        return 24
    if isinstance(dtype, DecimalType):
        return 16
    return 8 if is_numeric(dtype) else 16
