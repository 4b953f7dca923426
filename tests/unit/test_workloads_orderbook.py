from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from slackwater.workloads.bags import apply_changes
from slackwater.workloads.orderbook import (
    ORDER_BOOK_SCHEMA,
    order_book,
    order_stream,
    write_order_book,
)

EMPTY = ORDER_BOOK_SCHEMA.empty_table()


def test_a_seed_gives_the_same_book_again() -> None:
    assert order_book(5, 300) == order_book(5, 300)
    assert order_book(5, 300) != order_book(6, 300)


@pytest.mark.parametrize("batches", [1, 7, 50])
def test_the_stream_ends_in_the_book(batches: int) -> None:
    tables = {"bids": EMPTY, "asks": EMPTY}
    stream = list(order_stream(3, 1000, batches))
    assert len(stream) == batches
    for batch in stream:
        for name, change in batch.items():
            assert change.schema.names == [*ORDER_BOOK_SCHEMA.names, "_w"]
            tables[name] = apply_changes(tables[name], change)
            orders = tables[name].column("order_id").to_pylist()
            assert len(orders) == len(set(orders))
    for name, table in order_book(3, 1000).items():
        assert tables[name].sort_by("order_id") == table.sort_by("order_id")


def test_orders_arrive_shrink_and_leave() -> None:
    batch = next(order_stream(3, 1000, 1))["bids"]
    weights, volumes = batch.column("_w").to_numpy(), batch.column("volume").to_numpy()
    assert (weights < 0).sum() > 500
    assert (volumes > 0).all()
    orders = batch.column("order_id").to_numpy()
    assert len(set(zip(orders, volumes, strict=True))) > len(set(orders)) * 1.3


@pytest.mark.parametrize("seed", range(4))
def test_some_pairs_are_far_apart_and_some_are_not(seed: int) -> None:
    book = order_book(seed, 4000)
    bids, asks = (
        book[side].column("price").cast("float64").to_numpy() for side in ("bids", "asks")
    )
    distances = asks[:, np.newaxis] - bids
    assert 0.1 < (distances > 1000).mean() < 0.7
    assert (distances < 0).any()
    assert min(bids.min(), asks.min()) > 0


def test_ten_brokers_trade_on_both_sides() -> None:
    for table in order_book(1, 2000).values():
        assert set(table.column("broker_id").to_pylist()) == set(range(1, 11))


def test_written_files_hold_the_book(tmp_path: Path) -> None:
    paths = write_order_book(tmp_path / "finance", 2, 500)
    assert {name: pq.read_table(path) for name, path in paths.items()} == order_book(2, 500)
