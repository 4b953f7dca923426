"""Orders and customers, and changes to both: the same files for every system.

All values are whole numbers and short strings, which every system computes exactly. Some
customers have no orders. A change is half new orders, a quarter deleted and a quarter updated
ones, and a few customers who come, go or move. No row is changed twice, so that a system may
take a deletion by key.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import CatalogError

KEYS = {"customers": "customer_id", "orders": "order_id"}

VIEWS = {
    "by_category": "SELECT category, status, count(*) AS orders, "
    "CAST(sum(amount) AS BIGINT) AS amount FROM orders GROUP BY category, status",
    "by_region": "SELECT c.region, o.category, count(*) AS orders, "
    "CAST(sum(o.amount) AS BIGINT) AS amount "
    "FROM orders o JOIN customers c ON o.customer_id = c.customer_id "
    "GROUP BY c.region, o.category",
    "by_customer": "SELECT c.customer_id, c.region, count(o.order_id) AS orders, "
    "CAST(sum(coalesce(o.amount, 0)) AS BIGINT) AS amount "
    "FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id "
    "GROUP BY c.customer_id, c.region",
}
"""A group-by, a join with an aggregate, a left join with an aggregate."""

_CATEGORIES = 1_000
_STATUSES = pa.array(["open", "paid", "shipped", "returned"])
_REGIONS = pa.array([f"region {number:02d}" for number in range(25)])
_DEAREST = 100_000
_MOST_CUSTOMERS = 100_000
"""Answers stay small enough to be compared, and written by systems that always write them whole."""
_ROWS_PER_CUSTOMER = 20
_ROWS_PER_CHUNK = 1_000_000
_ROWS_PER_GROUP = 122_880
"""The size that DuckDB writes itself; small enough for all cores to have groups to read."""
_ORDERS_PER_CHANGED_CUSTOMER = 100
_SEED = 20


@dataclass(frozen=True, slots=True)
class DataPlan:
    """The number of orders, of rows that change at a time, and of changes."""

    rows: int
    changed_rows: int
    changes: int

    def __post_init__(self) -> None:
        """Refuse more changes than there are rows to change."""
        if self.touched_orders * self.changes > self.rows // 2:
            raise CatalogError(
                f"{self.changes} changes of {self.changed_rows:,} rows are too many "
                f"for {self.rows:,} rows",
                hint="Lower --change or --runs, or raise --rows.",
            )

    @property
    def updated_orders(self) -> int:
        """Orders that get new values, in one change."""
        return self.changed_rows // 4

    @property
    def touched_orders(self) -> int:
        """Orders that are updated or deleted, in one change."""
        return 2 * self.updated_orders

    @property
    def customers(self) -> int:
        """Customers before the first change."""
        return min(_MOST_CUSTOMERS, max(100, self.rows // _ROWS_PER_CUSTOMER))

    @property
    def moved_customers(self) -> int:
        """Customers who move to another region, in one change; half as many come, and go."""
        return max(2, self.changed_rows // _ORDERS_PER_CHANGED_CUSTOMER // 2)


def write_data(folder: Path, plan: DataPlan) -> None:
    """Write the history of both tables and all changes."""
    random = np.random.default_rng(_SEED)
    changes = [folder / "changes" / str(number) for number in range(plan.changes)]
    for change in changes:
        change.mkdir(parents=True)
    touched = _write_orders(folder / "orders.parquet", plan, random)
    for number, change in enumerate(changes):
        old = touched.slice(number * plan.touched_orders, plan.touched_orders)
        first_new = plan.rows + number * plan.changed_rows
        new = _orders(first_new, plan.changed_rows - plan.touched_orders, plan.customers, random)
        updated = _orders(0, plan.updated_orders, plan.customers, random)
        updated = updated.set_column(0, "order_id", old["order_id"][: plan.updated_orders])
        _write_change(change / "orders.parquet", old, [updated, new])
    _write_customers(folder, plan, changes, random)


def _write_orders(file: Path, plan: DataPlan, random: np.random.Generator) -> pa.Table:
    """Write the history in pieces; the orders that will be touched, in random order."""
    touched = random.choice(plan.rows, plan.touched_orders * plan.changes, replace=False)
    places, found = [], []
    with pq.ParquetWriter(file, _orders(0, 0, 1, random).schema) as writer:
        for start in range(0, plan.rows, _ROWS_PER_CHUNK):
            count = min(_ROWS_PER_CHUNK, plan.rows - start)
            # A tenth of the customers has no orders before the first change.
            chunk = _orders(start, count, plan.customers * 9 // 10, random)
            writer.write_table(chunk, row_group_size=_ROWS_PER_GROUP)
            here = np.flatnonzero((touched >= start) & (touched < start + count))
            places.append(here)
            found.append(chunk.take(pa.array(touched[here] - start)))
    return pa.concat_tables(found).take(pa.array(np.argsort(np.concatenate(places))))


def _orders(first: int, count: int, customers: int, random: np.random.Generator) -> pa.Table:
    return pa.table(
        {
            "order_id": np.arange(first, first + count, dtype=np.int64),
            "customer_id": random.integers(0, customers, count),
            "category": random.integers(0, _CATEGORIES, count),
            "status": _STATUSES.take(pa.array(random.integers(0, len(_STATUSES), count))),
            "amount": random.integers(1, _DEAREST, count),
        }
    )


def _write_customers(
    folder: Path, plan: DataPlan, changes: list[Path], random: np.random.Generator
) -> None:
    history = _customers(0, plan.customers, random)
    pq.write_table(history, folder / "customers.parquet")
    moved, gone = plan.moved_customers, plan.moved_customers // 2
    touched = random.choice(plan.customers, (moved + gone) * plan.changes, replace=False)
    for number, change in enumerate(changes):
        ids = touched[number * (moved + gone) : (number + 1) * (moved + gone)]
        old = history.take(pa.array(ids))
        updated = _customers(0, moved, random).set_column(0, "customer_id", [ids[:moved]])
        new = _customers(plan.customers + number * gone, gone, random)
        _write_change(change / "customers.parquet", old, [updated, new])


def _customers(first: int, count: int, random: np.random.Generator) -> pa.Table:
    regions = _REGIONS.take(pa.array(random.integers(0, len(_REGIONS), count)))
    return pa.table({"customer_id": np.arange(first, first + count), "region": regions})


def _write_change(file: Path, old: pa.Table, new: list[pa.Table]) -> None:
    rows = [_weighted(old, -1), *(_weighted(each, 1) for each in new)]
    pq.write_table(pa.concat_tables(rows), file)


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    return rows.append_column("_w", pa.array(np.full(rows.num_rows, weight, dtype=np.int64)))
