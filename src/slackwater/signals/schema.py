"""The schema of a signal: its groups, its payload, its beats, and how its time is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from slackwater.errors import SignalError
from slackwater.signals.arrays import Column, Ints
from slackwater.signals.evaluation import evaluate, kind_of, substitute, text
from slackwater.signals.formulas import FieldRef, Formula, Number, Time
from slackwater.signals.grid import Grid

RESERVED = "_"
"""Names that begin with it are those of state columns."""


class TimeUnit(Enum):
    """What a tick of the time column is."""

    TICK = "tick"
    SECOND = "s"
    MILLISECOND = "ms"
    MICROSECOND = "us"
    NANOSECOND = "ns"


@dataclass(frozen=True, slots=True)
class Field:
    """A number of the payload, or an array of so many."""

    name: str
    kind: Number = Number.REAL
    size: int | None = None

    def __post_init__(self) -> None:
        """Payloads have arithmetic, so they are numbers."""
        if not self.name or self.name.startswith(RESERVED):
            raise SignalError(f"a field cannot be called {self.name!r}", hint="Give another name.")
        if self.kind is Number.BOOLEAN:
            raise SignalError(f"field {self.name!r} is a condition, which has no arithmetic")

    def blank(self) -> Column:
        """A column of the field without rows."""
        shape = (0,) if self.size is None else (0, self.size)
        dtype = np.complex128 if self.kind is Number.COMPLEX else np.float64
        return np.empty(shape, dtype=dtype)

    def __str__(self) -> str:
        """For a page.

        >>> print(Field("v"), Field("spectrum", Number.COMPLEX, 512))
        v spectrum complex[512]
        """
        kind = "complex" if self.kind is Number.COMPLEX else ""
        array = "" if self.size is None else f"[{self.size}]"
        return f"{self.name} {kind or 'real'}{array}" if kind or array else self.name


@dataclass(frozen=True, slots=True)
class SignalSchema:
    """Columns of the groups, fields stored in events, beats if uniform, functions of time if any.

    A signal with `functions` has a value at every time of an event's life: each function is a
    formula over the stored fields and the time. Others are constant while an event lives.
    """

    keys: tuple[str, ...]
    fields: tuple[Field, ...]
    grid: Grid | None = None
    functions: tuple[tuple[str, Formula], ...] = ()
    unit: TimeUnit = TimeUnit.TICK
    time: str = "time"

    def __post_init__(self) -> None:
        """Every name is used once, and functions read what is stored."""
        names = (*self.keys, self.time, *(field.name for field in self.values))
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SignalError(
                f"two columns of a signal are called {twice[0]!r}",
                hint="Give the group, the time and every field a name of their own.",
            )
        if not self.fields:
            raise SignalError("a signal needs at least one field")
        if self.grid is not None and self.functions:
            raise SignalError("samples have values, not functions")

    @property
    def values(self) -> tuple[Field, ...]:
        """The payload as readers see it: the functions if there are any, else the fields."""
        if not self.functions:
            return self.fields
        kinds = self.stored_kinds
        return tuple(Field(name, kind_of(formula, kinds)) for name, formula in self.functions)

    @property
    def stored_kinds(self) -> dict[str, Number]:
        """The kind of each stored field."""
        return {field.name: field.kind for field in self.fields}

    @property
    def kinds(self) -> dict[str, Number]:
        """The kind of each value."""
        return {field.name: field.kind for field in self.values}

    @property
    def blanks(self) -> tuple[Column, ...]:
        """Columns of the stored fields without rows."""
        return tuple(field.blank() for field in self.fields)

    def formula(self, name: str) -> Formula:
        """What a value is computed from."""
        return dict(self.functions).get(name, FieldRef(name))

    def named(self, columns: tuple[Column, ...]) -> dict[str, Column]:
        """Columns of the stored fields by name."""
        return dict(zip((field.name for field in self.fields), columns, strict=True))

    def at(self, columns: tuple[Column, ...], time: Ints) -> tuple[Column, ...]:
        """The values of events, one row each, at these times."""
        if not self.functions:
            return columns
        named = self.named(columns)
        return tuple(evaluate(formula, named, time) for _, formula in self.functions)

    def delayed(self, by: int) -> SignalSchema:
        """The schema after all events came `by` ticks later."""
        grid = self.grid
        if grid is not None:
            grid = Grid(grid.period, (grid.offset + by) % grid.period)
        return replace(self, grid=grid, functions=rewritten(self.functions, _earlier(by)))

    def __str__(self) -> str:
        """For a page."""
        stored = ", ".join(map(str, self.fields))
        shown = ", ".join(f"{name} = {text(formula)}" for name, formula in self.functions)
        beats = "" if self.grid is None else f" {self.grid}"
        return f"[{shown or stored}]{beats}"


def rewritten(
    functions: tuple[tuple[str, Formula], ...], change: Callable[[Formula], Formula | None]
) -> tuple[tuple[str, Formula], ...]:
    """The functions with parts of their formulas replaced."""
    return tuple((name, substitute(formula, change)) for name, formula in functions)


def renaming(names: Mapping[str, str]) -> Callable[[Formula], Formula | None]:
    """Replaces fields by others of the given names."""

    def change(formula: Formula) -> Formula | None:
        if isinstance(formula, FieldRef) and formula.name in names:
            return FieldRef(names[formula.name])
        return None

    return change


def _earlier(by: int) -> Callable[[Formula], Formula | None]:
    def change(formula: Formula) -> Formula | None:
        return formula - by if isinstance(formula, Time) else None

    return change
