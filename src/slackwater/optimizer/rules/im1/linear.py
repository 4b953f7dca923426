"""Operators whose changes follow from the changes of their inputs alone: no state, one table."""

from __future__ import annotations

from slackwater.algebra.operators import (
    Expand,
    Filter,
    Generate,
    Project,
    Range,
    Scan,
    Sort,
    Union,
    Values,
)
from slackwater.algebra.rel import Rel
from slackwater.optimizer.rules.base import Rule


class Linear(Rule[Rel]):
    """D(f(R)) = f(D(R)): an operator that sees one row at a time, or adds relations up.

    - scan: the changes of a source are the batches it received since the last run, net.
    - values, range: constant rows arrive once, when the view is first filled.
    - filter, project, expand, generate: every row becomes the same rows whatever else there is.
    - union: columns go by position, weights stay as they are.
    - sort: a relation has no order; only a LIMIT above reads it, from its rows.
    """

    def __init__(self, name: str, operator: type[Rel]):
        """The rule of one operator."""
        self.name = name
        self.operator = operator


LINEAR = (
    Linear("scan", Scan),
    Linear("values", Values),
    Linear("range", Range),
    Linear("filter", Filter),
    Linear("project", Project),
    Linear("expand", Expand),
    Linear("generate", Generate),
    Linear("union", Union),
    Linear("sort", Sort),
)
