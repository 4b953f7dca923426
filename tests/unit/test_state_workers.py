"""The workers against a plain model: what they find is what a dictionary of rows holds."""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.state import columns as limits
from slackwater.state.counters import ReadCounters
from slackwater.state.gather import Gather
from slackwater.state.look_up import LookUp, LookUpNested
from slackwater.state.matching import Arrangement
from slackwater.state.merge import merge_segments
from slackwater.state.segments import open_segment
from slackwater.state.snapshot import ReadSegments, even_ranges
from slackwater.state.writer import WriteSegment

from .state_rows import (
    Row,
    Sample,
    batch_of,
    canonical,
    files_of,
    hash_of,
    marker,
    net,
    rows_of,
    samples,
    write,
)

_ROWS_IN_A_BATCH = st.sampled_from([1, 2, 5, 1000])


@contextmanager
def _home(rows_in_a_batch: int) -> Iterator[Path]:
    """An empty home, and batches small enough that few rows fill several, of files too."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(limits, "MAX_BATCH_ROWS", rows_in_a_batch),
        mock.patch.object(limits, "FILE_BATCH_ROWS", 2 * rows_in_a_batch),
    ):
        yield Path(folder)


def _flat(sample: Sample) -> list[Row]:
    return [row for change in sample.changes for row in change]


def _read(arrangement: Arrangement, ranges: int, *, net_weights: bool) -> list[Row]:
    worker = ReadSegments(arrangement, even_ranges(ranges), net_weights)
    numbers = pa.RecordBatch.from_arrays([pa.array(range(ranges))], names=["id"])
    return rows_of(worker(iter([numbers])), len(arrangement.columns))


def _probe(hashes: list[int]) -> pa.RecordBatch:
    """Input rows numbered in `n`; the hash stands in the middle, as it may."""
    numbers = pa.array(range(len(hashes)), pa.int32())
    return pa.RecordBatch.from_arrays(
        [numbers, pa.array(hashes, pa.int64()), pa.array([str(h) for h in hashes], pa.string())],
        names=["n", "_h", "text"],
    )


_HASHES = st.lists(st.sampled_from([-(2**63), -7, 0, 1, 12, 2**63 - 1]), max_size=6)


@settings(deadline=None)
@given(samples(), _ROWS_IN_A_BATCH, st.booleans(), st.integers(1, 4))
def test_a_snapshot_is_the_sum_of_all_segments(
    sample: Sample, size: int, consolidated: bool, ranges: int
) -> None:
    with _home(size) as home:
        arrangement = write(home, sample.changes, sample.columns, consolidate=consolidated)
        found = _read(arrangement, ranges, net_weights=True)
        assert net(found) == net(_flat(sample))
        assert len(found) == len(net(found))


@settings(deadline=None)
@given(samples(), _ROWS_IN_A_BATCH, st.integers(1, 3))
def test_changes_are_read_as_they_were_written(sample: Sample, size: int, ranges: int) -> None:
    with _home(size) as home:
        arrangement = write(home, sample.changes, sample.columns)
        found = _read(arrangement, ranges, net_weights=False)
        assert Counter(_keyed(found)) == Counter(_keyed(_flat(sample)))


@settings(deadline=None)
@given(samples(), _ROWS_IN_A_BATCH, st.booleans(), st.data())
def test_a_snapshot_of_some_columns_is_the_same_rows(
    sample: Sample, size: int, consolidated: bool, data: st.DataObject
) -> None:
    width = len(sample.columns)
    some = st.lists(st.integers(0, width - 1), unique=True) if width else st.just([])
    wanted = tuple(sorted(data.draw(some)))
    with _home(size) as home:
        arrangement = write(home, sample.changes, sample.columns, consolidate=consolidated)
        worker = ReadSegments(arrangement, even_ranges(1), net=True, columns=wanted)
        task = pa.RecordBatch.from_arrays([pa.array([0])], names=["id"])
        found = rows_of(worker(iter([task])), len(wanted))
        whole = _read(arrangement, 1, net_weights=True)
        cut = [Row(tuple(row.values[n] for n in wanted), row.weight) for row in whole]
        assert Counter(_keyed(found)) == Counter(_keyed(cut))


def _keyed(rows: list[Row]) -> list[Hashable]:
    return [(canonical(row.values), row.weight) for row in rows]


@settings(deadline=None)
@given(samples(), _ROWS_IN_A_BATCH, st.booleans(), _HASHES, st.booleans())
def test_a_look_up_is_a_join_by_hash(
    sample: Sample, size: int, consolidated: bool, hashes: list[int], net_weights: bool
) -> None:
    with _home(size) as home:
        arrangement = write(home, sample.changes, sample.columns, consolidate=consolidated)
        worker = LookUp(arrangement, net_weights)
        batches = list(worker(iter([_probe(hashes), _probe([]), _probe(hashes[:1])])))
        probes = [*enumerate(hashes), *enumerate(hashes[:1])]
        assert _pairs(batches, len(sample.columns)) == _expected_pairs(probes, sample)
        assert all(batch.num_rows <= max(size, 1) for batch in batches)
        if net_weights:
            found = [(row[0], key) for batch in batches for row, key in _rows(batch, sample)]
            assert len(found) == sum(
                hash_of_key == value for _, value in probes for hash_of_key in _net_hashes(sample)
            )


def _rows(batch: pa.RecordBatch, sample: Sample) -> Iterator[tuple[tuple[int, str], Hashable]]:
    width = len(sample.columns)
    probes = zip(*(batch.column(index).to_pylist() for index in (0, 1)), strict=True)
    stored = rows_of([batch], width, first=2)
    yield from zip(probes, (canonical(row.values) for row in stored), strict=True)


def _net_hashes(sample: Sample) -> list[int]:
    hashes = {canonical(row.values): hash_of(row.values) for row in _flat(sample)}
    return [hashes[key] for key in net(_flat(sample))]


def _pairs(batches: list[pa.RecordBatch], width: int) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for batch in batches:
        names = [*(f"s{index}" for index in range(width)), "_sw"]
        assert batch.schema.names == ["n", "text", *names]
        numbers, texts = (batch.column(index).to_pylist() for index in (0, 1))
        for number, text, row in zip(numbers, texts, rows_of([batch], width, first=2), strict=True):
            total[number, text, canonical(row.values)] += row.weight
    return Counter({key: weight for key, weight in total.items() if weight})


def _expected_pairs(probes: list[tuple[int, int]], sample: Sample) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for number, value in probes:
        for row in _flat(sample):
            if hash_of(row.values) == value:
                total[number, str(value), canonical(row.values)] += row.weight
    return Counter({key: weight for key, weight in total.items() if weight})


@settings(deadline=None)
@given(samples(), _ROWS_IN_A_BATCH, st.booleans(), _HASHES)
def test_a_nested_look_up_keeps_every_input_row(
    sample: Sample, size: int, consolidated: bool, hashes: list[int]
) -> None:
    with _home(size) as home:
        arrangement = write(home, sample.changes, sample.columns, consolidate=consolidated)
        batches = list(LookUpNested(arrangement)(iter([_probe(hashes)])))
        rows = [row for batch in batches for row in batch.to_pylist()]
        assert sorted(row["n"] for row in rows) == list(range(len(hashes)))
        for row in rows:
            stored = [r for r in _flat(sample) if hash_of(r.values) == hashes[row["n"]]]
            matches = [Row(tuple(match.values())[:-1], match["_sw"]) for match in row["_matches"]]
            assert net(matches) == net(stored)
            assert len(matches) == len(net(matches))


@settings(deadline=None)
@given(samples(changes=4), _ROWS_IN_A_BATCH, st.booleans(), _HASHES)
def test_gathered_rows_have_the_weights_before_and_after(
    sample: Sample, size: int, consolidated: bool, markers: list[int]
) -> None:
    arriving = sample.changes[-1] if sample.changes else []
    stored = [row for change in sample.changes[:-1] for row in change]
    with _home(size) as home:
        arrangement = write(home, sample.changes[:-1], sample.columns, consolidate=consolidated)
        batches = [batch_of([row], sample.columns) for row in arriving]
        batches += [marker(value, sample.columns) for value in markers]
        batches.sort(key=lambda batch: batch.column(0)[0].as_py())
        gathered = list(Gather(arrangement)(iter(batches)))
    affected = {hash_of(row.values) for row in arriving} | set(markers)
    before = [row for row in stored if hash_of(row.values) in affected]
    _check_gathered(gathered, net(before), net([*before, *arriving]), len(sample.columns))


def _check_gathered(
    gathered: list[pa.RecordBatch],
    before: dict[Hashable, int],
    after: dict[Hashable, int],
    width: int,
) -> None:
    old, new = {}, {}
    for batch in gathered:
        rows = rows_of([batch], width, first=1)
        news = batch.column("_new").to_pylist()
        for row, now, value in zip(rows, news, batch.column("_h").to_pylist(), strict=True):
            assert value == hash_of(row.values)
            assert canonical(row.values) not in old
            old[canonical(row.values)], new[canonical(row.values)] = row.weight, now
    assert {key: weight for key, weight in old.items() if weight} == before
    assert {key: weight for key, weight in new.items() if weight} == after
    assert all(old[key] or new[key] for key in old)


@settings(deadline=None)
@given(samples(), _ROWS_IN_A_BATCH, st.integers(0, 3))
def test_merging_changes_nothing_but_the_files(sample: Sample, size: int, bits: int) -> None:
    with _home(size) as home:
        arrangement = write(home, sample.changes, sample.columns)
        merged = list(merge_segments(home, arrangement.files, "state", "merged", bits))
        found = _read(Arrangement(str(home), tuple(merged), sample.columns), 2, net_weights=False)
        assert net(found) == net(_flat(sample))
        assert len(found) == len(net(found))
        assert sum(file.rows for file in merged) == len(found)
        assert len(merged) <= 1 << bits
        ends = [(file.first_hash, file.last_hash) for file in merged]
        assert sorted(ends) == ends
        assert all(low[1] < high[0] for low, high in pairwise(ends))


@settings(deadline=None)
@given(samples(changes=1, rows=12), _ROWS_IN_A_BATCH, st.booleans())
def test_a_sorted_stream_is_written_as_it_comes(
    sample: Sample, size: int, consolidated: bool
) -> None:
    rows = sorted(_flat(sample), key=lambda row: hash_of(row.values))
    with _home(size) as home:
        worker = WriteSegment(str(home), "state", "s", sample.columns, True, consolidated)
        files = files_of(worker(batch_of([row], sample.columns) for row in rows))
        arrangement = Arrangement(str(home), tuple(files), sample.columns)
        found = _read(arrangement, 1, net_weights=False)
        assert net(found) == net(rows)
        assert len(found) == (len(net(rows)) if consolidated else len(rows))
        for file in files:
            assert file.rows == len(found)
            assert file.negative == any(row.weight < 0 for row in found)
            assert file.heavy == any(row.weight > 1 for row in found)
            assert file.bytes == (home / file.path).stat().st_size


@settings(deadline=None)
@given(samples(changes=1, rows=40), _ROWS_IN_A_BATCH, st.booleans())
def test_rows_in_any_order_are_written_in_the_order_of_hashes(
    sample: Sample, size: int, consolidated: bool
) -> None:
    rows = _flat(sample)
    with _home(size) as home:
        worker = WriteSegment(str(home), "state", "s", sample.columns, False, consolidated)
        files = files_of(worker(batch_of([row], sample.columns) for row in rows))
        arrangement = Arrangement(str(home), tuple(files), sample.columns)
        found = _read(arrangement, 1, net_weights=False)
        assert net(found) == net(rows)
        assert len(found) == (len(net(rows)) if consolidated else len(rows))
        hashes = [hash_of(row.values) for row in found]
        assert hashes == sorted(hashes)


def test_a_hot_key_comes_in_bounded_batches(tmp_path: Path) -> None:
    columns = pa.schema([("k0", pa.int64())])
    count = 300_000
    batch = pa.RecordBatch.from_arrays(
        [pa.array([7] * count), pa.array(range(count)), pa.array([1] * count)],
        names=["_h", "k0", "_w"],
    )
    files = files_of(WriteSegment(str(tmp_path), "s", "a", columns, True, True)(iter([batch])))
    arrangement = Arrangement(str(tmp_path), tuple(files), columns)
    for net_weights in (False, True):
        found = list(LookUp(arrangement, net_weights)(iter([_probe([7, 7, 3])])))
        assert sum(each.num_rows for each in found) == 2 * count
        assert max(each.num_rows for each in found) <= limits.MAX_BATCH_ROWS


def test_rows_without_columns_are_counted(tmp_path: Path) -> None:
    columns = pa.schema([])
    batch = pa.RecordBatch.from_arrays([pa.array([42, 42]), pa.array([1, 2])], names=["_h", "_w"])
    files = files_of(WriteSegment(str(tmp_path), "s", "a", columns, False, True)(iter([batch])))
    arrangement = Arrangement(str(tmp_path), tuple(files), columns)
    assert _read(arrangement, 1, net_weights=True) == [Row((), 3)]
    keys = pa.RecordBatch.from_arrays([pa.array([42, 1])], names=["_h"])
    assert [b.to_pylist() for b in LookUp(arrangement, True)(iter([keys]))] == [[{"_sw": 3}]]
    nested = [row for b in LookUpNested(arrangement)(iter([keys])) for row in b.to_pylist()]
    assert sorted(len(row["_matches"]) for row in nested) == [0, 1]


def test_an_arrangement_without_files_has_no_matches(tmp_path: Path) -> None:
    empty = Arrangement(str(tmp_path), (), pa.schema([("k0", pa.string())]))
    assert not list(LookUp(empty, True)(iter([_probe([1])])))
    (batch,) = LookUpNested(empty)(iter([_probe([1])]))
    assert batch.to_pylist() == [{"n": 0, "text": "1", "_matches": []}]
    assert batch.schema.field("_matches").type.value_type == pa.struct(
        [("s0", pa.string()), ("_sw", pa.int64())]
    )
    assert _read(empty, 1, net_weights=True) == []


def test_workers_say_how_long_they_worked(tmp_path: Path) -> None:
    spent = ReadCounters()
    empty = Arrangement(str(tmp_path), (), pa.schema([("k0", pa.string())]))
    list(LookUpNested(empty, spent)(iter([_probe([1])])))
    assert spent.cpu > 0


@pytest.mark.parametrize("kind", [LookUp, LookUpNested, Gather])
def test_workers_travel_small(kind: type, tmp_path: Path) -> None:
    """They are sent with every task: the whole of state must not be."""
    columns = pa.schema([("k0", pa.string())])
    arrangement = write(tmp_path, [[Row(("a",), 1)]], columns)
    worker = kind(arrangement, False) if kind is LookUp else kind(arrangement)
    assert pickle.loads(pickle.dumps(worker)) == worker
    assert len(pickle.dumps(worker)) < 2000


def test_files_are_compact_and_what_is_read_is_as_spark_knows_it(tmp_path: Path) -> None:
    columns = pa.schema([("k0", pa.decimal128(18, 4)), ("k1", pa.decimal128(19, 4))])
    price = Decimal("1.5")
    arrangement = write(tmp_path, [[Row((price, price), 1)]], columns)
    (file,) = arrangement.files
    held = open_segment(str(tmp_path), file).batches[0].schema.types[1:3]
    assert held == [pa.decimal64(18, 4), pa.decimal128(19, 4)]
    task = pa.RecordBatch.from_arrays([pa.array([0])], names=["id"])
    for compact in (False, True):
        worker = ReadSegments(arrangement, even_ranges(1), net=True, compact=compact)
        (batch,) = worker(iter([task]))
        assert batch.schema.types[:2] == (held if compact else columns.types)
        assert rows_of([batch], 2) == [Row((Decimal("1.5000"), Decimal("1.5000")), 1)]
