"""Lowers the first rows of each partition, kept between runs.

Let R be the rows of a partition before a run, P those of them that were kept, and D the net
changes of the partition.

*Claim.* If D takes no row away that is in P, the first rows of P and of what D adds are first rows
of R + D.

*Proof.* Let k be the bound and r a row of R outside P. The first k rows of R, and for `dense_rank`
all rows with the first k values of the order, have a rank of at most k, so P holds them. They cut
r off: k rows strictly before it (`rank`), rows of k different values strictly before it
(`dense_rank`), or k rows before or beside it (`row_number`). All of these are still there after
the run, so r is not needed; of rows that are equal in the order any may be taken, as Spark may.

Now let q be a row of P, or one that D adds. If a row outside P is strictly before q, the rows that
cut it off are strictly before q too, and q is beyond the bound both in R + D and in P with what D
adds. If none is, the same rows are strictly before q in both, and q has the same rank in both.

What D takes away lies outside P, or among copies of a row of which P has others. In that case a
row of P counts as taken away, the claim is not used, and the partition is gathered whole. A row
counts as taken away if it equals one of P, so that zeros of either sign count too: then a
partition is read once more often than it had to be.

All is done by the hash of partitions. Partitions that share one are read again together; of those
that did not change, the first rows of the first rows are those very rows, and cancel out.
"""

from __future__ import annotations

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import (
    Distinct,
    Filter,
    GroupLimit,
    Join,
    JoinKey,
    JoinKind,
    Project,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.affected_groups import LowerGroups
from slackwater.compiler.lowering.base import Builder
from slackwater.compiler.lowering.limit_prefix import first_rows_delta, prefix_delta
from slackwater.compiler.lowering.whole_state import hashed_changes, with_hash
from slackwater.expr.build import number
from slackwater.expr.functions import call
from slackwater.optimizer.rules.grouped import Grouped, grouped_window
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
from slackwater.plan.weighted import added, consolidated, read_changes, weight_of


class LowerGroupPrefix(LowerGroups[GroupLimit]):
    """D(group_limit(R)): of touched partitions the first rows of those so far and what arrived."""

    def __init__(self) -> None:
        """The groups are the partitions."""
        super().__init__(grouped_window)

    def delta(self, rel: GroupLimit, builder: Builder) -> Frame | None:
        """The first rows of touched partitions, less those that were; of all if none is indexed."""
        group = grouped_window(rel)
        changes = builder.delta(group.input)
        if changes is None:
            return None
        if group.is_one:
            return prefix_delta(group, changes, builder)
        touched = _touched(group, changes, builder)
        old = _kept_before(group, touched, builder)
        lost = _lost(group, touched, old, builder)
        candidates = _candidates(group, (touched, old), lost, builder)
        return first_rows_delta(group, candidates, old, builder)


def _touched(group: Grouped, changes: Frame, builder: Builder) -> Frame:
    """The net changes with the hashes of their partitions."""
    rel, fresh = group.rel, Fresh(group.rel, group.input)
    names = (*positions(rel), WEIGHT)
    given = read_changes(group.input, changes, fresh)
    net = builder.compute(rel, "net_input", consolidated(given, fresh, first=True), names)
    hashed = hashed_changes(group.input, net, group.given, fresh)
    return builder.compute(rel, "touched", hashed, (HASH, *names))


def _kept_before(group: Grouped, touched: Frame, builder: Builder) -> Frame:
    """The first rows of touched partitions before the run, with the hashes of these.

    Rows that are gone, but whose files are not merged yet, are left out by adding up.
    """
    rel, fresh = group.rel, Fresh(group.rel, group.input)
    hashes = builder.compute(rel, "hashes", Distinct(fresh.scan(touched, (HASH,))), (HASH,))
    found = builder.look_up(rel, "found", hashes, group.kept)
    kept = read_rows(rel, found, fresh.weight(STORED_WEIGHT), prefix="s")
    hashed = with_hash(consolidated(kept, fresh, first=True), group.kept, fresh)
    return builder.compute(rel, "groups_before", hashed, (HASH, *positions(rel), WEIGHT))


def _lost(group: Grouped, touched: Frame, old: Frame, builder: Builder) -> Frame:
    """The hashes of partitions of which a first row is taken away."""
    fresh = Fresh(group.rel, group.input)
    changes, kept = fresh.scan(touched), fresh.scan(old)
    gone = Filter(changes, call("<", weight_of(changes).ref(), number(0)))
    pairs = zip(changes.columns[:-1], kept.columns[:-1], strict=True)
    keys = tuple(JoinKey(one.ref(), other.ref(), null_safe=True) for one, other in pairs)
    met = Join(JoinKind.SEMI, gone, kept, keys)
    hashes = Distinct(Project(met, (pass_through(changes.columns[0]),)))
    return builder.compute(group.rel, "lost", hashes, (HASH,))


def _candidates(
    group: Grouped, frames: tuple[Frame, Frame], lost: Frame, builder: Builder
) -> Frame:
    """All rows of partitions that lost a first one; of others those they had, and what arrived."""
    rel, fresh = group.rel, Fresh(group.rel, group.input)
    names = (*positions(rel), WEIGHT)
    touched, _ = frames
    exposed = _of_lost(JoinKind.SEMI, touched, lost, fresh)
    again = builder.compute(rel, "exposed", exposed, (HASH, *names))
    rows = builder.gather(rel, "gathered", again, group.given)
    others = [_of_lost(JoinKind.ANTI, each, lost, fresh) for each in frames]
    shown = [Project(each, tuple(map(pass_through, each.columns[1:]))) for each in others]
    every = read_changes(group.input, rows, fresh, NEW)
    return builder.compute(rel, "candidates", added((every, *shown), fresh), names)


def _of_lost(kind: JoinKind, frame: Frame, lost: Frame, fresh: Fresh) -> Rel:
    """Rows of a frame whose partitions lost a first row, or of the others."""
    rows, hashes = fresh.scan(frame), fresh.scan(lost)
    return Join(kind, rows, hashes, (JoinKey(rows.columns[0].ref(), hashes.columns[0].ref()),))
