"""Frames on their way between blocks: every row arrives once, where it belongs, in one order."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from slackwater.executors.spark import exchange
from slackwater.executors.spark.exchange import Encoder, Piece, decode, pack, unpack
from slackwater.state.snapshot import even_ranges

SCHEMA = pa.schema([("_x0", pa.int64()), ("k0", pa.string())])


def rows(count: int) -> pa.Table:
    hashes = np.random.default_rng(count).integers(-(2**63), 2**63 - 1, count)
    return pa.table([hashes, [f"row {n}" for n in range(count)]], schema=SCHEMA)


def received(pieces: list[Piece], target: int, schema: pa.Schema) -> pa.Table:
    batches = [decode(piece, schema) for piece in unpack(pack(pieces)) if piece.target == target]
    return pa.Table.from_batches(batches, schema)


@pytest.mark.parametrize("partitions", [1, 2, 3, 7])
def test_rows_go_to_the_partition_whose_range_holds_their_hash(partitions: int) -> None:
    table = rows(1000)
    encoder = Encoder(0, partitions)
    pieces = list(encoder.divided("1/f", table.to_batches(100), "_x0", keep=True))
    found = [received(pieces, target, SCHEMA) for target in range(partitions)]
    for (low, high), part in zip(even_ranges(partitions), found, strict=True):
        assert all(low <= value <= high for value in part["_x0"].to_pylist())
    everything = pa.concat_tables(found).sort_by("_x0")
    assert everything.equals(table.sort_by("_x0"))
    assert encoder.bytes == sum(len(piece.data) for piece in pieces)


def test_a_hash_that_only_divides_does_not_arrive() -> None:
    pieces = list(Encoder(0, 2).divided("1/f", rows(10).to_batches(), "_x0", keep=False))
    found = [received(pieces, target, pa.schema([SCHEMA.field("k0")])) for target in (0, 1)]
    assert sorted(pa.concat_tables(found)["k0"].to_pylist()) == sorted(rows(10)["k0"].to_pylist())


def test_replicated_rows_go_everywhere_and_gathered_ones_to_one() -> None:
    table = rows(10)
    copies = list(Encoder(1, 3).to_all("1/f", table.to_batches()))
    assert all(received(copies, target, SCHEMA).equals(table) for target in range(3))
    gathered = list(Encoder(1, 3).to_one("1/f", table.to_batches(), 2))
    assert received(gathered, 2, SCHEMA).equals(table)
    assert not received(gathered, 0, SCHEMA).num_rows


def test_rows_arrive_in_one_order_however_the_shuffle_brings_them() -> None:
    pieces = [
        piece
        for source in range(3)
        for piece in Encoder(source, 1).to_one("1/f", rows(50).to_batches(7), 0)
    ]
    shuffled = random.Random(1).sample(pieces, len(pieces))
    assert unpack(pack(shuffled)) == unpack(pack(pieces)) == pieces


def test_large_frames_travel_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MOST_BYTES", 1000)
    monkeypatch.setattr(exchange, "_DIVIDED_BYTES", 4000)
    table = rows(1000)
    pieces = list(Encoder(0, 2).divided("1/f", table.to_batches(), "_x0", keep=True))
    assert all(len(piece.data) < 2500 for piece in pieces)
    assert all(batch.num_rows < 10 for batch in pack(pieces))
    found = [received(pieces, target, SCHEMA) for target in (0, 1)]
    assert pa.concat_tables(found).sort_by("_x0").equals(table.sort_by("_x0"))


def test_a_frame_without_rows_sends_nothing() -> None:
    empty = SCHEMA.empty_table()
    assert not list(Encoder(0, 2).divided("1/f", empty.to_batches(), "_x0", keep=True))
    assert not list(Encoder(0, 2).to_all("1/f", empty.to_batches()))
