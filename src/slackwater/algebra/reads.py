"""The tables that plans read."""

from __future__ import annotations

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, walk_rel


def read_names(rel: Rel) -> frozenset[str]:
    """The sources and views a relation reads."""
    names: set[str] = set()
    for each in walk_rel(rel):
        if isinstance(each, Scan):
            names.add(each.source)
        elif isinstance(each, Recompute):
            names.update(each.sources)
    return frozenset(names)
