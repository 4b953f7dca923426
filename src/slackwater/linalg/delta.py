"""Delta rules: how an expression changes when matrices in it do, as products of thin factors.

A delta is a sum of terms `left * right'`. Terms with a common factor are merged when they meet,
so that the delta of a product has rank r1 + r2 and not r1 + r2 + min(r1, r2):

    Δ(E F) = U1 (F' V1)' + (E U2 + U1 (V1' U2)) V2'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

from slackwater.errors import InvariantError
from slackwater.linalg.build import above, added, beside, product, scaled, transposed
from slackwater.linalg.dims import Dim, Shape
from slackwater.linalg.matrix_nodes import (
    Expr,
    HStack,
    Identity,
    Inverse,
    Power,
    PowerSum,
    Product,
    Recurrence,
    Ref,
    RowScale,
    Scale,
    Sum,
    Transpose,
    VStack,
    Zeros,
    names_read,
)
from slackwater.linalg.triggers import RowsChanged


@dataclass(frozen=True, slots=True)
class Term:
    """The matrix `left * right'`."""

    left: Expr
    right: Expr


Delta = tuple[Term, ...]
"""A sum of terms; the empty one says that nothing changes."""


class NotIncrementalError(Exception):
    """No rule gives this expression's delta as thin factors; the text says why."""


@dataclass(frozen=True, slots=True)
class DeltaRules:
    """The matrices that change, and the rows of a bag that come or go."""

    changes: Mapping[str, Delta]
    rows: RowsChanged | None = None

    def delta(self, expr: Expr) -> Delta:
        """By which terms the expression changes."""
        match expr:
            case Ref():
                return self.changes.get(expr.name, ())
            case Identity() | Zeros():
                return ()
            case Sum(left, right):
                return merged((*self.delta(left), *self.delta(right)))
            case Scale(factor, child):
                return tuple(Term(scaled(factor, t.left), t.right) for t in self.delta(child))
            case Transpose(child):
                return tuple(Term(t.right, t.left) for t in self.delta(child))
            case Product(left, right):
                return self._product(left, right)
            case HStack(parts):
                turned = self._stacked(tuple(transposed(part) for part in parts))
                return tuple(Term(t.right, t.left) for t in turned)
            case VStack(parts):
                return self._stacked(parts)
            case RowScale(weights, child):
                return tuple(Term(RowScale(weights, t.left), t.right) for t in self.delta(child))
            case Inverse() | Power() | PowerSum() | Recurrence():
                raise InvariantError(f"{type(expr).__name__} has no statement of its own")
            case _:
                assert_never(expr)

    def _product(self, left: Expr, right: Expr) -> Delta:
        if self.rows and isinstance(right, RowScale) and right.weights == self.rows.weights[0]:
            return self._row_sum(left, right.child, self.rows)
        of_left, of_right = self.delta(left), self.delta(right)
        first = (Term(t.left, times(transposed(right), t.right)) for t in of_left)
        second = (
            Term(added(times(left, t.left), applied(of_left, t.left)), t.right)
            if of_left
            else Term(times(left, t.left), t.right)
            for t in of_right
        )
        return merged((*first, *second))

    def _row_sum(self, left: Expr, right: Expr, rows: RowsChanged) -> Delta:
        """A sum over rows changes by the same sum over the rows that come or go."""
        changing = set(names_read(left) + names_read(right)) & self.changes.keys()
        if changing:
            raise NotIncrementalError(
                f"every row of {rows.bag} is multiplied by {', '.join(sorted(changing))}, "
                "which changes as well"
            )
        weighed = RowScale(rows.weights[1], _rows_of(right, rows))
        return (Term(transposed(_rows_of(transposed(left), rows)), transposed(weighed)),)

    def _stacked(self, parts: tuple[Expr, ...]) -> Delta:
        """Each block changes in its own rows; all others are zero there."""
        terms = []
        for number, part in enumerate(parts):
            for term in self.delta(part):
                blocks = [Zeros(Shape(each.shape.rows, rank_of(term))) for each in parts]
                filled = (*blocks[:number], term.left, *blocks[number + 1 :])
                terms.append(Term(above(*filled), term.right))
        return merged(terms)


def rank_of(term: Term) -> Dim:
    """The number of columns of the factors."""
    return term.left.shape.cols


def merged(terms: Iterable[Term]) -> Delta:
    """The terms with those that share a factor made one.

    >>> from slackwater.linalg.dims import shape
    >>> u, v, w = (Ref(name, shape("n", 1)) for name in "uvw")
    >>> len(merged([Term(u, v), Term(w, v)])), len(merged([Term(u, v), Term(w, u)]))
    (1, 2)
    """
    made: list[Term] = []
    for term in terms:
        for place, earlier in enumerate(made):
            if earlier.right == term.right:
                made[place] = Term(added(earlier.left, term.left), term.right)
                break
            if earlier.left == term.left:
                made[place] = Term(term.left, added(earlier.right, term.right))
                break
        else:
            made.append(term)
    return tuple(made)


def times(expr: Expr, thin: Expr) -> Expr:
    """The product with a thin factor, without ever computing a wide matrix on the way."""
    match expr:
        case Sum(left, right):
            return added(times(left, thin), times(right, thin))
        case Scale(factor, child):
            return scaled(factor, times(child, thin))
        case Product(left, right):
            return times(left, times(right, thin))
        case RowScale(weights, child):
            return RowScale(weights, times(child, thin))
        case VStack(parts):
            return VStack(tuple(times(part, thin) for part in parts))
        case Ref() | Identity() | Zeros() | Transpose() | Inverse() | HStack():
            return product(expr, thin)
        case Power() | PowerSum() | Recurrence():
            raise InvariantError(f"{type(expr).__name__} has no statement of its own")
        case _:
            assert_never(expr)


def applied(delta: Delta, thin: Expr) -> Expr:
    """A delta that is not empty, times a thin factor."""
    parts = (product(t.left, product(transposed(t.right), thin)) for t in delta)
    return reduce(added, parts)


def stacked(delta: Delta) -> Term:
    """The delta as one term, its factors side by side."""
    return Term(beside(*(t.left for t in delta)), beside(*(t.right for t in delta)))


def dense(delta: Delta) -> Expr:
    """The delta as one matrix."""
    return reduce(added, (product(t.left, transposed(t.right)) for t in delta))


def _rows_of(expr: Expr, rows: RowsChanged) -> Expr:
    """The rows that an expression over a bag has for the rows that come or go."""
    by_name = {each.name: changed for each, changed in rows.rows}
    match expr:
        case Ref():
            return by_name[expr.name]
        case Sum(left, right):
            return added(_rows_of(left, rows), _rows_of(right, rows))
        case Scale(factor, child):
            return scaled(factor, _rows_of(child, rows))
        case Product(left, right):
            return product(_rows_of(left, rows), right)
        case HStack(parts):
            return HStack(tuple(_rows_of(part, rows) for part in parts))
        case VStack() | RowScale() | Inverse() | Identity() | Zeros() | Transpose():
            raise NotIncrementalError(f"{type(expr).__name__} does not work on rows one by one")
        case Power() | PowerSum() | Recurrence():
            raise InvariantError(f"{type(expr).__name__} has no statement of its own")
        case _:
            assert_never(expr)
