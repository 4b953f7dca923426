"""Buckets of numbers: a coarse image of a double that keeps the order, for counts by bucket.

Ten square roots bring the size of a number close to its logarithm, so that a bucket is about as
wide as 1/256 of the numbers in it, whatever their size. Roots, products and cutting off what is
behind the point are rounded alike by every engine, and none of them changes an order, which
cannot be said of logarithms.

    0 is in bucket 0, 100 in 263325, 101 in 263328, -100 in -263325, NaN in the last.

Functions use the texts they are given several times: give column references.
"""

from __future__ import annotations

ROOTS = 10
SCALE = 2.0**18
LARGEST = 1.7976931348623157e308
"""The largest finite number."""
INFINITE = 2**19
"""The bucket of infinity, above those of finite numbers."""
NAN = 2**20
"""The bucket of NaN."""


def bucket_text(text: str, *, double: str, truncated: str) -> str:
    """The bucket of a double in a dialect that writes constants and cuts off digits like this."""
    root = f"abs({text})"
    for _ in range(ROOTS):
        root = f"sqrt({root})"
    size = f"CAST({truncated.format(f'({root} * {double.format(SCALE)})')} AS BIGINT)"
    constant = "CAST({} AS BIGINT)"
    return (
        f"(CASE WHEN isnan({text}) THEN {constant.format(NAN)} "
        f"WHEN {text} > {double.format(LARGEST)} THEN {constant.format(INFINITE)} "
        f"WHEN {text} < {double.format(-LARGEST)} THEN {constant.format(-INFINITE)} "
        f"WHEN {text} < {double.format(0.0)} THEN -{size} ELSE {size} END)"
    )


def spark_bucket(text: str) -> str:
    """The same in Spark SQL, whose casts cut off digits."""
    return bucket_text(text, double="{!r}D", truncated="{}")
