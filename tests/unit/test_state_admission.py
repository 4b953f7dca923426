"""What a source admits, against a plain model: a dictionary of rows by key."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.state.admission import Admission, Arrival, DoubtfulRowsError, came_and_went
from slackwater.state.columns import conform_batch, regroup
from slackwater.state.matching import Arrangement
from slackwater.state.segments import SegmentFile
from slackwater.state.spill import Room
from slackwater.state.writer import SegmentTarget, SegmentWriter

Key = int
Value = Decimal | None
Rows = Counter[tuple[Key, Value]]
Change = tuple[Key, Value, int]

COLUMNS = pa.schema([("k0", pa.int64()), ("k1", pa.decimal128(12, 2))])
_ROW = st.tuples(
    st.integers(0, 7), st.sampled_from([None, Decimal("0.00"), Decimal("-1.50"), Decimal("9.99")])
)
_WEIGHTED = st.tuples(_ROW, st.sampled_from([1, 1, -1, 2])).map(lambda each: (*each[0], each[1]))


def batch_of(changes: Sequence[Change], collide: bool) -> pa.RecordBatch:
    """Rows on their way; with `collide` two keys have one hash."""
    keys, values, weights = zip(*changes, strict=True) if changes else ((), (), ())
    hashes = [key // 2 if collide else key for key in keys]
    return pa.record_batch(
        [
            pa.array(hashes, pa.int64()),
            pa.array(keys, pa.int64()),
            pa.array(values, pa.decimal128(12, 2)),
            pa.array(weights, pa.int64()),
        ],
        names=["_h", "k0", "k1", "_w"],
    )


class Source:
    """Files that admitted batches have left."""

    def __init__(self, home: Path, *, keyed: bool, ignores: bool, collide: bool):
        self._home, self._keyed, self._ignores = home, keyed, ignores
        self._collide = collide
        self._files: list[SegmentFile] = []

    def admit(self, changes: Sequence[Change], arrival: Arrival = Arrival.ADD) -> tuple[int, int]:
        """Take a batch in; how many rows came and went."""
        stored = Arrangement(str(self._home), tuple(self._files), COLUMNS, compact=True)
        admission = Admission(stored, (0,) if self._keyed else (), arrival, self._ignores)
        batch = conform_batch(batch_of(changes, self._collide), stored.schema)
        came = went = 0
        path = f"{len(self._files)}.arrow"
        with SegmentWriter(
            SegmentTarget(stored.root, path, stored.schema, consolidated=True)
        ) as writer:
            for rows in regroup(admission.changes([batch], Room(self._home, 1 << 20, cores=2))):
                came, went = (a + b for a, b in zip((came, went), came_and_went(rows), strict=True))
                writer.write(rows)
        if writer.result is not None:
            self._files.append(writer.result)
        return came, went

    def rows(self) -> Rows:
        """What all files add up to."""
        found: Rows = Counter()
        for file in self._files:
            for row in pa.ipc.open_file(str(self._home / file.path)).read_all().to_pylist():
                found[row["k0"], row["k1"]] += row["_w"]
        return Counter({row: weight for row, weight in found.items() if weight})


def applied(rows: Rows, changes: Sequence[Change], arrival: Arrival, ignores: bool) -> Rows | None:
    """What the rows become; None if the batch is at fault."""
    after = Counter(rows)
    for key, value, weight in changes:
        if arrival is not Arrival.ADD:
            gone = [row for row in after if row[0] == key and rows[row]]
            if arrival is Arrival.REMOVE and not gone and not ignores:
                return None
            for row in gone:
                after[row] -= rows[row]
        if arrival is not Arrival.REMOVE:
            after[key, value] += weight
    if min(after.values(), default=0) < 0:
        if not ignores:
            return None
        after = Counter({row: max(weight, 0) for row, weight in after.items()})
    return Counter({row: weight for row, weight in after.items() if weight})


def unique(rows: Rows) -> bool:
    """Whether every key has one row at most."""
    return max(Counter(key for key, _ in rows.elements()).values(), default=0) <= 1


@settings(deadline=None)
@given(st.lists(st.lists(_WEIGHTED, max_size=8), max_size=5), st.booleans(), st.booleans())
def test_weights_are_added_unless_rows_would_be_at_fault(
    batches: list[list[Change]], keyed: bool, ignores: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Source(Path(folder), keyed=keyed, ignores=ignores, collide=False)
        model: Rows = Counter()
        for batch in batches:
            after = applied(model, batch, Arrival.ADD, ignores)
            if after is None or (keyed and not unique(after)):
                with pytest.raises(DoubtfulRowsError):
                    source.admit(batch)
            else:
                came, went = source.admit(batch)
                assert came - went == after.total() - model.total()
                model = after
            assert source.rows() == model


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([Arrival.REPLACE, Arrival.REMOVE]),
            st.dictionaries(st.integers(0, 7), _ROW.map(lambda row: row[1]), max_size=6),
        ),
        max_size=5,
    ),
    st.booleans(),
    st.booleans(),
)
def test_rows_are_replaced_and_removed_by_key(
    batches: list[tuple[Arrival, dict[Key, Value]]], ignores: bool, collide: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Source(Path(folder), keyed=True, ignores=ignores, collide=collide)
        model: Rows = Counter()
        for arrival, given_rows in batches:
            removing = arrival is Arrival.REMOVE
            changes = [(key, None if removing else v, 1) for key, v in given_rows.items()]
            after = applied(model, changes, arrival, ignores)
            try:
                source.admit(changes, arrival)
            except DoubtfulRowsError:
                # Where keys share a hash, doubt is allowed; a wrong answer never is.
                assert collide or after is None
            else:
                assert after is not None
                model = after
            assert source.rows() == model


def test_a_refused_batch_leaves_no_file(tmp_path: Path) -> None:
    source = Source(tmp_path, keyed=True, ignores=False, collide=False)
    source.admit([(1, None, 1)])
    with pytest.raises(DoubtfulRowsError, match="two rows of one key"):
        source.admit([(1, Decimal("1.00"), 1)])
    with pytest.raises(DoubtfulRowsError, match="not there"):
        source.admit([(2, None, -1)])
    with pytest.raises(DoubtfulRowsError, match="keys that are not there"):
        source.admit([(2, None, 1)], Arrival.REMOVE)
    assert [file.name for file in tmp_path.iterdir()] == ["0.arrow"]
