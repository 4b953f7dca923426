"""Where the rows of a relation are, from where those of the frames below it are.

This is the law that every placed statement obeys: rows that must meet are in one partition, and
no row is counted in two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import assert_never

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
    JoinKind,
    Limit,
    Project,
    Range,
    Recompute,
    Scan,
    Sort,
    Union,
    Values,
    Window,
    operator_of,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.placement.found_rows import (
    exploded_terms,
    found_equalities,
    ways_of,
)
from slackwater.compiler.placement.terms import (
    FIRST,
    Forms,
    Node,
    Term,
    equal_forms,
    equal_pair,
    read_term,
    rewritten,
    value_forms,
)
from slackwater.expr.facts import conjuncts
from slackwater.expr.nodes import AggregateCall, Call, Expr
from slackwater.types import is_floating

_MOST_TERMS = 24
_KEY = -1
"""Stands for any value that is equal for rows which must meet."""


@dataclass(frozen=True, slots=True)
class Place:
    """In which partitions the rows of a relation are.

    Each row is in one of them, by each of the terms `by`, or all rows are in every one.
    """

    by: tuple[Term, ...] = ()
    everywhere: bool = False
    equal: tuple[Node, ...] = ()
    """What is equal in rows and in those that were found for them."""


SPREAD = Place()
"""Each row is in some partition."""
EVERYWHERE = Place(everywhere=True)
AT_FIRST = Place((FIRST,))

_KEEPS_RIGHT = (JoinKind.INNER, JoinKind.CROSS, JoinKind.RIGHT)
_KEEPS_LEFT = (
    JoinKind.INNER,
    JoinKind.CROSS,
    JoinKind.LEFT,
    JoinKind.SEMI,
    JoinKind.ANTI,
    JoinKind.NULL_AWARE_ANTI,
    JoinKind.MARK,
    JoinKind.SINGLE,
)
"""Joins of which each result belongs to one row of that side, whatever is on the other."""
_SAME_IN_ANY_ORDER = frozenset("sum count min max bit_and bit_or bit_xor".split())


def place_of(rel: Rel, scans: Iterable[Place], *, grouped: bool = True) -> Place | None:
    """The place of a relation whose scans, from left to right, read frames in these places.

    None if it would come out wrong there. Where it is not `grouped`, the operator at the top gives
    a part of its result in every partition, to be put together elsewhere.
    """
    return _Placing(iter(scans), strict=True).place(rel, grouped=grouped)


def likely_place(rel: Rel, scans: Iterable[Place], *, grouped: bool = True) -> Place:
    """The same as if rows that must meet always did."""
    return _Placing(iter(scans), strict=False).place(rel, grouped=grouped) or SPREAD


class _Placing:
    """One walk over a relation; the scans are met in the order of their places."""

    def __init__(self, scans: Iterator[Place], *, strict: bool):
        self._scans = scans
        self._strict = strict

    def place(self, rel: Rel, *, grouped: bool = True) -> Place | None:
        """The place of a relation's rows."""
        if isinstance(rel, Scan):
            return moved(next(self._scans), _columns_of(rel))
        below = [self.place(each) for each in rel.inputs]
        known = [each for each in below if each is not None]
        if len(known) < len(below):
            return None
        return self._above(rel, known, grouped=grouped)

    def _above(self, rel: Rel, below: list[Place], *, grouped: bool) -> Place | None:
        operator = operator_of(rel)
        match operator:
            case Scan() | Values() | Range():
                return EVERYWHERE
            case Filter():
                return _closed(below[0], filter_equalities(operator))
            case Project():
                forms = project_forms(operator)
                shown = moved(below[0], forms)
                found = (
                    Node(fact.head, (*fact.args[:2], value))
                    for fact in found_equalities(operator)
                    for value in rewritten(fact.args[2], forms)
                )
                return replace(shown, equal=(*shown.equal, *found))
            case Expand():
                return moved(below[0], expand_forms(operator))
            case Generate():
                by = (*below[0].by, *exploded_terms(ways_of(rel), below[0].by, below[0].equal))
                return replace(below[0], by=_few(by))
            case Sort():
                return below[0]
            case Union():
                return self._union(operator, below)
            case Aggregate():
                return self._aggregate(operator, below[0], grouped=grouped)
            case Distinct():
                keys = tuple(column.ref() for column in rel.columns)
                met = below[0].everywhere or not grouped or self._meet(below[0], keys)
                return below[0] if met else None
            case Window(partition=keys) | GroupLimit(partition=keys):
                if below[0].everywhere and self._strict:
                    return None
                return below[0] if self._meet(below[0], keys) else None
            case Join():
                return self._join(operator, below[0], below[1])
            case Limit():
                return below[0] if not below[0].everywhere and self._meet(below[0], ()) else None
            case Recompute():
                return None
            case _:
                assert_never(operator)

    def _meet(self, place: Place, keys: Sequence[Expr]) -> bool:
        return not self._strict or bool(meeting(place.by, keys))

    def _union(self, rel: Union, below: list[Place]) -> Place | None:
        everywhere = [each.everywhere for each in below]
        if all(everywhere):
            return EVERYWHERE
        if any(everywhere):
            return None if self._strict else SPREAD
        pairs = zip(below, union_forms(rel), strict=True)
        first, *others = (moved(place, forms).by for place, forms in pairs)
        if self._strict:
            return Place(tuple(term for term in first if all(term in each for each in others)))
        return Place(_few(term for branch in (first, *others) for term in branch))

    def _aggregate(self, rel: Aggregate, below: Place, *, grouped: bool) -> Place | None:
        if below.everywhere:
            return EVERYWHERE if comes_out_alike(rel) else None
        if not rel.keys:
            # It gives a row in every partition, also where there is none to add up.
            return None if grouped and self._strict else SPREAD
        keys = tuple(key.expr for key in rel.keys)
        if grouped and not self._meet(below, keys):
            return None
        return moved(below, group_forms(rel))

    def _join(self, rel: Join, left: Place, right: Place) -> Place | None:
        if left.everywhere and right.everywhere:
            return EVERYWHERE
        equal = join_equalities(rel) if rel.kind is JoinKind.INNER else {}
        if left.everywhere:
            fits = rel.kind in _KEEPS_RIGHT
            return _closed(Place(right.by), equal) if fits or not self._strict else None
        if right.everywhere:
            fits = rel.kind in _KEEPS_LEFT
            return _closed(left, equal) if fits or not self._strict else None
        if self._strict and not _aligned(rel, left, right):
            return None
        both = tuple(term for term in left.by if term == FIRST and term in right.by)
        keeps_left = rel.kind in _KEEPS_LEFT or not self._strict
        keeps_right = rel.kind in _KEEPS_RIGHT or not self._strict
        by = (*both, *(left.by if keeps_left else ()), *(right.by if keeps_right else ()))
        return _closed(Place(_few(by), equal=left.equal if keeps_left else ()), equal)


def _aligned(rel: Join, left: Place, right: Place) -> bool:
    """Whether rows with equal keys are in one partition."""
    if rel.kind is JoinKind.NULL_AWARE_ANTI:
        return FIRST in left.by and FIRST in right.by
    there = {one: (other,) for one, other in _pairs(rel)}
    return any(form in right.by for term in left.by for form in rewritten(term, there))


def meeting(by: Iterable[Term], keys: Sequence[Expr]) -> tuple[Term, ...]:
    """The terms by which all rows with equal keys are in one partition."""
    known = {form: (_KEY - n,) for n, key in enumerate(keys) for form in value_forms(key)}
    return tuple(term for term in by if rewritten(term, known))


def _few(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(islice(dict.fromkeys(terms), _MOST_TERMS))


def moved(place: Place, forms: Forms) -> Place:
    """A place in terms of other columns."""
    by = _few(form for term in place.by for form in rewritten(term, forms))
    equal = (form for fact in place.equal for form in rewritten(fact, forms))
    return Place(by, place.everywhere, tuple(form for form in equal if isinstance(form, Node)))


def _closed(place: Place, equal: Forms) -> Place:
    """A place in all terms that are equal there."""
    if place.everywhere or not equal:
        return place
    return replace(place, by=_few(form for term in place.by for form in equal_forms(term, equal)))


def comes_out_alike(rel: Rel) -> bool:
    """Whether partitions with the same rows get the same, in whatever order these are met."""
    return not any(map(_follows_order, walk_rel(rel)))


def _follows_order(rel: Rel) -> bool:
    if isinstance(rel, Aggregate):
        return not all(_alike(each.expr) for each in rel.aggregates)
    return isinstance(rel, Window | GroupLimit | Limit | Recompute)


def _alike(expr: Expr) -> bool:
    return (
        isinstance(expr, AggregateCall)
        and expr.function in _SAME_IN_ANY_ORDER
        and not is_floating(expr.dtype)
    )


@remembered
def _columns_of(rel: Rel) -> Forms:
    """The columns of a frame as those of a scan."""
    return {column.name: (column.id,) for column in rel.columns}


@remembered
def project_forms(rel: Rel) -> Forms:
    """What is below a projection in terms of its columns."""
    found: dict[Term, list[Term]] = {}
    for output in rel.outputs if isinstance(rel, Project) else ():
        term = read_term(output.expr)
        if term is not None:
            found.setdefault(term, []).append(output.column.id)
    return found


@remembered
def expand_forms(rel: Rel) -> Forms:
    """What is below an expansion in terms of the columns that are the same in every copy."""
    found: dict[Term, list[Term]] = {}
    for same, term in common_terms(rel).items():
        found.setdefault(term, []).append(same)
    return found


def common_terms(rel: Rel) -> dict[int, Term]:
    """The columns of an expansion that are the same in every copy, by what they are below it."""
    found: dict[int, Term] = {}
    if isinstance(rel, Expand):
        for n, column in enumerate(rel.columns):
            terms = {read_term(row[n]) for row in rel.projections}
            (term,) = terms if len(terms) == 1 else (None,)
            if term is not None:
                found[column.id] = term
    return found


@remembered
def union_forms(rel: Rel) -> tuple[Forms, ...]:
    """The columns of each branch in terms of those of the union."""
    found = []
    for branch in rel.inputs:
        forms: dict[Term, list[Term]] = {}
        for outer, inner in zip(rel.columns, branch.columns, strict=True):
            forms.setdefault(inner.id, []).append(outer.id)
        found.append(forms)
    return tuple(found)


@remembered
def group_forms(rel: Rel) -> Forms:
    """The values of keys below an aggregate in terms of its key columns."""
    found: dict[Term, list[Term]] = {}
    for key in rel.keys if isinstance(rel, Aggregate) else ():
        pair = equal_pair(key.expr, key.column.ref())
        if pair is not None:
            found.setdefault(pair[0], []).append(pair[1])
    return found


@remembered
def filter_equalities(rel: Rel) -> Forms:
    """What a condition says to be equal."""
    found: dict[Term, list[Term]] = {}
    for part in conjuncts(rel.condition) if isinstance(rel, Filter) else ():
        match part:
            case Call(function="=" | "<=>", args=(one, other)):
                _add(found, equal_pair(one, other))
    return found


@remembered
def join_equalities(rel: Rel) -> Forms:
    """What the keys of a join say to be equal in its pairs."""
    found: dict[Term, list[Term]] = {}
    for pair in _pairs(rel):
        _add(found, pair)
    return found


def _pairs(rel: Rel) -> list[tuple[Term, Term]]:
    keys = rel.keys if isinstance(rel, Join) else ()
    found = (equal_pair(key.left, key.right) for key in keys)
    return [pair for pair in found if pair is not None]


def _add(found: dict[Term, list[Term]], pair: tuple[Term, Term] | None) -> None:
    if pair is not None:
        one, other = pair
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
