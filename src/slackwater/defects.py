"""Defects of Slackwater that a query survived: logged and counted, for developers to find.

The part of the query that met one is left to Spark, so that the answer is right all the same.
"""

from __future__ import annotations

import logging
from collections import Counter

_LOG = logging.getLogger("slackwater.defects")
_COUNTS: Counter[str] = Counter()


def record_defect(where: str, problem: Exception) -> None:
    """Log a defect with its trace and count it by the place where it was met."""
    _COUNTS[where] += 1
    _LOG.error("defect in %s: %s: %s", where, type(problem).__name__, problem, exc_info=problem)


def recorded_defects() -> dict[str, int]:
    """The number of defects that each place met in this process.

    >>> recorded_defects()
    {}
    """
    return dict(_COUNTS)
