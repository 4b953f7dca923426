"""Frozen data types; each prints as the DDL text that Spark reads back as the same type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

BINARY_COLLATION = "UTF8_BINARY"


@dataclass(frozen=True, slots=True)
class DataType:
    """Base of all data types."""

    def sql(self) -> str:
        """The type as Spark DDL text."""
        raise TypeError(f"{type(self).__name__} has no SQL text")

    def __str__(self) -> str:
        """The DDL text: what plans and messages show."""
        return self.sql()


@dataclass(frozen=True, slots=True)
class AtomicType(DataType):
    """A type that its name says in full, such as INT or DATE."""

    name: str

    def sql(self) -> str:
        """The name in capitals."""
        return self.name


@dataclass(frozen=True, slots=True)
class DecimalType(DataType):
    """Exact decimal of `precision` digits, `scale` of them after the point."""

    precision: int
    scale: int

    def __post_init__(self) -> None:
        """Refuse digits Spark cannot hold."""
        if not 0 < self.precision <= 38 or not 0 <= self.scale <= self.precision:
            raise ValueError(f"no such decimal: DECIMAL({self.precision},{self.scale})")

    def sql(self) -> str:
        """DECIMAL(p,s)."""
        return f"DECIMAL({self.precision},{self.scale})"


@dataclass(frozen=True, slots=True)
class StringType(DataType):
    """Text; the collation decides which strings are equal and how they sort."""

    collation: str = BINARY_COLLATION

    def sql(self) -> str:
        """STRING, with its collation if it is not the binary one."""
        if self.collation == BINARY_COLLATION:
            return "STRING"
        return f"STRING COLLATE {self.collation}"


@dataclass(frozen=True, slots=True)
class IntervalType(DataType):
    """An ANSI interval between two fields, such as DAY TO SECOND; also plain MONTH."""

    start: str
    end: str

    def sql(self) -> str:
        """INTERVAL with its one field or its range of fields."""
        if self.start == self.end:
            return f"INTERVAL {self.start}"
        return f"INTERVAL {self.start} TO {self.end}"

    @property
    def counts_months(self) -> bool:
        """Tell if this is a year-month interval, not a day-time one."""
        return self.start in ("YEAR", "MONTH")


@dataclass(frozen=True, slots=True)
class ArrayType(DataType):
    """A list of elements of one type."""

    element: DataType
    contains_null: bool = True

    def sql(self) -> str:
        """ARRAY<element>."""
        return f"ARRAY<{self.element.sql()}>"


@dataclass(frozen=True, slots=True)
class MapType(DataType):
    """Keys, never NULL, each with a value."""

    key: DataType
    value: DataType
    value_contains_null: bool = True

    def sql(self) -> str:
        """MAP<key, value>."""
        return f"MAP<{self.key.sql()}, {self.value.sql()}>"


@dataclass(frozen=True, slots=True)
class Field:
    """One named field of a struct."""

    name: str
    dtype: DataType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class StructType(DataType):
    """A row inside a value."""

    fields: tuple[Field, ...]

    def sql(self) -> str:
        """STRUCT<`name`: type, ...>; names are always quoted."""
        inner = ", ".join(
            f"`{field.name.replace('`', '``')}`: {field.dtype.sql()}" for field in self.fields
        )
        return f"STRUCT<{inner}>"


@dataclass(frozen=True, slots=True)
class OpaqueType(DataType):
    """A type we carry by name but give no meaning to, such as a user-defined type."""

    text: str

    def sql(self) -> str:
        """Spark's own text of the type."""
        return self.text


BOOLEAN = AtomicType("BOOLEAN")
TINYINT = AtomicType("TINYINT")
SMALLINT = AtomicType("SMALLINT")
INTEGER = AtomicType("INT")
BIGINT = AtomicType("BIGINT")
FLOAT = AtomicType("FLOAT")
DOUBLE = AtomicType("DOUBLE")
BINARY = AtomicType("BINARY")
DATE = AtomicType("DATE")
TIMESTAMP = AtomicType("TIMESTAMP")
TIMESTAMP_NTZ = AtomicType("TIMESTAMP_NTZ")
VOID = AtomicType("VOID")
CALENDAR_INTERVAL = AtomicType("INTERVAL")
VARIANT = AtomicType("VARIANT")
STRING = StringType()


def parts_of(dtype: DataType) -> Iterator[DataType]:
    """A type and all types inside it.

    >>> [part.sql() for part in parts_of(ArrayType(INTEGER))]
    ['ARRAY<INT>', 'INT']
    """
    yield dtype
    for inner in inner_types(dtype):
        yield from parts_of(inner)


def inner_types(dtype: DataType) -> tuple[DataType, ...]:
    """The types directly inside an array, map or struct.

    >>> [part.sql() for part in inner_types(MapType(STRING, ArrayType(INTEGER)))]
    ['STRING', 'ARRAY<INT>']
    """
    match dtype:
        case ArrayType(element=element):
            return (element,)
        case MapType(key=key, value=value):
            return key, value
        case StructType(fields=fields):
            return tuple(each.dtype for each in fields)
    return ()


def is_collated(dtype: DataType) -> bool:
    """Tell if texts in values of the type can be equal although their bytes differ.

    >>> is_collated(ArrayType(StringType("UTF8_LCASE"))), is_collated(ArrayType(STRING))
    (True, False)
    """
    return any(isinstance(part, StringType) and part != STRING for part in parts_of(dtype))


def without_collation(dtype: DataType) -> DataType:
    """The same type with texts that are equal only if their bytes are."""
    return _with_leaves(dtype, lambda leaf: STRING if isinstance(leaf, StringType) else leaf)


def ddl(dtype: DataType) -> str:
    """The type as DDL text that means the same under every setting of a session.

    >>> ddl(ArrayType(TIMESTAMP)), ddl(DATE)
    ('ARRAY<TIMESTAMP_LTZ>', 'DATE')
    """
    return _with_leaves(dtype, lambda leaf: _INSTANT if leaf == TIMESTAMP else leaf).sql()


_INSTANT = AtomicType("TIMESTAMP_LTZ")
"""The meaning of TIMESTAMP unless spark.sql.timestampType says otherwise."""


def _with_leaves(dtype: DataType, change: Callable[[DataType], DataType]) -> DataType:
    """The type with others in place of those that have none inside."""
    match dtype:
        case ArrayType(element=element):
            return replace(dtype, element=_with_leaves(element, change))
        case MapType(key=key, value=value):
            changed = (_with_leaves(key, change), _with_leaves(value, change))
            return replace(dtype, key=changed[0], value=changed[1])
        case StructType(fields=fields):
            inner = (replace(each, dtype=_with_leaves(each.dtype, change)) for each in fields)
            return StructType(tuple(inner))
        case _:
            return change(dtype)


_INTEGRAL = frozenset({TINYINT, SMALLINT, INTEGER, BIGINT})
_FLOATING = frozenset({FLOAT, DOUBLE})


def is_integral(dtype: DataType) -> bool:
    """Tell if values are whole numbers of fixed width."""
    return dtype in _INTEGRAL


def is_floating(dtype: DataType) -> bool:
    """Tell if values are binary floating point, where sums depend on order."""
    return dtype in _FLOATING


def is_numeric(dtype: DataType) -> bool:
    """Tell if arithmetic works on the type."""
    return is_integral(dtype) or is_floating(dtype) or isinstance(dtype, DecimalType)


def same_type(left: DataType, right: DataType) -> bool:
    """Tell if two types hold the same values, leaving aside whether NULL is among them.

    >>> same_type(ArrayType(INTEGER, True), ArrayType(INTEGER, False))
    True
    """
    return _without_nullability(left) == _without_nullability(right)


def _without_nullability(dtype: DataType) -> DataType:
    match dtype:
        case ArrayType(element=element):
            return ArrayType(_without_nullability(element))
        case MapType(key=key, value=value):
            return MapType(_without_nullability(key), _without_nullability(value))
        case StructType(fields=fields):
            return StructType(
                tuple(Field(each.name, _without_nullability(each.dtype)) for each in fields)
            )
        case _:
            return dtype


_WIDTH = {TINYINT: 3, SMALLINT: 5, INTEGER: 10, BIGINT: 20}


def always_fits(source: DataType, target: DataType) -> bool:
    """Tell if every value of `source` can be cast to `target`, so that no NULL or error arises.

    >>> always_fits(INTEGER, BIGINT), always_fits(BIGINT, INTEGER)
    (True, False)
    """
    if source == target or isinstance(target, StringType):
        return True
    if source in _WIDTH and target in _WIDTH:
        return _WIDTH[source] <= _WIDTH[target]
    if is_numeric(source) and is_floating(target):
        return True
    if isinstance(target, DecimalType):
        whole = target.precision - target.scale
        if isinstance(source, DecimalType):
            return source.precision - source.scale <= whole and source.scale <= target.scale
        return source in _WIDTH and _WIDTH[source] <= whole
    return source == DATE and target in (TIMESTAMP, TIMESTAMP_NTZ)
