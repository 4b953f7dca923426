"""Where the rows of a relation are, from where those of the frames below it are.

This is the law that every placed statement obeys: rows that must meet are in one partition, and
no row is counted in two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import assert_never

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
from slackwater.compiler.placement.column_forms import (
    column_forms,
    expand_forms,
    filter_equalities,
    group_forms,
    join_equalities,
    key_pairs,
    project_forms,
    union_forms,
)
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
    rewritten,
    value_forms,
)
from slackwater.expr.nodes import AggregateCall, Expr
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
_SAME_IN_ANY_ORDER = frozenset(["sum", "count", "min", "max", "bit_and", "bit_or", "bit_xor"])


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
            return moved(next(self._scans), column_forms(rel))
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
            case Filter() | Project() | Expand() | Generate() | Sort():
                return _row_by_row(operator, below[0])
            case Union():
                return self._union(operator, below)
            case Join():
                return self._join(operator, below[0], below[1])
            case Aggregate() | Distinct() | Window() | GroupLimit() | Limit():
                return self._of_groups(operator, below[0], grouped=grouped)
            case Recompute():
                return None
            case _:
                assert_never(operator)

    def _of_groups(
        self,
        rel: Aggregate | Distinct | Window | GroupLimit | Limit,
        below: Place,
        *,
        grouped: bool,
    ) -> Place | None:
        match rel:
            case Aggregate():
                return self._aggregate(rel, below, grouped=grouped)
            case Distinct():
                keys = tuple(column.ref() for column in rel.columns)
                met = below.everywhere or not grouped or self._meet(below, keys)
            case Window(partition=keys) | GroupLimit(partition=keys):
                met = self._meet(below, keys) and not (below.everywhere and self._strict)
            case Limit():
                met = self._meet(below, ()) and not below.everywhere
        return below if met else None

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
        unknown = None if self._strict else SPREAD
        if left.everywhere:
            fits = rel.kind in _KEEPS_RIGHT
            return _closed(Place(right.by), equal) if fits else unknown
        if right.everywhere:
            fits = rel.kind in _KEEPS_LEFT
            return _closed(left, equal) if fits else unknown
        if self._strict and not _aligned(rel, left, right):
            return None
        both = tuple(term for term in left.by if term == FIRST and term in right.by)
        keeps_left = rel.kind in _KEEPS_LEFT or not self._strict
        keeps_right = rel.kind in _KEEPS_RIGHT or not self._strict
        by = (*both, *(left.by if keeps_left else ()), *(right.by if keeps_right else ()))
        return _closed(Place(_few(by), equal=left.equal if keeps_left else ()), equal)


def _row_by_row(rel: Filter | Project | Expand | Generate | Sort, below: Place) -> Place:
    match rel:
        case Filter():
            return _closed(below, filter_equalities(rel))
        case Project():
            forms = project_forms(rel)
            shown = moved(below, forms)
            found = (
                Node(fact.head, (*fact.args[:2], value))
                for fact in found_equalities(rel)
                for value in rewritten(fact.args[2], forms)
            )
            return replace(shown, equal=(*shown.equal, *found))
        case Expand():
            return moved(below, expand_forms(rel))
        case Generate():
            by = (*below.by, *exploded_terms(ways_of(rel), below.by, below.equal))
            return replace(below, by=_few(by))
        case Sort():
            return below


def _aligned(rel: Join, left: Place, right: Place) -> bool:
    """Whether rows with equal keys are in one partition."""
    if rel.kind is JoinKind.NULL_AWARE_ANTI:
        return FIRST in left.by and FIRST in right.by
    there = {one: (other,) for one, other in key_pairs(rel)}
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
