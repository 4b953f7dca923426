"""Random queries over the adversarial tables whose answer the data alone determines."""

from __future__ import annotations

from .statements import Statement, random_statements

__all__ = ["Statement", "random_statements"]
