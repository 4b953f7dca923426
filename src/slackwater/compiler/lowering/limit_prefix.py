"""Lowers a LIMIT below the root whose rows are the beginning of an order.

Let R be the input before a run, P its first k rows as they were kept, and D the net changes.

*Claim.* If D takes no row away that is in P, the first k rows of P and of what D adds are first k
rows of R + D.

*Proof.* If P has fewer than k rows, it is all of R. Otherwise every row of R outside P has k rows
of P before it or beside it in the order, and all of these are still there after the run. So a row
of R outside P is in no need of being among the first k; and of rows that are equal in the order
any may be taken, as Spark may. What D takes away lies outside P, or among copies of a row of
which P has others, in which case a row of P counts as taken away and the claim is not used.

Only a run that takes a row of P away reads all of R. A row counts as taken away if it equals one of
P, so that zeros of either sign count too: then R is read once more often than it had to be.
"""

from __future__ import annotations

from slackwater.algebra.operators import Filter, Join, JoinKey, JoinKind, Limit, Project
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.affected_groups import LowerGroups
from slackwater.compiler.lowering.base import Builder, compute_changes
from slackwater.compiler.lowering.whole_state import Whole, rows_after
from slackwater.expr.build import TRUE, number
from slackwater.expr.functions import call
from slackwater.optimizer.rules.grouped import Grouped, grouped_limit
from slackwater.plan.frames import WEIGHT, Frame, Fresh, positions
from slackwater.plan.weighted import (
    added,
    consolidated,
    counted_once,
    difference,
    read_changes,
    repeated,
    weight_of,
)

_LOST = "_lost"


class LowerLimitPrefix(LowerGroups[Limit]):
    """D(limit(R)): the first rows of those so far and of what arrived, less those so far."""

    def __init__(self) -> None:
        """The rows of a limit are one group."""
        super().__init__(grouped_limit)

    def delta(self, rel: Limit, builder: Builder) -> Frame | None:
        """The rows that pass now, less those that passed."""
        group = grouped_limit(rel)
        changes = builder.delta(group.input)
        return None if changes is None else prefix_delta(group, changes, builder)


def prefix_delta(group: Grouped, changes: Frame, builder: Builder) -> Frame:
    """The first rows that pass now, less those that passed; all input rows are kept row by row."""
    rel, fresh = group.rel, Fresh(group.rel, group.input)
    given = read_changes(group.input, changes, fresh)
    names = (*positions(rel), WEIGHT)
    net = builder.compute(rel, "net_input", consolidated(given, fresh, first=True), names)
    old = builder.state_rows(rel, "groups_before", group.kept)
    lost = _lost(group.input, net, old, builder, rel)
    before = builder.state_rows(rel, "rows_before", group.given, lost)
    now = rows_after(rel, "", Whole(group.input, group.given, before, net), builder)
    tree = _candidates((now, net, old), lost, fresh)
    candidates = builder.compute(rel, "candidates", tree, names)
    return first_rows_delta(group, candidates, old, builder)


def first_rows_delta(group: Grouped, candidates: Frame, old: Frame, builder: Builder) -> Frame:
    """The first ones of candidates, less those that were the first."""
    rel, fresh = group.rel, Fresh(group.rel, group.input)
    again = group.apply(repeated(read_changes(group.input, candidates, fresh), fresh))
    new = compute_changes(rel, "groups_now", counted_once(again, fresh), builder)
    both = difference(read_changes(rel, new, fresh), read_changes(rel, old, fresh), fresh)
    return compute_changes(rel, "delta", consolidated(both, fresh), builder)


def _lost(given: Rel, net: Frame, old: Frame, builder: Builder, owner: Rel) -> Frame:
    """A row for each change that takes away what is among the first rows."""
    fresh = Fresh(owner, given)
    changes, kept = fresh.scan(net), fresh.scan(old)
    gone = Filter(changes, call("<", weight_of(changes).ref(), number(0)))
    pairs = zip(changes.columns[:-1], kept.columns[:-1], strict=True)
    keys = tuple(JoinKey(one.ref(), other.ref(), null_safe=True) for one, other in pairs)
    met = Join(JoinKind.SEMI, gone, kept, keys)
    return builder.compute(owner, "lost", Project(met, fresh.outputs((TRUE,))), (_LOST,))


def _candidates(frames: tuple[Frame, Frame, Frame], lost: Frame, fresh: Fresh) -> Rel:
    """All rows after the run if one of the first was lost; else the first, and what arrived.

    State may have been read all the same where nothing was lost, so that the frame of all rows
    says nothing then.
    """
    now, net, old = frames
    every = _present(fresh.scan(now))
    arrived = _present(fresh.scan(net))
    parts = ((JoinKind.SEMI, every), (JoinKind.ANTI, arrived), (JoinKind.ANTI, fresh.scan(old)))
    chosen = [Join(kind, rows, fresh.scan(lost), residual=TRUE) for kind, rows in parts]
    return added(chosen, fresh)


def _present(rows: Rel) -> Filter:
    return Filter(rows, call(">", weight_of(rows).ref(), number(0)))
