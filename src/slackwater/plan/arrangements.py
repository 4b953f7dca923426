"""Names the relations that are kept between runs, and the key each is found by."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import Enum

from slackwater.types import DataType, StringType, is_floating
from slackwater.types.datatypes import (
    CALENDAR_INTERVAL,
    VARIANT,
    VOID,
    ArrayType,
    MapType,
    OpaqueType,
    StructType,
)


class Role(Enum):
    """What the rows of an arrangement are."""

    CONTENTS = "contents"
    """The rows of the relation itself."""
    ACCUMULATORS = "accumulators"
    """One row per group: its keys, running sums and number of rows."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A relation kept between runs, indexed by a hash of `key`.

    `owner` is the fingerprint of the relation; `key` holds SQL expressions over the stored
    columns k0, k1, ... Two views that need the same relation by the same key share it.
    """

    owner: str
    role: Role
    types: tuple[DataType, ...]
    key: tuple[str, ...]

    @property
    def id(self) -> str:
        """A short name that is the same whenever the same state is wanted."""
        return "a" + hashlib.sha256(self.definition.encode()).hexdigest()[:16]

    @property
    def definition(self) -> str:
        """What makes the arrangement this one, as text for the catalog."""
        return json.dumps(
            {
                "owner": self.owner,
                "role": self.role.value,
                "types": [dtype.sql() for dtype in self.types],
                "key": list(self.key),
            }
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the stored columns."""
        return tuple(f"k{position}" for position in range(len(self.types)))


def hash_sql(key: tuple[str, ...]) -> str:
    """The index hash of key expressions; without any, all rows hash alike."""
    return f"xxhash64({', '.join(key)})" if key else "CAST(0 AS BIGINT)"


def hashable(dtype: DataType, text: str) -> str | None:
    """An expression whose hash is equal for values Spark calls equal, or None if there is none.

    A key column that cannot be hashed is left out of the hash: rows are then told apart by
    the other columns, and always by the comparison that Spark makes afterwards.
    """
    if is_floating(dtype):
        return f"({text} + CAST(0 AS {dtype.sql()}))"
    return text if _hashes_as_it_compares(dtype) else None


def _hashes_as_it_compares(dtype: DataType) -> bool:
    match dtype:
        case StringType():
            return dtype == StringType()
        case ArrayType(element=element):
            return _hashes_as_it_compares(element)
        case StructType(fields=fields):
            return all(_hashes_as_it_compares(field.dtype) for field in fields)
        case MapType() | OpaqueType():
            return False
        case _:
            return dtype not in (CALENDAR_INTERVAL, VARIANT, VOID)
