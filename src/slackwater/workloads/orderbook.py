"""A stock exchange's order book: bids and asks that arrive, are filled in parts, and leave.

The tables are those of the financial queries of DBToaster. Prices scatter widely around a
wandering middle, so that conditions such as `a.price - b.price > 1000` hold for some pairs
of orders and fail for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from slackwater.workloads.bags import WEIGHT
from slackwater.workloads.database import ChangeBatch
from slackwater.workloads.table_keys import TableKeys

ORDER_BOOK_KEYS: Final[Mapping[str, TableKeys]] = MappingProxyType(
    {"bids": TableKeys(("order_id",)), "asks": TableKeys(("order_id",))}
)
"""The keys of the two tables; an order is in one of them only."""

ORDER_BOOK_SCHEMA: Final = pa.schema(
    [
        ("t", pa.int64()),
        ("order_id", pa.int64()),
        ("broker_id", pa.int32()),
        ("price", pa.decimal128(12, 2)),
        ("volume", pa.int64()),
    ]
)
"""The columns of both tables; `t` is the order's arrival in milliseconds since the opening."""

_SIDES: Final = ("bids", "asks")
_BROKERS: Final = 10
_LIVING_SHARE: Final = 0.25
_LOWEST_MIDDLE, _HIGHEST_MIDDLE = 8_000.0, 12_000.0
_STEP: Final = 20.0
_DISTANCE: Final = 400.0
_LONGEST_DISTANCE: Final = 5_000.0

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Versions:
    """Orders with the volume they have between two moments; one order has up to three.

    A moment counts orders: the fifth order arrives at moment 5. A version that never ends
    within the stream ends after its last moment.
    """

    order: Integers
    volume: Integers
    start: Numbers
    end: Numbers


def order_stream(seed: int, orders: int, batches: int = 10) -> Iterator[ChangeBatch]:
    """The life of the book as `batches` batches over equal stretches of time.

    A partial fill is a -1 of the old and a +1 of the new volume. An order that arrives and
    leaves within one batch appears in it with both weights, as on a real exchange.
    """
    rows, sides, versions = _simulate(seed, orders)
    count = len(versions.order)
    moments = np.concatenate([versions.start, versions.end])
    weights = np.repeat(np.array([1, -1], dtype=np.int64), count)
    happened = np.flatnonzero(moments <= orders)
    happened = happened[np.argsort(moments[happened], kind="stable")]
    bounds = np.searchsorted(moments[happened], np.linspace(0, orders, batches + 1), side="right")
    for first, last in pairwise(bounds):
        events = happened[first:last]
        batch = {}
        for side, name in enumerate(_SIDES):
            own = events[sides[versions.order[events % count]] == side]
            if len(own):
                change = _version_rows(rows, versions, own % count)
                batch[name] = change.append_column(WEIGHT, pa.array(weights[own]))
        yield batch


def order_book(seed: int, orders: int) -> dict[str, pa.Table]:
    """The tables `bids` and `asks` after the whole stream: about a quarter of all orders."""
    rows, sides, versions = _simulate(seed, orders)
    living = np.flatnonzero((versions.start <= orders) & (versions.end > orders))
    return {
        name: _version_rows(rows, versions, living[sides[versions.order[living]] == side])
        for side, name in enumerate(_SIDES)
    }


def write_order_book(folder: Path | str, seed: int, orders: int) -> dict[str, Path]:
    """Write the final book to `<folder>/bids.parquet` and `<folder>/asks.parquet`."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, table in order_book(seed, orders).items():
        paths[name] = target / f"{name}.parquet"
        pq.write_table(table, paths[name])
    return paths


def _simulate(seed: int, orders: int) -> tuple[pa.Table, Integers, _Versions]:
    """The orders as they arrive, the side of each, and the versions they go through."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(len(_SIDES), size=orders)
    distance = np.minimum(rng.exponential(_DISTANCE, orders), _LONGEST_DISTANCE)
    price = _middle(rng, orders) + np.where(sides == 0, -distance, distance)
    columns = [
        pa.array(np.cumsum(rng.integers(1, 50, size=orders))),
        pa.array(np.arange(1, orders + 1)),
        pa.array(rng.integers(1, _BROKERS + 1, size=orders).astype(np.int32)),
        _cents(np.rint(price * 100).astype(np.int64)),
        pa.array(100 * rng.integers(1, 50, size=orders)),
    ]
    rows = pa.Table.from_arrays(columns, schema=ORDER_BOOK_SCHEMA)
    return rows, sides, _versions(rng, rows.column("volume").to_numpy())


def _middle(rng: np.random.Generator, orders: int) -> Numbers:
    """A random walk that is reflected at both ends of its range."""
    width = _HIGHEST_MIDDLE - _LOWEST_MIDDLE
    walk = width / 2 + np.cumsum(rng.normal(0, _STEP, orders))
    folded = np.abs((walk + width) % (2 * width) - width)
    middle: Numbers = _LOWEST_MIDDLE + folded
    return middle


def _cents(amounts: Integers) -> pa.Array:
    whole = pa.array(amounts).cast(pa.decimal128(19, 0))
    hundredth = pa.scalar(Decimal("0.01"), pa.decimal128(3, 2))
    return pc.multiply(whole, hundredth).cast(ORDER_BOOK_SCHEMA.field("price").type)


def _versions(rng: np.random.Generator, volume: Integers) -> _Versions:
    """Half of the orders are never filled in parts, the others once or twice."""
    orders = len(volume)
    fills = rng.choice(3, size=orders, p=[0.5, 0.3, 0.2])
    arrival = np.arange(1, orders + 1, dtype=np.float64)
    lifetime = rng.exponential(max(1.0, _LIVING_SHARE * orders), orders)
    moments = np.sort(rng.random((orders, 2)), axis=1)
    moments[fills < 2, 1] = 1.0
    moments[fills < 1, 0] = 1.0
    starts = np.column_stack([np.zeros(orders), moments])
    ends = np.column_stack([moments, np.ones(orders)])
    left = np.ceil(volume[:, np.newaxis] * np.cumprod(rng.uniform(0.3, 0.9, (orders, 2)), axis=1))
    volumes = np.column_stack([volume, left]).astype(np.int64)
    order, number = np.nonzero(starts < ends)
    return _Versions(
        order=order,
        volume=volumes[order, number],
        start=arrival[order] + lifetime[order] * starts[order, number],
        end=arrival[order] + lifetime[order] * ends[order, number],
    )


def _version_rows(rows: pa.Table, versions: _Versions, numbers: Integers) -> pa.Table:
    taken = rows.take(pa.array(versions.order[numbers]))
    volumes = pa.array(versions.volume[numbers])
    return taken.set_column(ORDER_BOOK_SCHEMA.get_field_index("volume"), "volume", volumes)
