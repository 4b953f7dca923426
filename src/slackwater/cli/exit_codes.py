"""Exit codes of failures; wrong usage ends with 2, which is typer's."""

from __future__ import annotations

from typing import Final

FAILED: Final = 1
"""An error with a message of its own."""

DEFECT: Final = 70
"""A failure that we did not foresee."""

INTERRUPTED: Final = 130
"""The user pressed Ctrl-C; the number is the one shells use."""
