"""A history that any process can continue: batches by number, and what they add up to.

The offsets of the sources say how far the story has come. What the views must hold is worked
out here in plain Python, so that a lost or doubled batch shows whatever Spark says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pyarrow as pa

Row = tuple[object, ...]
Bag = Counter[Row]

SOURCES = {
    "item": ("a INT, b STRING, v BIGINT", ()),
    "label": ("a INT NOT NULL, name STRING", ("a",)),
}
VIEWS = {
    "totals": "SELECT l.name, count(*) AS n, sum(i.v) AS s "
    "FROM item i JOIN label l ON i.a = l.a GROUP BY l.name",
    "labelled": "SELECT i.b, i.v, l.name FROM item i LEFT JOIN label l ON i.a = l.a",
    "extremes": "SELECT b, min(v) AS low, max(v) AS high, count(DISTINCT a) AS d "
    "FROM item GROUP BY b",
    "ranked": "SELECT a, b, v, row_number() OVER (PARTITION BY b ORDER BY v, a) AS r FROM item",
}

_KEYS = 9
_LIVE = 3
_ITEM = pa.schema(
    [
        pa.field("a", pa.int32()),
        pa.field("b", pa.string()),
        pa.field("v", pa.int64()),
        pa.field("_w", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of a source, as it is handed to `ingest`."""

    source: str
    rows: pa.Table
    op: str | None


def next_batch(offsets: dict[str, int]) -> Batch:
    """The batch that follows: the sources take turns."""
    items, labels = offsets.get("item", 0), offsets.get("label", 0)
    if items not in (labels, labels + 1):
        raise AssertionError(f"a batch was lost or doubled: {offsets}")
    if items == labels:
        return Batch("item", _item_table(items + 1), None)
    return _label_batch(labels + 1)


def _items(number: int) -> Bag:
    """The rows that come with a batch; the first of some batches comes twice."""
    rows: Bag = Counter()
    for i in range(6):
        row = ((3 * number + i) % _KEYS, "xyzw"[(number + i) % 4], (37 * number + 11 * i) % 50)
        rows[row] += 2 if i == 0 and number % 3 == 0 else 1
    return rows


def _item_table(number: int) -> pa.Table:
    """What comes, what leaves again, and at times a row that does both."""
    rows = [(*row, weight) for row, weight in _items(number).items()]
    if number > _LIVE:
        rows += [(*row, -weight) for row, weight in _items(number - _LIVE).items()]
    if number % 4 == 0:
        rows += [(1, "x", 1, 1), (1, "x", 1, -1)]
    columns = zip(*rows, strict=True)
    arrays = [pa.array(c, each.type) for c, each in zip(columns, _ITEM, strict=True)]
    return pa.table(arrays, schema=_ITEM)


def _is_delete(number: int) -> bool:
    return number % 4 == 3


def _labels(number: int) -> dict[int, str]:
    return {number % _KEYS: f"n{number % 5}", (number + 4) % _KEYS: f"m{number % 3}"}


def _label_batch(number: int) -> Batch:
    if _is_delete(number):
        keys = pa.table({"a": pa.array([(number - 1) % _KEYS], pa.int32())})
        return Batch("label", keys, "delete")
    labels = _labels(number)
    columns = {"a": pa.array(labels, pa.int32()), "name": list(labels.values())}
    return Batch("label", pa.table(columns), "upsert")


@dataclass(slots=True)
class World:
    """What the sources hold once so many batches are in."""

    items: Bag = field(default_factory=Counter)
    labels: dict[int, str] = field(default_factory=dict)

    @staticmethod
    def after(offsets: dict[str, int]) -> World:
        """The sum of all batches up to the offsets."""
        world = World()
        last = offsets.get("item", 0)
        for number in range(max(1, last - _LIVE + 1), last + 1):
            world.items.update(_items(number))
        for number in range(1, offsets.get("label", 0) + 1):
            if _is_delete(number):
                del world.labels[(number - 1) % _KEYS]
            else:
                world.labels.update(_labels(number))
        return world

    def views(self) -> dict[str, Bag]:
        """The answer of every view."""
        return {
            "totals": self._totals(),
            "labelled": self._labelled(),
            "extremes": self._extremes(),
            "ranked": self._ranked(),
        }

    def _totals(self) -> Bag:
        count: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for (a, _, v), weight in self.items.items():
            if a in self.labels:
                count[self.labels[a]] += weight
                total[self.labels[a]] += weight * v
        return Counter((name, n, total[name]) for name, n in count.items())

    def _labelled(self) -> Bag:
        found: Bag = Counter()
        for (a, b, v), weight in self.items.items():
            found[b, v, self.labels.get(a)] += weight
        return found

    def _extremes(self) -> Bag:
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in self.items:
            groups[row[1]].append(row)
        return Counter(
            (
                b,
                min(v for _, _, v in rows),
                max(v for _, _, v in rows),
                len({a for a, _, _ in rows}),
            )
            for b, rows in groups.items()
        )

    def _ranked(self) -> Bag:
        found: Bag = Counter()
        seen: Counter[str] = Counter()
        for a, b, v in sorted(self.items.elements(), key=lambda row: (row[2], row[0])):
            seen[b] += 1
            found[a, b, v, seen[b]] += 1
        return found
