"""Random changes of two small tables in which keys meet often and rows repeat."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pyarrow as pa

from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.rows import Row, table_from_rows

_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("k", pa.int32()),
        ("g", pa.string()),
        ("v", pa.int32()),
        ("d", pa.decimal128(9, 2)),
        ("x", pa.float64()),
    ]
)
_NAN = float("nan")
"""One object: two NaNs of Python are not equal, and so would be two rows."""


def random_schemas() -> dict[str, pa.Schema]:
    """The columns of both tables."""
    return {"a": _SCHEMA, "b": _SCHEMA}


def random_history(seed: int, batches: int) -> Iterator[ChangeBatch]:
    """Batches that insert, delete and update rows; now and then one table stays as it is."""
    rng = random.Random(seed)
    contents: dict[str, Counter[Row]] = {name: Counter() for name in random_schemas()}
    for _ in range(batches):
        batch = {}
        for name, rows in contents.items():
            if rng.random() < 0.85:
                change = _change(rng, rows)
                rows.update(change)
                batch[name] = _table(change)
        yield batch


def _change(rng: random.Random, rows: Counter[Row]) -> Counter[Row]:
    change: Counter[Row] = Counter()
    living = sorted(rows.elements(), key=repr)
    for row in rng.sample(living, min(len(living), rng.randint(0, 6))):
        change[row] -= 1
        if rng.random() < 0.5:
            place = rng.randrange(len(row))
            change[(*row[:place], _row(rng)[place], *row[place + 1 :])] += 1
    for _ in range(rng.randint(0, 8)):
        change[_row(rng)] += rng.choice((1, 1, 1, 2))
    return change


def _row(rng: random.Random) -> Row:
    return (
        rng.randint(1, 9),
        rng.choice((None, 0, 1, 1, 2, 3)),
        rng.choice((None, "", "p", "q", "pq")),
        rng.choice((None, 1, 2, 3, 4, 5)),
        rng.choice((None, Decimal("0.50"), Decimal("1.25"), Decimal("-3.10"))),
        rng.choice((None, 0.0, 0.5, 1e15, -1e15, _NAN, float("inf"))),
    )


def _table(change: Counter[Row]) -> pa.Table:
    rows = [(*row, weight) for row, weight in change.items() if weight]
    return table_from_rows(_SCHEMA.append(pa.field(WEIGHT, pa.int64())), rows)
