"""What placement may do, and the sizes at which it does it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlacementOptions:
    """Every optimization can be switched off, to see what it is good for."""

    simplify: bool = True
    """Leave out exchanges of rows that are where they are needed, and move the fewest others."""
    fuse: bool = True
    """Take steps that do not depend on one another in one block, in whatever order they come."""
    eliminate: bool = True
    """Send a frame once for all who read it in one place, and leave out what nobody reads."""
    replicated_rows: float = 100_000
    """The most rows of a frame that every partition works on; state that is read only is free."""
    alone_rows: float = 20_000
    """The most rows that the first partition works on by itself, if it need not."""
    divided_fill_rows: float = 1_000_000
    """From so many rows on, those that fill an arrangement are divided by its hash first."""


DEFAULT_OPTIONS = PlacementOptions()
