"""Where the rows of a step are, from where those of the frames that it reads are."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.compiler.placement.division import SPREAD, Place, likely_place, moved, place_of
from slackwater.compiler.placement.stored_places import hash_of_stored
from slackwater.compiler.placement.terms import FIRST, Forms, Term, leaves, rewritten
from slackwater.compiler.placement.unfuse import scans_of
from slackwater.compiler.placement.wishes import Wishes, pushed
from slackwater.plan.frames import HASH
from slackwater.plan.program import ComputeStep, GatherStep, LookUpStep, Step
from slackwater.plan.statements import Statement


def frames_of(step: Step) -> tuple[str, ...]:
    """The frames that a step reads: one for each scan of a statement."""
    if isinstance(step, ComputeStep):
        return tuple(each.source for each in scans_of(step.statement.rel))
    return step.reads


def step_place(step: Step, given: Sequence[Place], *, grouped: bool = True) -> Place | None:
    """The place of a step's rows; None if they would come out wrong.

    What is not `grouped` gives a part of its result in every partition.
    """
    match step:
        case ComputeStep(statement=statement):
            place = place_of(statement.rel, given, grouped=grouped)
            return None if place is None else _named(statement, place)
        case LookUpStep():
            return _found(step, given[0])
        case GatherStep():
            return _gathered(step, given[0]) if HASH in given[0].by else None
        case _:
            return SPREAD


def likely_step_place(step: Step, given: Sequence[Place], *, grouped: bool = True) -> Place:
    """The same as if rows that must meet always did."""
    match step:
        case ComputeStep(statement=statement):
            return _named(statement, likely_place(statement.rel, given, grouped=grouped))
        case LookUpStep():
            return _found(step, given[0])
        case GatherStep():
            return _gathered(step, given[0])
        case _:
            return SPREAD


def pushed_through(step: Step, term: Term) -> Wishes:
    """Where the frames of a step had better be so that its rows are divided by a term."""
    match step:
        case ComputeStep(statement=statement):
            pairs = zip(statement.names, statement.rel.columns, strict=True)
            forms = rewritten(term, {name: (column.id,) for name, column in pairs})
            return pushed(statement.rel, forms[0]) if forms else ()
        case LookUpStep(arrangement=arrangement):
            stored = {f"s{n}" for n in range(len(arrangement.types))}
            known: dict[Term, tuple[Term, ...]] = {
                leaf: (leaf,) for leaf in leaves(term) if leaf not in stored
            }
            hashed = hash_of_stored(arrangement, "s")
            if hashed is not None and not step.nested:
                known[hashed] = (HASH,)
            return rewritten(term, known)[:1]
        case GatherStep(arrangement=arrangement):
            return (HASH,) if term in (HASH, hash_of_stored(arrangement, "k")) else ()
        case _:
            return ()


def _named(statement: Statement, place: Place) -> Place:
    """The place of a statement's rows in terms of its frame."""
    pairs = zip(statement.names, statement.rel.columns, strict=True)
    return moved(place, {column.id: (name,) for name, column in pairs})


def _found(step: LookUpStep, place: Place) -> Place:
    """The place of what a look-up finds: where the rows that look up are."""
    columns = {leaf for term in (*place.by, *place.equal) for leaf in leaves(term) if leaf != HASH}
    forms: Forms = {leaf: (leaf,) for leaf in columns}
    carried = moved(place, forms)
    hashed = None if step.nested else hash_of_stored(step.arrangement, "s")
    if HASH not in place.by or hashed is None:
        return carried
    return Place((*carried.by, hashed), place.everywhere, carried.equal)


def _gathered(step: GatherStep, place: Place) -> Place:
    """The place of what is gathered under the hashes of some rows."""
    kept = tuple(term for term in place.by if term in (HASH, FIRST))
    hashed = hash_of_stored(step.arrangement, "k")
    found: tuple[Term, ...] = () if hashed is None or HASH not in kept else (hashed,)
    return Place((*kept, *found), place.everywhere)
