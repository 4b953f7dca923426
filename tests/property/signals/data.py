"""Random events of a few groups, and random ways to hand them over in runs."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pyarrow as pa
from hypothesis import strategies as st

Row = tuple[str, int, int, float, float]
"""Group, start, end, and the two numbers of the payload."""
SCHEMA = pa.schema(
    [
        ("sensor", pa.string()),
        ("at", pa.int64()),
        ("until", pa.int64()),
        ("v", pa.float64()),
        ("w", pa.float64()),
    ]
)
GROUPS = ("a", "b", "c")


@dataclass(frozen=True)
class History:
    """Events in the order in which they come, cut into runs."""

    runs: tuple[tuple[Row, ...], ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for run in self.runs for row in run)


def table(rows: tuple[Row, ...]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((),) * len(SCHEMA)
    typed = zip(columns, SCHEMA, strict=True)
    return pa.table([pa.array(each, field.type) for each, field in typed], SCHEMA)


@st.composite
def histories(
    draw: st.DrawFn, period: int | None, lateness: int, runs: int, longest: int = 24
) -> History:
    """Events on beats of a period, or anywhere; in an order that the lateness allows."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    most = draw(st.integers(0, longest))
    groups = GROUPS[: draw(st.integers(1, 3))]
    step = draw(st.sampled_from([(0,), (0, 0, 0, 0, 1), (0, 1, 2, 7), (0, 0, 25)]))
    holes = draw(st.sampled_from([0.0, 0.1]))
    cut: list[list[Row]] = [[] for _ in range(runs)]
    for group in groups:
        lives = _lives(rng, rng.randint(0, most), period, step)
        events = [(group, a, b, _value(rng, holes), rng.uniform(0, 1)) for a, b in lives]
        arrival = [(row[1] + rng.randint(0, max(lateness - 1, 0)), row) for row in events]
        ordered = [row for _, row in sorted(arrival, key=lambda each: each[0])]
        places = sorted(rng.randrange(runs) for _ in ordered)
        for place, row in zip(places, ordered, strict=True):
            cut[place].append(row)
    for run in cut:
        rng.shuffle(run)
    return History(tuple(tuple(run) for run in cut))


def _lives(
    rng: random.Random, count: int, period: int | None, step: tuple[int, ...]
) -> list[tuple[int, int]]:
    found, time = [], rng.randint(-40, 40)
    if period is not None:
        time -= time % period
    for _ in range(count):
        lasts = 1 if period is not None else rng.choice((1, 1, 2, 9))
        found.append((time, time + lasts))
        gap = rng.choice(step)
        time += (gap + 1) * period if period is not None else lasts + gap
    return found


def _value(rng: random.Random, holes: float) -> float:
    return float("nan") if rng.random() < holes else rng.uniform(-4, 4)
