"""Rows that were in no state, on which expressions might fail.

Where both sides of a join change in one run, the terms of its change hold pairs of an old row
with a new one. They cancel out, but an expression computed before they do could raise an error
about a row that never was. Such an expression must wait until the changes are added up.
So it is where a change of the left side meets the changed right side of an outer or semi join.
"""

from __future__ import annotations

from typing import Protocol

from slackwater.algebra.operators import (
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Scan,
    Sort,
    Union,
)
from slackwater.algebra.rel import Rel

_ROWWISE = (Filter, Project, Expand, Generate, Sort, Union)
_BY_LEFT_ROW = (
    JoinKind.LEFT,
    JoinKind.SEMI,
    JoinKind.ANTI,
    JoinKind.NULL_AWARE_ANTI,
    JoinKind.MARK,
    JoinKind.SINGLE,
)


class Changing(Protocol):
    """Questions about the changes in a run."""

    def touched(self, rel: Rel) -> bool:
        """Tell if a source below the relation has changes."""

    def behind(self, scan: Scan) -> Rel | None:
        """The relation whose changes, as its rules find them, a scan reads; None if none is."""


def has_transient_rows(rel: Rel, run: Changing) -> bool:
    """Tell if the changes of a relation may hold rows that were in no state."""
    if not run.touched(rel):
        return False
    if isinstance(rel, Scan):
        view = run.behind(rel)
        return view is not None and has_transient_rows(view, run)
    if isinstance(rel, Join):
        return _join_has_transient_rows(rel, run)
    return isinstance(rel, _ROWWISE) and any(has_transient_rows(each, run) for each in rel.inputs)


def _join_has_transient_rows(rel: Join, run: Changing) -> bool:
    """Rows of one side's change are joined as they come; a FULL join is redone from real rows.

    What is looked up by key may hold rows that are gone: their coming and their going are added
    up only where files are merged.
    """
    left, right = (run.touched(each) for each in rel.inputs)
    if rel.kind in (JoinKind.INNER, JoinKind.CROSS):
        both = left and right
        return both or bool(rel.keys) or has_transient_rows(rel.left if left else rel.right, run)
    if rel.kind in _BY_LEFT_ROW:
        return left and (right or has_transient_rows(rel.left, run))
    return rel.kind is JoinKind.RIGHT and not left and has_transient_rows(rel.right, run)
