from __future__ import annotations

from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.state import sorting
from slackwater.state.sorting import sorted_pieces
from slackwater.state.spill import Held, Room

SCHEMA = pa.schema([("_h", pa.int64()), ("k0", pa.string())])
HASHES = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))


def _batch(hashes: list[int]) -> pa.RecordBatch:
    texts = [str(value) for value in hashes]
    return pa.RecordBatch.from_arrays([pa.array(hashes, pa.int64()), pa.array(texts)], ["_h", "k0"])


@settings(deadline=None)
@given(
    st.lists(st.lists(HASHES, max_size=20), max_size=8),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from((None, 0, 200)),
)
def test_rows_come_out_in_order_whatever_the_runs(
    given_hashes: list[list[int]], run_rows: int, piece_rows: int, memory: int | None
) -> None:
    with (
        TemporaryDirectory() as folder,
        mock.patch.object(sorting, "_RUN_ROWS", run_rows),
        mock.patch.object(sorting, "_PIECE_ROWS", piece_rows),
    ):
        room = None if memory is None else Room(Path(folder), memory)
        pieces = list(sorted_pieces(map(_batch, given_hashes), room))
        assert not list(Path(folder).iterdir())
    hashes = [piece.column(0).to_pylist() for piece in pieces]
    assert [*chain(*hashes)] == sorted(chain(*given_hashes))
    assert all(left[-1] < right[0] for left, right in pairwise(hashes))
    for piece in pieces:
        assert piece.column(1).to_pylist() == [str(h) for h in piece.column(0).to_pylist()]


def test_what_does_not_fit_is_in_files_and_comes_back_in_order(tmp_path: Path) -> None:
    held = Held(Room(tmp_path, 1_000))
    before = pa.total_allocated_bytes()
    for number in range(50):
        batch = _batch(np.full(100, number).tolist())
        held.add(batch, batch.nbytes)
    del batch
    assert held.size <= 1_000
    assert pa.total_allocated_bytes() - before < 10_000
    firsts = [batch.column(0)[0].as_py() for batch in held.batches()]
    assert firsts == list(range(50))
