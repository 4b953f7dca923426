"""Operators that treat groups of rows separately: redone for the groups that changed.

Domain extraction for one input: only groups whose key hash occurs in the changes can differ.
Their rows are gathered as they are after the run, the ordinary operator is applied to them,
and what it gave before is taken from state. It is taken from there and not computed again,
because an answer that depends on the order of rows need not come out the same twice.

Without a key all rows are one group, which every run touches. No worker could hold it: its rows
are kept by a hash of their own, and statements, which spill, put them together.
"""

from __future__ import annotations

from collections.abc import Callable

from slackwater.algebra.operators import Distinct
from slackwater.compiler.lowering.base import Builder, Lowering, R, compute_changes
from slackwater.compiler.lowering.whole_state import Whole, hashed_changes, rows_after
from slackwater.optimizer.rules.grouped import Grouped
from slackwater.plan.frames import (
    HASH,
    NEW,
    STORED_WEIGHT,
    WEIGHT,
    Frame,
    Fresh,
    positions,
    read_rows,
)
from slackwater.plan.weighted import (
    consolidated,
    counted_once,
    difference,
    read_changes,
    repeated,
)


class LowerGroups(Lowering[R]):
    """Redoes an operator for the groups that changes touch."""

    def __init__(self, grouped: Callable[[R], Grouped]):
        """`grouped` finds the groups of an operator."""
        self._grouped = grouped

    def delta(self, rel: R, builder: Builder) -> Frame | None:
        """The touched groups as they are, less as they were."""
        return group_delta(self._grouped(rel), builder)

    def rows(self, rel: R, builder: Builder) -> Frame:
        """The operator in one statement with the order below it, which no frame would keep."""
        grouped = self._grouped(rel)
        source = read_rows(grouped.input, builder.rows(grouped.input))
        return builder.compute(rel, "rows", grouped.apply(source), positions(rel))


def group_delta(group: Grouped, builder: Builder) -> Frame | None:
    """The new output of the touched groups, less the old one."""
    changes = builder.delta(group.input)
    if changes is None:
        return None
    rel, fresh = group.rel, Fresh(group.rel, group.input)
    rows, old = (_all_rows if group.is_one else _touched_rows)(group, changes, builder)
    again = group.apply(repeated(read_changes(group.input, rows, fresh), fresh))
    new = compute_changes(rel, "groups_now", counted_once(again, fresh), builder)
    both = difference(read_changes(rel, new, fresh), read_changes(rel, old, fresh), fresh)
    return compute_changes(rel, "delta", consolidated(both, fresh), builder)


def _touched_rows(group: Grouped, changes: Frame, builder: Builder) -> tuple[Frame, Frame]:
    """The input of the touched groups after the run, and their output before it."""
    rel, given, fresh = group.rel, group.input, Fresh(group.rel, group.input)
    names = (*positions(given), WEIGHT)
    hashed = hashed_changes(given, changes, group.given, fresh)
    touched = builder.compute(rel, "touched", hashed, (HASH, *names))
    rows = builder.gather(rel, "gathered", touched, group.given)
    now = read_changes(given, rows, fresh, NEW)
    hashes = builder.compute(rel, "hashes", Distinct(fresh.scan(touched, (HASH,))), (HASH,))
    found = builder.look_up(rel, "found", hashes, group.kept)
    before = read_rows(rel, found, fresh.weight(STORED_WEIGHT), prefix="s")
    return (
        builder.compute(rel, "rows_now", now, names),
        compute_changes(rel, "groups_before", before, builder),
    )


def _all_rows(group: Grouped, changes: Frame, builder: Builder) -> tuple[Frame, Frame]:
    """The whole input after the run, and the whole output before it.

    An answer over nothing is an answer too, so neither depends on what changed.
    """
    rel = group.rel
    old = builder.state_rows(rel, "groups_before", group.kept)
    kept = builder.state_rows(rel, "rows_before", group.given)
    whole = Whole(group.input, group.given, kept, changes)
    return rows_after(rel, "", whole, builder), old
