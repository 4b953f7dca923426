"""What a run has to do: the part of each view in it, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.optimizer.facts import Facts


class Action(Enum):
    """How a view is brought up to date in a run."""

    INCREMENTAL = "incremental"
    FILL = "filled"
    """Its state is new: computed once from all rows."""
    REBUILD = "rebuilt"
    """Its state is computed anew from all rows, and the change of the answer worked out."""
    RECOMPUTE = "recomputed"
    """Its answer is computed anew, nothing but the answer is kept."""
    SKIP = "skipped"


@dataclass(frozen=True, slots=True)
class ViewTask:
    """One view's part in a run."""

    name: str
    rel: Rel
    """The part of its plan whose rows are stored."""
    answer: Rel
    """Its answer as a plan over a scan of those rows."""
    columns: tuple[str, ...]
    action: Action
    answer_only: bool = False
    """Whether nothing but its answer is kept."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the run finds: state that exists, its size, and what changed."""

    facts: Facts
    sources: Mapping[str, tuple[str, ...]]
    """The column names of every source."""
    changed: frozenset[str]
    """Sources with pending changes."""
    stored: Mapping[str, int]
    """Rows of every arrangement that exists, by id."""


def read_names(rel: Rel) -> frozenset[str]:
    """The sources and views a relation reads."""
    names: set[str] = set()
    for each in walk_rel(rel):
        if isinstance(each, Scan):
            names.add(each.source)
        elif isinstance(each, Recompute):
            names.update(each.sources)
    return frozenset(names)
