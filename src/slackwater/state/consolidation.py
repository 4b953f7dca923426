"""Consolidation: the sum of the weights of equal stored rows.

Rows are the same if no query can tell them apart: NULL equals NULL, NaN equals NaN, at any depth;
strings are compared by their bytes. -0.0 is not 0.0: Spark puts both in one group, but casts them
to different text. Maps whose entries have another order are different: Spark puts them in one
group, but lists their keys in that order. Everything here works on whole columns: a nested value
is replaced by a number that equal values, and only they, share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.state.disk_blocks import Hashes, Places
from slackwater.state.segments import first_of_each, hash_column
from slackwater.state.sorting import sort_by_hash

Codes = npt.NDArray[np.int64]
_FEW = 32
"""Rows that are compared one by one."""
_ROUNDS = 4
"""Up to so many different rows of one hash are told apart by comparing, not by counting values."""


def consolidate(
    batch: pa.RecordBatch, weights: Sequence[str], suspects: Hashes | None = None
) -> pa.RecordBatch:
    """One row for each distinct row, in order of hash, with its weights added up.

    `weights` names the weight columns, the batch's last ones. A row whose weights are all zero
    is left out. `suspects`, if given, are the only hashes, ascending, under which equal rows
    can be.

    >>> rows = {"_h": [2, 1, 1, 1], "k0": ["b", "a", "a", "c"], "_w": [1, 1, -1, 2]}
    >>> consolidate(pa.record_batch(rows), ["_w"]).to_pylist()
    [{'_h': 1, 'k0': 'c', '_w': 2}, {'_h': 2, 'k0': 'b', '_w': 1}]
    """
    ordered = sort_by_hash(batch)
    twins = _twins(hash_column(ordered), suspects)
    if len(twins):
        ordered = _add_equal_rows(ordered, weights, twins)
    kept = None
    for name in weights:
        counts = pc.not_equal(ordered.column(name), 0)
        kept = counts if kept is None else pc.or_(kept, counts)
    if kept is None or pc.all(kept).as_py():
        return ordered
    return ordered.filter(kept)


def one_key_a_hash(batch: pa.RecordBatch, places: Sequence[int]) -> bool:
    """Tell if the rows of each hash have the same values in the numbered columns.

    Rows are in order of hash; the columns are counted from 0 after it.
    """
    hashes = hash_column(batch)
    twins = np.flatnonzero(hashes[1:] == hashes[:-1])
    values = [_comparable(batch.column(place + 1)) for place in places]
    return bool(_all_equal(values, twins, twins + 1).all())


def _add_equal_rows(batch: pa.RecordBatch, weights: Sequence[str], twins: Places) -> pa.RecordBatch:
    """Sum rows that are equal, which only the rows numbered in `twins` can be."""
    subset = batch.select(range(batch.num_columns - len(weights)))
    if len(twins) < batch.num_rows:
        subset = subset.take(pa.array(twins))
    groups = _equal_rows(hash_column(subset), subset.columns[1:])
    heads = _first_places(groups)
    if len(heads) == len(twins):
        return batch
    firsts = twins[heads]
    arrays = batch.columns[: -len(weights)]
    for name in weights:
        given = batch.column(name).to_numpy(zero_copy_only=True)
        arrays.append(pa.array(_total(given, twins, groups, firsts)))
    kept = np.ones(batch.num_rows, dtype=bool)
    kept[twins] = False
    kept[firsts] = True
    summed = pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
    return summed.take(pa.array(np.flatnonzero(kept)))


def _twins(hashes: Hashes, suspects: Hashes | None) -> Places:
    """The rows whose hash is also the one before or after, in sorted hashes."""
    if not len(hashes) or (suspects is not None and not len(suspects)):
        return np.zeros(0, dtype=np.intp)
    equal = hashes[1:] == hashes[:-1]
    twin = np.zeros(len(hashes), dtype=bool)
    twin[1:] |= equal
    twin[:-1] |= equal
    if suspects is not None:
        places = np.minimum(np.searchsorted(suspects, hashes), len(suspects) - 1)
        twin &= suspects[places] == hashes
    return np.flatnonzero(twin)


def _first_places(groups: Codes) -> Places:
    """The first place of each group number; numbers are given in order of appearance."""
    seen = np.maximum.accumulate(groups)
    return np.flatnonzero(np.concatenate(([True], seen[1:] > seen[:-1])))


def _total(weights: Hashes, twins: Places, groups: Codes, firsts: Places) -> Hashes:
    """The weights, with the sum of each group of twins in the place of its first row."""
    sums = np.zeros(len(firsts), dtype=np.int64)
    np.add.at(sums, groups, weights[twins])
    total = weights.copy()
    total[firsts] = sums
    return total


def _equal_rows(hashes: Hashes, columns: Sequence[pa.Array]) -> Codes:
    """A number for each row that equal rows share, counted from 0 in order of appearance.

    Equal rows have equal hashes, which are in order. Few different rows have: it is quickest to
    compare each with the first of its hash, then what is left with the first of that, and so on.
    """
    values = [_comparable(column) for column in columns]
    if len(hashes) <= _FEW:
        return _equal_among_few(hashes, values)
    same = np.arange(len(hashes))
    waiting = same.copy()
    for _ in range(_ROUNDS):
        firsts = waiting[_run_starts(hashes[waiting])]
        equal = _all_equal(values, waiting, firsts)
        same[waiting[equal]] = firsts[equal]
        waiting = waiting[~equal]
        if not len(waiting):
            break
    else:
        codes = group_codes([column.take(pa.array(waiting)) for column in values])
        same[waiting] = waiting[_first_places(codes)][codes]
    numbers = np.cumsum(same == np.arange(len(same))) - 1
    found: Codes = numbers[same]
    return found


def _equal_among_few(hashes: Hashes, values: Sequence[pa.Array]) -> Codes:
    """The same by Python's comparison, which has no fixed price for each column."""
    rows = zip(hashes.tolist(), *map(_plain_values, values), strict=True)
    numbers: dict[tuple[object, ...], int] = {}
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)


def _plain_values(column: pa.Array) -> list[object]:
    """The values of a comparable column. Python has not all dates, nor texts that are invalid."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.view(pa.int64())
    elif pa.types.is_date32(kind):
        column = column.view(pa.int32())
    elif pa.types.is_string(kind):
        column = column.view(pa.binary())
    return list(column.to_pylist())


def _run_starts(hashes: Hashes) -> Places:
    """For each row the place of the first that has its hash."""
    return np.maximum.accumulate(np.where(first_of_each(hashes), np.arange(len(hashes)), 0))


def _comparable(column: pa.Array) -> pa.Array:
    """A column whose values Arrow calls equal if and only if they are the same."""
    if pa.types.is_floating(column.type):
        return _normalize(column)
    if pa.types.is_decimal64(column.type):
        return column.view(pa.int64())
    if pa.types.is_nested(column.type) or not _compares(column.type):
        return pa.array(_codes(column))
    return column


def _compares(kind: pa.DataType) -> bool:
    return any(
        check(kind)
        for check in (
            pa.types.is_integer,
            pa.types.is_boolean,
            pa.types.is_decimal,
            pa.types.is_string,
            pa.types.is_binary,
            pa.types.is_date,
            pa.types.is_timestamp,
        )
    )


def _all_equal(columns: Sequence[pa.Array], left: Places, right: Places) -> npt.NDArray[np.bool_]:
    """Tell if rows have the values of others, in all columns; NULL is equal to NULL."""
    equal = np.ones(len(left), dtype=bool)
    here, there = pa.array(left), pa.array(right)
    for column in columns:
        one, other = column.take(here), column.take(there)
        same = pc.equal(one, other)
        if column.null_count:
            same = pc.coalesce(same, pc.and_(one.is_null(), other.is_null()))
        equal &= same.to_numpy(zero_copy_only=False)
    return equal


# From values to numbers ---------------------------------------------------------------------


def group_codes(columns: Sequence[pa.Array]) -> Codes:
    """A number for each row that equal rows share, counted from 0 in order of appearance."""
    codes: Codes | None = None
    for column in columns:
        codes = _codes(column) if codes is None else _pair(codes, _codes(column))
        if len(codes) and int(codes[-1]) == len(codes) - 1:
            break  # Every row has its own number already.
    return np.zeros(0, dtype=np.int64) if codes is None else codes


def _codes(array: pa.Array) -> Codes:
    """A number for each value, counted from 0 in order of appearance."""
    kind = array.type
    if pa.types.is_struct(kind):
        return _struct_codes(array)
    if pa.types.is_map(kind):
        return _list_codes(_map_as_list(array))
    if pa.types.is_list(kind):
        return _list_codes(array)
    if pa.types.is_null(kind):
        return np.zeros(len(array), dtype=np.int64)
    if pa.types.is_floating(kind):
        array = _normalize(array)
    elif pa.types.is_decimal64(kind):
        array = array.view(pa.int64())
    return _encode(array)


def _encode(array: pa.Array) -> Codes:
    encoded = array.dictionary_encode(null_encoding="encode")
    codes: Codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _normalize(array: pa.Array) -> pa.Array:
    """Floats as their bits, with one pattern for NaN; the sign of a zero tells two rows apart."""
    nan = pa.scalar(float("nan"), array.type)
    one_nan = pc.if_else(pc.is_nan(array), nan, array)
    return one_nan.view(pa.int64() if pa.types.is_float64(array.type) else pa.int32())


def _pair(left: Codes, right: Codes) -> Codes:
    """Numbers for pairs of numbers; both are below the row count, so a pair fits 64 bits."""
    width = int(right.max(initial=0)) + 1
    return _encode(pa.array(left * width + right))


def _struct_codes(array: pa.Array) -> Codes:
    """A struct is NULL, or equal member by member."""
    codes = array.is_null().to_numpy(zero_copy_only=False).astype(np.int64)
    codes = _encode(pa.array(codes))
    for member in array.flatten():
        codes = _pair(codes, _codes(member))
    return codes


def _list_codes(array: pa.Array) -> Codes:
    lengths = _lengths(array)
    return _sequence_codes(array, lengths, _codes(array.flatten()))


def _map_as_list(array: pa.Array) -> pa.Array:
    """The same buffers as a list of structs of two members."""
    fields = [array.type.key_field, array.type.item_field]
    pairs = pa.StructArray.from_arrays([array.keys, array.items], fields=fields)
    return pa.Array.from_buffers(
        pa.list_(pairs.type),
        len(array),
        array.buffers()[:2],
        array.null_count,
        array.offset,
        [pairs],
    )


def _lengths(array: pa.Array) -> Codes:
    counted = pc.fill_null(pc.list_value_length(array), 0)
    lengths: Codes = counted.to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths


def _sequence_codes(array: pa.Array, lengths: Codes, elements: Codes) -> Codes:
    """Numbers for sequences: the numbers of their elements read as a string of bytes."""
    ends = np.cumsum(lengths)
    offsets = np.concatenate(([0], ends)).astype(np.int64) * 8
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(elements))]
    text = pa.Array.from_buffers(pa.large_binary(), len(array), buffers)
    nulls = array.is_null().to_numpy(zero_copy_only=False).astype(np.int64)
    return _pair(_encode(pa.array(nulls)), _encode(text))
