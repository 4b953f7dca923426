"""A log of events with columns of every everyday type, and two dimensions beside it.

Events come in visits of five: one user on one device, a few minutes apart, so that sessions,
funnels and gaps mean something. `ts` is different for every event, and thereby a total order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import SetupError
from slackwater.workloads import event_values as values
from slackwater.workloads.cache import cache_folder, generate_once
from slackwater.workloads.table_keys import TableKeys

Integers = values.Integers
Random = np.random.Generator

EVENT_KEYS: Final[Mapping[str, TableKeys]] = MappingProxyType(
    {
        "products": TableKeys(("product_id",)),
        "users": TableKeys(("user_id",)),
        "events": TableKeys(("event_id",)),
    }
)
"""The primary keys; a tenth of the users and products that events name have no row."""

EVENT_SCHEMA: Final = pa.schema(
    [
        ("event_id", pa.int64()),
        ("user_id", pa.int64()),
        ("device_id", pa.int64()),
        ("product_id", pa.int32()),
        ("shop_id", pa.int32()),
        ("country", pa.string()),
        ("platform", pa.string()),
        ("kind", pa.string()),
        ("ts", pa.timestamp("us", "UTC")),
        ("local_ts", pa.timestamp("us")),
        ("day", pa.date32()),
        ("amount", pa.float64()),
        ("latency", pa.float64()),
        ("score", pa.float32()),
        ("price", pa.decimal128(12, 2)),
        ("quantity", pa.int32()),
        ("bytes", pa.int64()),
        ("flags", pa.int32()),
        ("ok", pa.bool_()),
        ("path", pa.string()),
        ("note", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("codes", pa.list_(pa.int32())),
        (
            "device",
            pa.struct([("os", pa.string()), ("version", pa.int32()), ("width", pa.float64())]),
        ),
        ("payload", pa.string()),
    ]
)

_CHUNK: Final = 500_000
"""Rows made at a time; each chunk has random numbers of its own."""
_VISIT: Final = 5
_DAY: Final = 86_400_000_000
_DAYS: Final = 90
_FIRST_DAY: Final = 20_089
"""2025-01-01, in days since 1970."""
LAST_TIME: Final = (_FIRST_DAY + _DAYS) * _DAY
"""About the time of the last event of a log, in microseconds."""
_STEP: Final = 4 * 60_000_000
"""Microseconds between the events of a visit, about."""
_LEAST_SLOT: Final = 1 << 24
_DEVICES, _PRODUCTS, _SHOPS = 100_000, 1_000, 1_000
_KNOWN: Final = 0.9
"""The share of users and products that are in the dimensions."""


@dataclass(frozen=True, slots=True)
class EventSpec:
    """A log of so many events; equal specifications give equal tables."""

    rows: int
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse logs without events."""
        if self.rows < 1:
            raise SetupError(f"{self.rows} is not a number of events", hint="Give 1 or more.")

    @property
    def users(self) -> int:
        """Distinct users that events may name."""
        return max(20, self.rows // 20)

    @property
    def slot(self) -> int:
        """Microseconds that no event shares with another; all event ids are smaller."""
        return max(_LEAST_SLOT, 1 << (2 * self.rows).bit_length())


def ensure_events(spec: EventSpec, cache_dir: Path | str | None = None) -> Path:
    """The folder with `events.parquet`, `users.parquet` and `products.parquet`."""
    name = f"rows{spec.rows}-seed{spec.seed}"
    target = cache_folder(cache_dir) / "events" / name
    return generate_once(target, lambda folder: write_events(folder, spec))


def write_events(folder: Path, spec: EventSpec) -> None:
    """Write the three tables."""
    with pq.ParquetWriter(folder / "events.parquet", EVENT_SCHEMA) as writer:
        for number, first in enumerate(range(0, spec.rows, _CHUNK)):
            ids = np.arange(first, min(first + _CHUNK, spec.rows), dtype=np.int64)
            rng = np.random.default_rng([spec.seed, 0, number])
            writer.write_table(make_events(spec, rng, ids, arrival_times(spec, ids)))
    pq.write_table(make_users(spec), folder / "users.parquet")
    pq.write_table(make_products(spec), folder / "products.parquet")


def arrival_times(spec: EventSpec, ids: Integers) -> Integers:
    """Microseconds of events that arrive in the order of their visits."""
    visits = max(1, spec.rows // _VISIT)
    starts = _FIRST_DAY * _DAY + (ids // _VISIT) * (_DAYS * _DAY // visits)
    times: Integers = starts + (ids % _VISIT) * _STEP
    return times


def make_events(spec: EventSpec, rng: Random, ids: Integers, times: Integers) -> pa.Table:
    """Events with the given ids, which must be those of whole visits or of none."""
    count = len(ids)
    visit = np.unique(ids // _VISIT, return_inverse=True)[1]
    visits = int(visit.max(initial=-1)) + 1
    users = values.skewed(rng, visits, spec.users, 0.5)[visit]
    country = values.skewed(rng, visits, len(values.COUNTRIES), 1.0)[visit]
    moments = (times + rng.integers(0, _STEP // 2, count)) // spec.slot * spec.slot + ids
    quantity = rng.integers(1, 21, count)
    columns = {
        "event_id": pa.array(ids),
        "user_id": pa.array(users + 1),
        "device_id": pa.array(rng.integers(0, min(_DEVICES, spec.rows), visits)[visit]),
        "product_id": pa.array(values.skewed(rng, count, _PRODUCTS, 1.0) + 1),
        "shop_id": pa.array(rng.integers(1, _SHOPS + 1, count)),
        "country": values.COUNTRIES.take(pa.array(country)),
        "platform": values.PLATFORMS.take(pa.array(rng.integers(0, 3, visits)[visit])),
        "kind": values.KINDS.take(pa.array(rng.choice(5, count, p=values.KIND_SHARES))),
        "ts": pa.array(moments),
        "local_ts": pa.array(moments + (country % 24 - 11) * 3_600_000_000),
        "day": pa.array((moments // _DAY).astype(np.int32)),
        "price": values.cents(np.rint(rng.lognormal(3.0, 1.0, count) * 100).astype(np.int64)),
        "quantity": pa.array(quantity),
        "bytes": pa.array(rng.integers(0, 1 << 40, count)),
        "flags": pa.array(1 << rng.integers(0, 30, count)),
        **values.measures(rng, quantity),
        **values.texts(rng, count),
        **values.nested(rng, count),
    }
    arrays = [columns[field.name].cast(field.type) for field in EVENT_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=EVENT_SCHEMA)


def make_users(spec: EventSpec) -> pa.Table:
    """One row for nine tenths of the users; the others are unknown."""
    rng = np.random.default_rng([spec.seed, 1])
    ids = np.flatnonzero(rng.random(spec.users) < _KNOWN) + 1
    count = len(ids)
    signup = _FIRST_DAY - rng.integers(1, 1_000, count)
    return pa.table(
        {
            "user_id": pa.array(ids),
            "segment": values.SEGMENTS.take(pa.array(rng.integers(0, 4, count))),
            "home": values.COUNTRIES.take(pa.array(values.skewed(rng, count, 50, 1.0))),
            "signup": pa.array(signup.astype(np.int32)).cast(pa.date32()),
            "credit": pa.array(rng.lognormal(5.0, 1.0, count), mask=rng.random(count) < 0.05),
            "vip": pa.array(rng.random(count) < 0.05),
            "settings": values.settings(rng, count),
        }
    )


def make_products(spec: EventSpec) -> pa.Table:
    """One row for nine tenths of the products."""
    rng = np.random.default_rng([spec.seed, 2])
    ids = np.flatnonzero(rng.random(_PRODUCTS) < _KNOWN) + 1
    count = len(ids)
    return pa.table(
        {
            "product_id": pa.array(ids.astype(np.int32)),
            "category": pa.array([f"category {each % 20}" for each in ids.tolist()]),
            "brand": pa.array([f"brand {each}" for each in rng.integers(0, 100, count).tolist()]),
            "cost": values.cents(rng.integers(100, 100_000, count)),
            "weight": pa.array(rng.lognormal(0.0, 1.0, count)),
        }
    )
