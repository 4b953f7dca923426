"""The work of a run: the part of each view in it, and the state it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from slackwater.algebra.rel import Rel
from slackwater.plan.view_plan import ViewPlan


class Action(Enum):
    """The ways in which a view is brought up to date in a run."""

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
    plan: ViewPlan
    columns: tuple[str, ...]
    action: Action

    @property
    def rel(self) -> Rel:
        """The part of the query whose rows are stored."""
        return self.plan.root.rel


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The state that a run finds, its size, and what changed."""

    sources: Mapping[str, tuple[str, ...]]
    """The column names of every source."""
    changed: frozenset[str]
    """Sources with pending changes."""
    stored: Mapping[str, int]
    """Rows of every arrangement that exists, by id."""
