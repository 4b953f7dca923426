"""Finds by which columns the frames below a relation had better be divided.

Nothing here must be right: what is proposed is tried, and `place_of` decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
    Project,
    Scan,
    Union,
    Window,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.placement.column_forms import (
    common_terms,
    equal_sides,
    filter_equalities,
    join_equalities,
)
from slackwater.compiler.placement.division import (
    EVERYWHERE,
    SPREAD,
    Place,
    likely_place,
    meeting,
)
from slackwater.compiler.placement.found_rows import ways_of
from slackwater.compiler.placement.terms import (
    Forms,
    Term,
    equal_forms,
    hash_term,
    leaves,
    read_term,
    rewritten,
)
from slackwater.expr.nodes import Expr
from slackwater.expr.properties import may_raise

Wish: TypeAlias = "Term | Place | None"
"""A term to divide a frame by, or `EVERYWHERE`; None if any place will do."""
Wishes = tuple[Wish, ...]
"""One for each scan, from left to right."""


def pushed(rel: Rel, term: Term) -> Wishes:
    """Where the frames below had better be so that the relation is divided by a term."""
    match rel:
        case Scan():
            names: Forms = {column.id: (column.name,) for column in rel.columns}
            return (_first(rewritten(term, names)),)
        case Filter():
            tried = (pushed(rel.input, form) for form in equal_forms(term, filter_equalities(rel)))
            return _best(tried, rel)
        case Project() | Aggregate():
            outputs = rel.outputs if isinstance(rel, Project) else rel.keys
            below: Forms = {
                each.column.id: (found,)
                for each in outputs
                if (found := read_term(each.expr)) is not None and not may_raise(each.expr)
            }
            return _best((pushed(rel.input, form) for form in rewritten(term, below)), rel)
        case Expand():
            same: Forms = {column: (found,) for column, found in common_terms(rel).items()}
            return _best((pushed(rel.input, form) for form in rewritten(term, same)), rel)
        case Union():
            return _into_branches(rel, term)
        case Join():
            return _into_sides(rel, term)
        case Generate():
            forms = [form for way in ways_of(rel) for form in rewritten(term, way.fields)]
            return _best((pushed(rel.input, form) for form in (term, *forms)), rel)
        case _:
            return _best((pushed(each, term) for each in rel.inputs[:1]), rel)


def _into_branches(rel: Union, term: Term) -> Wishes:
    found: list[Wish] = []
    for branch in rel.branches:
        pairs = zip(rel.columns, branch.columns, strict=True)
        below: Forms = {outer.id: (inner.id,) for outer, inner in pairs}
        found += _best((pushed(branch, form) for form in rewritten(term, below)), branch)
    return tuple(found)


def _into_sides(rel: Join, term: Term) -> Wishes:
    """Both sides by the same key if the term is one, else one side by it and the other whole."""
    forms = equal_forms(term, join_equalities(rel))
    sides = [_first(_over(each, forms)) for each in rel.inputs]
    found: list[Wish] = []
    for each, form in zip(rel.inputs, sides, strict=True):
        if form is not None:
            found += pushed(each, form)
        elif any(side is not None for side in sides):
            found += [EVERYWHERE] * _width(each)
        else:
            found += [None] * _width(each)
    return tuple(found)


def _over(rel: Rel, forms: Sequence[Term]) -> tuple[Term, ...]:
    own = {column.id for column in rel.columns}
    return tuple(form for form in forms if own.issuperset(leaves(form)))


def _first(terms: Sequence[Term]) -> Term | None:
    return terms[0] if terms else None


def _best(tried: Iterator[Wishes], rel: Rel) -> Wishes:
    """The first that says something of every frame, or of some."""
    partial: Wishes | None = None
    for wishes in tried:
        if None not in wishes:
            return wishes
        if partial is None or partial.count(None) > wishes.count(None):
            partial = wishes
    return partial if partial is not None else (None,) * _width(rel)


def _width(rel: Rel) -> int:
    """How many scans a relation has."""
    return sum(isinstance(each, Scan) for each in walk_rel(rel))


def own_wishes(rel: Rel, natural: Sequence[Place], *, grouped: bool = True) -> list[Wishes]:
    """Divisions by which the relation's own operators find rows that must meet together.

    `natural` are the places of frames as far as nothing is moved.
    """
    found: dict[Wishes, None] = {}
    start = 0
    for each in rel.inputs:
        stop = start + _width(each)
        for wishes in own_wishes(each, natural[start:stop]):
            found[(None,) * start + wishes + (None,) * (len(natural) - stop)] = None
        start = stop
    if grouped:
        for terms in _own_terms(rel, natural):
            parts = zip(rel.inputs, terms, strict=True)
            found[tuple(wish for below, term in parts for wish in pushed(below, term))] = None
    return list(found)


def _own_terms(rel: Rel, natural: Sequence[Place]) -> Iterator[tuple[Term, ...]]:
    """For each input of an operator, a term by which rows that must meet are together."""
    keys: list[tuple[Expr, ...]]
    match rel:
        case Join():
            keys = list(equal_sides(rel))
        case Aggregate():
            keys = [(key.expr,) for key in rel.keys]
        case Distinct():
            keys = [(column.ref(),) for column in rel.columns]
        case Window() | GroupLimit():
            keys = [(expr,) for expr in rel.partition]
        case _:
            return
    kept = [key for key in keys if not any(map(may_raise, key))]
    for some in _subsets(kept):
        terms = tuple(hash_term(side) for side in zip(*some, strict=True))
        known = tuple(term for term in terms if term is not None)
        if len(known) == len(rel.inputs):
            yield known
    yield from _natural_terms(rel, kept, natural)


def _subsets(keys: list[tuple[Expr, ...]]) -> Iterator[tuple[tuple[Expr, ...], ...]]:
    """All keys, then all of those that can be hashed, then each alone, then pairs of them."""
    if not keys:
        return
    yield tuple(keys)
    hashed = tuple(key for key in keys if all(hash_term((side,)) is not None for side in key))
    if hashed and len(hashed) < len(keys):
        yield hashed
    if len(hashed) > 1:
        yield from ((key,) for key in hashed[:4])
    if len(hashed) > 2:
        yield from combinations(hashed[:3], 2)


def _natural_terms(
    rel: Rel, keys: list[tuple[Expr, ...]], natural: Sequence[Place]
) -> Iterator[tuple[Term, ...]]:
    """The places that rows which must meet have in common anyway."""
    start = 0
    for side, below in enumerate(rel.inputs):
        stop = start + _width(below)
        place = likely_place(below, natural[start:stop]) if keys else SPREAD
        for term in meeting(place.by, [key[side] for key in keys]):
            if not isinstance(rel, Join):
                yield (term,)
                continue
            other = _first(_over(rel.inputs[1 - side], equal_forms(term, join_equalities(rel))))
            if other is not None:
                yield (term, other) if side == 0 else (other, term)
        start = stop
