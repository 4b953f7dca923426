"""Matrices in this process's memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from slackwater.errors import InvariantError, MatrixError
from slackwater.linalg.arrays import Array
from slackwater.linalg.backend import Scope
from slackwater.linalg.local.evaluation import Evaluation
from slackwater.linalg.local.multiply import add_product
from slackwater.linalg.matrix_nodes import Expr


class LocalBackend:
    """Holds matrices as NumPy arrays, row by row."""

    def __init__(self) -> None:
        """Begin empty."""
        self._kept: dict[str, Array] = {}
        self._buffers: dict[str, Array] = {}
        """Room for the rows that matrices of bags still get."""
        self._undo: dict[str, Array | None] | None = None
        self._flops = 0

    def store(self, name: str, value: Array) -> None:
        """Keep a copy."""
        self._keep(name, np.array(value, dtype=np.float64, order="C"))

    def fetch(self, name: str) -> Array:
        """The matrix itself, not to be written to."""
        if name not in self._kept:
            raise MatrixError(
                f"no value is kept of {name}",
                hint=f"Kept are {', '.join(sorted(self._kept))}; make it an output to read it.",
            )
        shown = self._kept[name].view()
        shown.flags.writeable = False
        return shown

    def height(self, name: str) -> int:
        """The number of rows of a kept matrix."""
        return len(self._kept[name])

    def drop(self, name: str) -> None:
        """Forget a matrix."""
        self._remember(name)
        self._kept.pop(name)
        self._buffers.pop(name, None)

    def compute(self, expr: Expr, scope: Scope) -> Array:
        """The value of any expression."""
        return Evaluation(self._kept, scope, self._count).value(expr)

    def assign(self, name: str, expr: Expr, scope: Scope) -> None:
        """Keep the value; it never shares memory with another."""
        made = self.compute(expr, scope)
        shared = any(np.may_share_memory(made, each) for each in self._kept.values())
        self._keep(name, np.array(made, order="C", copy=True if shared else None))

    def add(self, name: str, left: Array, right: Array | None) -> None:
        """Add in place."""
        matrix = self._kept[name]
        if self._undo is not None and name not in self._undo:
            self._undo[name] = matrix.copy()
        if right is None:
            matrix += left
            self._count(matrix.size)
        else:
            self._count(add_product(matrix, left, right))

    def append(self, name: str, rows: Array) -> None:
        """Add rows; room for more grows with the matrix, so that each row is copied a few times."""
        old = self._kept[name]
        self._remember(name)
        count = len(old) + len(rows)
        room = self._buffers.get(name)
        if room is None or len(room) < count:
            room = np.empty((max(count, 3 * len(old) // 2), old.shape[1]))
            room[: len(old)] = old
            self._buffers[name] = room
        room[len(old) : count] = rows
        self._kept[name] = room[:count]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Copies of what is about to be changed are held until the end."""
        if self._undo is not None:
            raise InvariantError("a transaction is open already")
        self._undo = {}
        try:
            yield
        except BaseException:
            self._restore(self._undo)
            raise
        finally:
            self._undo = None

    def take_flops(self) -> int:
        """The floating-point operations since this was last asked."""
        taken, self._flops = self._flops, 0
        return taken

    def _count(self, flops: int) -> None:
        self._flops += flops

    def _keep(self, name: str, value: Array) -> None:
        self._remember(name)
        self._buffers.pop(name, None)
        self._kept[name] = value

    def _remember(self, name: str) -> None:
        """Hold on to a matrix that is replaced; no copy is needed for that."""
        if self._undo is not None:
            self._undo.setdefault(name, self._kept.get(name))

    def _restore(self, undo: dict[str, Array | None]) -> None:
        for name, old in undo.items():
            self._buffers.pop(name, None)
            if old is None:
                self._kept.pop(name, None)
            else:
                self._kept[name] = old
