"""All rows of a relation that no key divides: put together by statements, which spill."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.rel import Rel
from slackwater.optimizer.rules.base import Builder, adds_up, consolidated, positions
from slackwater.plan.arrangements import Arrangement, hash_sql


@dataclass(frozen=True, slots=True)
class Whole:
    """A relation kept row by row: the frames of what it held before the run and of its changes."""

    rel: Rel
    state: Arrangement
    before: str
    changes: str


def rows_after(owner: Rel, part: str, whole: Whole, builder: Builder) -> str:
    """What a relation holds after the run; `part` begins the names of frames of their owner."""
    rel, before, changes = whole.rel, whole.before, whole.changes
    names = "".join(f"{name}, " for name in positions(rel))
    if all(adds_up(column.dtype) for column in rel.columns):
        both = f"(SELECT {names}_w FROM {before} UNION ALL SELECT {names}_w FROM {changes})"
        text = consolidated(rel, both)
        return builder.sql(owner, f"{part}rows_now", text, (before, changes))
    hashed = f"SELECT {hash_sql(whole.state.key)} AS _h, {names}_w FROM"
    touched = builder.sql(owner, f"{part}touched", f"{hashed} {changes}", (changes,))
    found = builder.gather(owner, f"{part}gathered", touched, whole.state)
    text = (
        f"SELECT {names}_w FROM ({hashed} {before}) "
        f"LEFT ANTI JOIN (SELECT DISTINCT _h FROM {touched}) USING (_h) "
        f"UNION ALL SELECT {names}_new AS _w FROM {found}"
    )
    return builder.sql(owner, f"{part}rows_now", text, (before, touched, found))
