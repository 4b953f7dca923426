"""Names the relations that are kept between runs, and the key each is found by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from slackwater.algebra.columns import Column
from slackwater.expr.build import number, replaced
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, ColumnId, ColumnRef, Expr, Literal
from slackwater.expr.sql import ExpressionPrinter
from slackwater.types import INTEGER, DataType, StringType, is_floating
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
    """The kinds of rows that an arrangement can hold."""

    CONTENTS = "contents"
    """The rows of the relation itself."""
    ACCUMULATORS = "accumulators"
    """One row per group: its keys, running sums and number of rows."""
    COUNTS = "counts"
    """The number of rows in each bucket of a group, as the weight of its keys and bucket."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A relation kept between runs, indexed by a hash of `key`.

    `owner` is the fingerprint of the relation; `key` holds expressions over the stored columns,
    the column at position n having the id n. Two views that need the same relation by the same
    key share it.
    """

    owner: str
    role: Role
    types: tuple[DataType, ...]
    key: tuple[Expr, ...]

    def __hash__(self) -> int:
        """From what tells most arrangements apart; keys and types are trees."""
        return hash((self.owner, self.role, len(self.types), len(self.key)))

    @property
    def id(self) -> str:
        """A short name that is the same whenever the same state is wanted."""
        return _id(self)

    @property
    def definition(self) -> str:
        """The parts that tell the arrangement from others, as text for the catalog."""
        return _definition(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the stored columns."""
        return tuple(f"k{position}" for position in range(len(self.types)))

    @property
    def key_texts(self) -> tuple[str, ...]:
        """The key as Spark SQL over the stored columns."""
        return tuple(map(_STORED.text, self.key))

    @property
    def hash_text(self) -> str:
        """The index hash as Spark SQL over the stored columns."""
        return _STORED.text(key_hash(self.key))

    def hash_of(self, columns: Sequence[Column]) -> Expr:
        """The index hash of rows whose columns, in the order of the stored ones, are these."""
        return hash_over(self.key, columns)


def hash_over(key: tuple[Expr, ...], columns: Sequence[Column]) -> Expr:
    """The hash of key expressions over stored columns, for rows with other columns."""
    values = {ColumnId(n): column.ref() for n, column in enumerate(columns)}
    return key_hash(tuple(replaced(each, values) for each in key))


def key_hash(key: tuple[Expr, ...]) -> Expr:
    """The index hash of key expressions; without any, all rows hash alike."""
    return call("xxhash64", *key) if key else number(0)


def stored_column(position: int, dtype: DataType, *, nullable: bool = True) -> ColumnRef:
    """A stored column as keys read it."""
    return ColumnRef(ColumnId(position), f"k{position}", dtype, nullable)


def _stored_name(column: ColumnRef) -> str:
    return f"k{column.id}"


_STORED = ExpressionPrinter(_stored_name)


@lru_cache(maxsize=4096)
def _definition(arrangement: Arrangement) -> str:
    return json.dumps(
        {
            "owner": arrangement.owner,
            "role": arrangement.role.value,
            "types": [dtype.sql() for dtype in arrangement.types],
            "key": list(arrangement.key_texts),
        }
    )


@lru_cache(maxsize=4096)
def _id(arrangement: Arrangement) -> str:
    return "a" + hashlib.sha256(_definition(arrangement).encode()).hexdigest()[:16]


def hashable(value: Expr) -> Expr | None:
    """An expression whose hash is equal for values Spark calls equal, or None if there is none.

    A key column that cannot be hashed is left out of the hash: rows are then told apart by
    the other columns, and always by the comparison that Spark makes afterwards.
    """
    dtype = value.dtype
    if is_floating(dtype):
        return call("+", value, Cast(Literal("0", INTEGER), dtype))
    return value if _hashes_as_it_compares(dtype) else None


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
