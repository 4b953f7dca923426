"""Spark's xxhash64 over Arrow columns, bit for bit: it decides where rows are found in state.

The hash of several columns goes on from column to column; a NULL leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

Words = npt.NDArray[np.uint64]
Hash = Callable[[pa.Array, pa.Array], pa.Array]

_ONE, _TWO, _THREE, _FOUR, _FIVE = (
    np.uint64(number)
    for number in (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)


def hash_ints(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of numbers of up to 32 bits, going on from the hashes of earlier columns."""
    return _hashed(_hash_int, seeds, values)


def hash_longs(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of numbers of 64 bits."""
    return _hashed(_hash_long, seeds, values)


def hash_moments(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of timestamps without a time zone: of the 64 bits that both engines count in.

    DuckDB itself takes the first and the last of them for infinities, which have no number.
    """
    return hash_longs(seeds, _array(values).view(pa.int64()))


def hash_instants(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of timestamps with a time zone."""
    return hash_moments(seeds, values)


def hash_doubles(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of doubles: of their bits, where all NaN are one and minus zero is zero."""
    return hash_longs(seeds, _bits(values, pa.int64()))


def hash_floats(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of single floats."""
    return hash_ints(seeds, _bits(values, pa.int32()))


def _bits(values: pa.Array, kind: pa.DataType) -> pa.Array:
    given = _array(values)
    one_nan = pc.if_else(pc.is_nan(given), pa.scalar(float("nan"), given.type), given)
    return _array(pc.add(one_nan, pa.scalar(0.0, given.type))).view(kind)


def hash_texts(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of texts, whose bytes need not be valid UTF-8."""
    return _hash_each(seeds, values, bytes)


def hash_wide_decimals(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of decimals with more than 18 digits, which come as texts."""
    return _hash_each(seeds, values, _digits)


def hash_nested(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of values of any type: of structs field by field, of arrays by their elements."""
    given, kind = _array(values), values.type
    if pa.types.is_struct(kind):
        for field in given.flatten():
            seeds = hash_nested(seeds, field)
        return _array(seeds)
    if pa.types.is_list(kind):
        return _hash_elements(_array(seeds), given)
    if pa.types.is_decimal(kind):
        return _hash_decimals(seeds, given)
    for test, function in _BY_KIND:
        if test(kind):
            return function(seeds, given)
    raise ValueError(f"no hash of {kind}")


def _hash_elements(seeds: pa.Array, lists: pa.Array) -> pa.Array:
    """The hash of arrays: of all their first elements, then of all second ones."""
    hashes = np.array(seeds.to_numpy(zero_copy_only=False))
    starts = lists.offsets.to_numpy(zero_copy_only=False)[:-1]
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    for place in range(lengths.max(initial=0)):
        rows = np.flatnonzero(lengths > place)
        elements = lists.values.take(pa.array(starts[rows] + place))
        hashes[rows] = hash_nested(pa.array(hashes[rows]), elements).to_numpy(zero_copy_only=False)
    return pa.array(hashes)


def _hash_decimals(seeds: pa.Array, values: pa.Array) -> pa.Array:
    """The hash of decimals: of their digits as a number of 64 bits, or of its bytes."""
    known = pc.is_valid(values).to_numpy(zero_copy_only=False)
    raw = values.buffers()[1].to_pybytes()[16 * values.offset :][: 16 * len(values)]
    if values.type.precision <= _LONG_DIGITS:
        return hash_longs(seeds, pa.array(np.frombuffer(raw, dtype=np.int64)[::2], mask=~known))
    numbers = (
        int.from_bytes(raw[at : at + 16], "little", signed=True) for at in range(0, len(raw), 16)
    )
    given = [_shortest(each) if some else None for each, some in zip(numbers, known, strict=True)]
    return _hash_each(seeds, pa.array(given, pa.binary()), bytes)


def _hash_as_ints(seeds: pa.Array, values: pa.Array) -> pa.Array:
    return hash_ints(seeds, _array(pc.cast(values, pa.int32())))


_LONG_DIGITS = 18
_BY_KIND: tuple[tuple[Callable[[pa.DataType], bool], Hash], ...] = (
    (pa.types.is_int64, hash_longs),
    (pa.types.is_integer, _hash_as_ints),
    (pa.types.is_boolean, _hash_as_ints),
    (pa.types.is_date32, _hash_as_ints),
    (pa.types.is_timestamp, hash_moments),
    (pa.types.is_string, hash_texts),
    (pa.types.is_large_string, hash_texts),
    (pa.types.is_float64, hash_doubles),
    (pa.types.is_float32, hash_floats),
)


def _hashed(
    function: Callable[[Words, Words], Words], seeds: pa.Array, values: pa.Array
) -> pa.Array:
    before = _longs(seeds)
    with np.errstate(over="ignore"):
        after = function(before, _longs(values))
    if values.null_count:
        given = _array(pc.is_valid(values)).to_numpy(zero_copy_only=False)
        after = np.where(given, after, before)
    return pa.array(after.view(np.int64))


def _hash_each(seeds: pa.Array, values: pa.Array, to_bytes: Callable[[bytes], bytes]) -> pa.Array:
    wide = pa.types.is_large_string(values.type)
    raw = _array(values).view(pa.large_binary() if wide else pa.binary())
    pairs = zip(raw.to_pylist(), _longs(seeds).tolist(), strict=True)
    hashes = [
        seed if value is None else xxhash.xxh64_intdigest(to_bytes(value), seed)
        for value, seed in pairs
    ]
    return pa.array(np.array(hashes, dtype=np.uint64).view(np.int64))


def _longs(values: pa.Array) -> Words:
    """Numbers, sign-extended to 64 bits; 0 for NULL, which leaves what came before it."""
    filled = _array(pc.fill_null(values, 0).cast(pa.int64()))
    return np.asarray(filled.to_numpy(zero_copy_only=False), dtype=np.int64).view(np.uint64)


def _array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _digits(text: bytes) -> bytes:
    """The digits as a number in the shortest big-endian form, as Java writes large numbers."""
    return _shortest(int(text.replace(b".", b"")))


def _shortest(number: int) -> bytes:
    bits = (number if number >= 0 else ~number).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)


def _rotated(words: Words, bits: int) -> Words:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def _hash_int(seeds: Words, values: Words) -> Words:
    words = seeds + _FIVE + np.uint64(4)
    words = words ^ ((values & np.uint64(0xFFFFFFFF)) * _ONE)
    return _mixed(_rotated(words, 23) * _TWO + _THREE)


def _hash_long(seeds: Words, values: Words) -> Words:
    words = seeds + _FIVE + np.uint64(8)
    words = words ^ (_rotated(values * _TWO, 31) * _ONE)
    return _mixed(_rotated(words, 27) * _ONE + _FOUR)


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(33))) * _TWO
    words = (words ^ (words >> np.uint64(29))) * _THREE
    return words ^ (words >> np.uint64(32))
