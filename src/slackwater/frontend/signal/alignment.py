"""Alignment: makes two signals meet, so that arithmetic between them has pairs to work on.

Samples of one period on other beats are shifted. Of two periods the coarser signal is resampled
on the beats of the finer. Where only one is uniform, the other is sampled on its beats.
"""

from __future__ import annotations

from slackwater.errors import SignalError
from slackwater.signals.formulas import Binary, BinaryOp, FieldRef, Formula
from slackwater.signals.grid import Grid
from slackwater.signals.interpolation import Interpolation
from slackwater.signals.operator import Operator
from slackwater.signals.sample import Sample
from slackwater.signals.schema import SignalSchema
from slackwater.signals.select import Select
from slackwater.signals.shift import Shift
from slackwater.signals.temporal_join import LEFT, RIGHT, TemporalJoin

Side = tuple[Operator, Interpolation | None]


def align(left: Side, right: Side) -> tuple[Operator, Operator]:
    """Both signals on the beats they are to meet at."""
    one, other = left[0].schema.grid, right[0].schema.grid
    if one == other:
        return left[0], right[0]
    if one is None or other is None:
        return _sampled(left, other), _sampled(right, one)
    if one.period == other.period:
        return left[0], Shift(right[0], one.offset - other.offset)
    if one.period > other.period:
        return _resampled(left, other), right[0]
    return left[0], _resampled(right, one)


def _sampled(side: Side, grid: Grid | None) -> Operator:
    operator, policy = side
    return operator if grid is None else Sample(operator, grid, policy)


def _resampled(side: Side, grid: Grid) -> Operator:
    operator, policy = side
    if policy is None:
        raise SignalError(
            f"samples {operator.schema.grid} have no values {grid}, and no interpolation",
            hint="Say how with interpolating('linear'), or call resample.",
        )
    return Sample(operator, grid, policy)


def combine(op: BinaryOp, left: Side, right: Side) -> Operator:
    """The two signals aligned and combined field by field, wherever both have an event."""
    one, other = align(left, right)
    pairs = _pairs(one.schema, other.schema)
    outputs = tuple(
        (name, Binary(op, FieldRef(LEFT + first), FieldRef(RIGHT + second)))
        for name, first, second in pairs
    )
    return Select(TemporalJoin(one, other), outputs)


def combine_number(op: BinaryOp, operator: Operator, number: Formula, *, first: bool) -> Operator:
    """Every field combined with one number, which stands first or second."""
    fields = operator.schema.values
    return Select(
        operator,
        tuple(
            (
                each.name,
                Binary(op, number, FieldRef(each.name))
                if first
                else Binary(op, FieldRef(each.name), number),
            )
            for each in fields
        ),
    )


def _pairs(left: SignalSchema, right: SignalSchema) -> list[tuple[str, str, str]]:
    """Fields that belong together: of one name, or a single one with all of the others."""
    one = [each.name for each in left.values]
    other = [each.name for each in right.values]
    if len(other) == 1:
        return [(name, name, other[0]) for name in one]
    if len(one) == 1:
        return [(name, one[0], name) for name in other]
    if set(one) == set(other):
        return [(name, name, name) for name in one]
    raise SignalError(
        f"payloads of {', '.join(one)} and of {', '.join(other)} have no arithmetic together",
        hint="Select fields of the same names, or a single field.",
    )
