"""The declaration of a source, which every batch is held against."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.errors import CatalogError
from slackwater.types import VARIANT, DataType, Field, MapType, OpaqueType, StructType, parts_of

WEIGHT = "_w"
_OF_LIMITED_LENGTH = re.compile(r"(var)?char\(\d+\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A source's name, columns and promises: `key` is unique, `append_only` never takes back."""

    name: str
    schema: StructType
    key: tuple[str, ...] = ()
    append_only: bool = False

    def __post_init__(self) -> None:
        """Refuse what no batch could ever satisfy, or what SQL could not name."""
        if not self.name.strip():
            raise CatalogError("a source needs a name", hint="Call it after what its rows are.")
        if not self.schema.fields:
            raise self._refused("it has no columns", "Declare at least one column.")
        for twice in _repeated(self.columns):
            raise self._refused(
                f"it declares column {twice} twice", "Spark takes names that differ in case as one."
            )
        for field in self.schema.fields:
            self._check_column(field)
        self._check_key()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(each.name for each in self.schema.fields)

    @property
    def weight(self) -> str:
        """The name of the weight column of a batch: `_w`, unless a column has that name."""
        taken = {name.lower() for name in self.columns}
        name = WEIGHT
        while name in taken:
            name = "_" + name
        return name

    def has_column(self, name: str) -> bool:
        """Tell if a column of the source answers to the name, in whatever case."""
        return name.lower() in (each.lower() for each in self.columns)

    def key_fields(self) -> tuple[Field, ...]:
        """The columns of the key, in the order of the key."""
        fields = {each.name: each for each in self.schema.fields}
        return tuple(fields[name] for name in self.key)

    def _check_column(self, field: Field) -> None:
        if any(map(_has_limited_length, parts_of(field.dtype))):
            raise self._refused(
                f"column {field.name} is {field.dtype.sql().upper()}",
                "Declare STRING: Spark pads and cuts such columns only when it writes tables.",
            )

    def _check_key(self) -> None:
        known = set(self.columns)
        for name in self.key:
            if name not in known:
                raise self._refused(
                    f"its key names {name}, which is not a column",
                    f"The columns are {', '.join(self.columns)}.",
                )
        for twice in _repeated(self.key):
            raise self._refused(f"its key names {twice} twice", "Name each key column once.")
        for field in self.key_fields():
            parts = parts_of(field.dtype)
            if any(isinstance(each, MapType) or each == VARIANT for each in parts):
                raise self._refused(
                    f"key column {field.name} is {field.dtype.sql()}",
                    "Spark cannot compare such values; choose other key columns.",
                )

    def _refused(self, why: str, hint: str) -> CatalogError:
        return CatalogError(f"source {self.name} cannot be: {why}", hint=hint)


def _repeated(names: Iterable[str]) -> list[str]:
    counts = Counter(name.lower() for name in names)
    return [name for name, times in counts.items() if times > 1]


def _has_limited_length(dtype: DataType) -> bool:
    """Tell if a type is CHAR or VARCHAR."""
    return isinstance(dtype, OpaqueType) and bool(_OF_LIMITED_LENGTH.fullmatch(dtype.text))
