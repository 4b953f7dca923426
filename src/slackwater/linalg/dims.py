"""Sizes of matrices: numbers, names that stand for numbers, and sums of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.errors import MatrixError

Sizes = Mapping[str, int]
"""The numbers that names of sizes stand for."""


@dataclass(frozen=True, slots=True)
class Dim:
    """A number of rows or columns: a constant plus multiples of names.

    >>> print(dim("n") + dim(1), dim("r") + dim("r"), (dim("n") + dim(1)).value({"n": 4}))
    n+1 2*r 5
    """

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be a positive number."""
        names = [name for name, _ in self.terms]
        if names != sorted(set(names)):
            raise MatrixError(f"the names of a size repeat or are out of order: {names}")
        if self.constant < 0 or any(count < 1 for _, count in self.terms):
            raise MatrixError("a size has a negative part", hint="Sizes are sums, not differences.")
        if self.constant == 0 and not self.terms:
            raise MatrixError("a matrix needs at least one row and one column")

    def __add__(self, other: Dim) -> Dim:
        """Both together, as when blocks stand beside each other."""
        counts = dict(self.terms)
        for name, count in other.terms:
            counts[name] = counts.get(name, 0) + count
        return Dim(self.constant + other.constant, tuple(sorted(counts.items())))

    def __str__(self) -> str:
        """Names first, as people write them."""
        parts = [name if count == 1 else f"{count}*{name}" for name, count in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return "+".join(parts)

    @property
    def names(self) -> frozenset[str]:
        """The names that need a number."""
        return frozenset(name for name, _ in self.terms)

    @property
    def symbol(self) -> str | None:
        """The name, if the size is one name and nothing else."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None

    def bind(self, sizes: Sizes) -> Dim:
        """The size with numbers for the names that have one."""
        constant = self.constant + sum(sizes[n] * c for n, c in self.terms if n in sizes)
        return Dim(constant, tuple((n, c) for n, c in self.terms if n not in sizes))

    def value(self, sizes: Sizes) -> int:
        """The number, once every name has one."""
        missing = sorted(self.names - sizes.keys())
        if missing:
            raise MatrixError(
                f"no number is known for the size {', '.join(missing)}",
                where=f"size {self}",
                hint=f"Bind it, for example program.bind({{{missing[0]!r}: 1000}}).",
            )
        return self.constant + sum(sizes[name] * count for name, count in self.terms)


DimLike = int | str | Dim
"""A size as people write it."""


def dim(size: DimLike) -> Dim:
    """The size a number or a name stands for."""
    if isinstance(size, Dim):
        return size
    if isinstance(size, str):
        if not size.isidentifier():
            raise MatrixError(f"{size!r} is no name of a size", hint="Write a name such as n.")
        return Dim(0, ((size, 1),))
    if size < 1:
        raise MatrixError(f"a matrix cannot have {size} rows or columns")
    return Dim(size)


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows and columns."""

    rows: Dim
    cols: Dim

    def __str__(self) -> str:
        """As in messages: n x p."""
        return f"{self.rows} x {self.cols}"

    @property
    def turned(self) -> Shape:
        """The shape of the transpose."""
        return Shape(self.cols, self.rows)

    @property
    def square(self) -> bool:
        """True if rows and columns are the same size by name."""
        return self.rows == self.cols

    @property
    def names(self) -> frozenset[str]:
        """The names that need a number."""
        return self.rows.names | self.cols.names

    def bind(self, sizes: Sizes) -> Shape:
        """The shape with numbers for the names that have one."""
        return Shape(self.rows.bind(sizes), self.cols.bind(sizes))

    def value(self, sizes: Sizes) -> tuple[int, int]:
        """Rows and columns as numbers."""
        return self.rows.value(sizes), self.cols.value(sizes)


def shape(rows: DimLike, cols: DimLike) -> Shape:
    """A shape from what people write.

    >>> print(shape("n", 3))
    n x 3
    """
    return Shape(dim(rows), dim(cols))
