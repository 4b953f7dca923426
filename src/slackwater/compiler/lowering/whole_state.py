"""All rows of a relation that no key divides: put together by statements, which spill."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Distinct, Join, JoinKey, JoinKind, Project
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.base import Builder
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.frames import HASH, NEW, WEIGHT, Frame, Fresh, positions
from slackwater.plan.weighted import added, adds_up, consolidated, read_changes


@dataclass(frozen=True, slots=True)
class Whole:
    """A relation kept row by row: the frames of what it held before the run and of its changes."""

    rel: Rel
    state: Arrangement
    before: Frame
    changes: Frame


def rows_after(owner: Rel, part: str, whole: Whole, builder: Builder) -> Frame:
    """All rows of a relation after the run; `part` begins the names of frames of their owner."""
    rel, fresh = whole.rel, Fresh(whole.rel)
    names = (*positions(rel), WEIGHT)
    before = read_changes(rel, whole.before, fresh)
    if all(adds_up(column.dtype) for column in rel.columns):
        both = added((before, read_changes(rel, whole.changes, fresh)), fresh)
        return builder.compute(owner, f"{part}rows_now", consolidated(both, fresh), names)
    hashed = hashed_changes(rel, whole.changes, whole.state, fresh)
    touched = builder.compute(owner, f"{part}touched", hashed, (HASH, *names))
    found = builder.gather(owner, f"{part}gathered", touched, whole.state)
    others = _untouched(with_hash(before, whole.state, fresh), fresh.scan(touched, (HASH,)))
    now = read_changes(rel, found, fresh, NEW)
    tree = added((others, now), fresh)
    return builder.compute(owner, f"{part}rows_now", tree, names)


def _untouched(rows: Project, touched: Rel) -> Project:
    """Rows, whose first column is a hash, of which no hash is touched."""
    hashes = Distinct(touched)
    key = JoinKey(rows.columns[0].ref(), hashes.columns[0].ref())
    others = Join(JoinKind.ANTI, rows, hashes, (key,))
    return Project(others, tuple(map(pass_through, rows.columns[1:])))


def hashed_changes(
    rel: Rel, frame: Frame, state: Arrangement, fresh: Fresh, weight: str = WEIGHT
) -> Project:
    """Changes of a relation with the hash under which an arrangement keeps them."""
    return with_hash(read_changes(rel, frame, fresh, weight), state, fresh)


def with_hash(table: Rel, state: Arrangement, fresh: Fresh) -> Project:
    """Weighted rows with the hash under which an arrangement keeps them before their columns."""
    outputs = fresh.outputs((state.hash_of(table.columns[:-1]),))
    return Project(table, (*outputs, *map(pass_through, table.columns)))
