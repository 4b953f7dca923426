"""The seconds that operations take on a back end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.errors import MatrixError
from slackwater.linalg.operations import Kind, Operation


@dataclass(frozen=True, slots=True)
class MatrixPrices:
    """The speed of a back end; an operation waits for arithmetic or for memory, and then some.

    The defaults were measured on two cores; `measure_prices` of a back end replaces them.
    """

    backend: str = "local"
    multiply: float = 6e10
    """Floating-point operations a second, multiplying large matrices."""
    invert: float = 3e10
    """The same, inverting and factorizing."""
    numbers: float = 1.5e9
    """Numbers a second that come from memory or go there."""
    operation: float = 5e-6
    """Seconds for each operation, whatever its size; on a cluster those of a job."""

    def __post_init__(self) -> None:
        """Refuse speeds that are none."""
        if min(self.multiply, self.invert, self.numbers) <= 0 or self.operation < 0:
            raise MatrixError("prices must be positive", hint="Measure them anew.")

    def seconds(self, operations: Iterable[Operation]) -> float:
        """The price of operations one after another."""
        return sum(self._seconds(each) for each in operations)

    def _seconds(self, operation: Operation) -> float:
        speed = self.invert if operation.kind is Kind.INVERT else self.multiply
        waiting = max(operation.flops / speed, operation.numbers / self.numbers)
        return waiting + self.operation
