"""The buckets that a change reaches, held against frames that are written out row by row."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Scan, Window
from slackwater.compiler.lowering.ranges import place_ranges
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.nodes import (
    BoundKind,
    ColumnId,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.optimizer.rules.ranged import ranged_window
from slackwater.plan.frames import Fresh
from slackwater.types import BIGINT

from .duckdb_rows import Table, run

_SHIFT = 2
Rows = Sequence[tuple[int, int]]
"""Rows of one partition in their order: the key, and a number that only this row has."""


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


def _window(unit: FrameUnit, back: int, ahead: int) -> Window:
    group, key = (Column(ColumnId(n), f"c{n}", BIGINT) for n in (1, 2))
    edges = (Literal(str(each), BIGINT) for each in (-back, ahead))
    frame = Frame(unit, *(FrameBound(BoundKind.OFFSET, each) for each in edges))
    call = WindowCall(aggregate("sum", key.ref()), frame)
    output = Output(Column(ColumnId(3), "c3", BIGINT), call)
    return Window(Scan("t", (group, key)), (group.ref(),), (SortKey(key.ref()),), (output,))


def _frames(rows: Rows, unit: FrameUnit, back: int, ahead: int) -> dict[int, Rows]:
    """The rows that each row sees."""
    if unit is FrameUnit.ROWS:
        return {
            number: rows[max(0, at - back) : at + ahead + 1] for at, (_, number) in enumerate(rows)
        }
    return {
        number: [row for row in rows if key - back <= row[0] <= key + ahead] for key, number in rows
    }


def _changed(rng: random.Random) -> tuple[Rows, Rows]:
    """A partition before and after a change; keys lie in heaps, with gaps between."""
    heaps = [rng.randint(0, 400) for _ in range(rng.randint(1, 8))]
    keys = [rng.choice(heaps) + rng.randint(0, 9) for _ in range(rng.randint(0, 30))]
    before = sorted((key, number) for number, key in enumerate(keys))
    gone = set(rng.sample(before, min(len(before), rng.choice((0, 1, 1, 2)))))
    new = [(rng.choice(heaps) + rng.randint(0, 60), 100 + n) for n in range(rng.choice((0, 1, 2)))]
    return before, sorted([row for row in before if row not in gone] + new)


def _buckets(before: Rows, after: Rows) -> Mapping[int, tuple[int, int]]:
    """The rows of each bucket after the change, and whether it is touched."""
    moved = {key >> _SHIFT for key, _ in set(before) ^ set(after)}
    every = {key >> _SHIFT for key, _ in (*before, *after)}
    return {
        bucket: (sum(key >> _SHIFT == bucket for key, _ in after), int(bucket in moved))
        for bucket in every
    }


@pytest.mark.parametrize("unit", FrameUnit)
@pytest.mark.parametrize(("back", "ahead"), [(1, 0), (0, 2), (3, 5), (20, 0), (7, 7)])
def test_buckets_hold_all_that_sees_a_change_and_all_it_sees(
    unit: FrameUnit, back: int, ahead: int, engine: LocalEngine
) -> None:
    rng = random.Random(back * 31 + ahead)
    parts = {group: _changed(rng) for group in range(60)}
    table = Table("b", 11, g=BIGINT, bucket=BIGINT, rows=BIGINT, touched=BIGINT)
    rel = _window(unit, back, ahead)
    found = place_ranges(table.scan, ranged_window(rel, _SHIFT), Fresh(rel, table.scan))
    given = [
        (group, bucket, *counted)
        for group, (before, after) in parts.items()
        for bucket, counted in _buckets(before, after).items()
    ]
    needed = {(row[0], row[1]): row[2] for row in run(engine, found, {"b": table.of(*given)})}
    for group, (before, after) in parts.items():
        old, new = (_frames(rows, unit, back, ahead) for rows in (before, after))
        for key, number in {*before, *after}:
            if old.get(number) != new.get(number):
                assert needed.get((group, key >> _SHIFT)) is True
        for key, number in after:
            if needed.get((group, key >> _SHIFT)):
                assert all((group, seen >> _SHIFT) in needed for seen, _ in new[number])
    still = [group for group, (before, after) in parts.items() if before == after]
    assert still
    assert not any((group, bucket) in needed for group in still for _, bucket, *_ in given)
    assert len(needed) < len(given)
