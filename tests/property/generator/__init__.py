"""Random queries over the adversarial tables whose answer the data alone determines."""

from __future__ import annotations

from .statements import queries

__all__ = ["queries"]
