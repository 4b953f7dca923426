"""How columns of an operator are said by those below it or beside it, one operator at a time."""

from __future__ import annotations

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.operators import Aggregate, Expand, Filter, Join, Project
from slackwater.algebra.rel import Rel
from slackwater.compiler.placement.terms import Forms, Term, equal_pair, read_term
from slackwater.expr.nodes import Call, Expr
from slackwater.expr.properties import conjuncts, referenced_columns


@remembered
def column_forms(rel: Rel) -> Forms:
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
    for pair in key_pairs(rel):
        _add(found, pair)
    return found


def key_pairs(rel: Rel) -> list[tuple[Term, Term]]:
    """The keys of both sides of a join, as far as their hashes agree where they are equal."""
    found = (equal_pair(left, right) for left, right in equal_sides(rel))
    return [pair for pair in found if pair is not None]


@remembered
def equal_sides(rel: Rel) -> tuple[tuple[Expr, Expr], ...]:
    """What is equal on both sides of every pair: keys, and what the rest of the condition says."""
    if not isinstance(rel, Join):
        return ()
    left, right = ({column.id for column in each.columns} for each in rel.inputs)
    found = [(key.left, key.right) for key in rel.keys]
    for part in conjuncts(rel.residual) if rel.residual is not None else ():
        match part:
            case Call(function="=" | "<=>", args=(one, other)):
                read, beside = referenced_columns(one), referenced_columns(other)
                if read and beside and read <= left and beside <= right:
                    found.append((one, other))
                elif read and beside and read <= right and beside <= left:
                    found.append((other, one))
    return tuple(found)


def _add(found: dict[Term, list[Term]], pair: tuple[Term, Term] | None) -> None:
    if pair is not None:
        one, other = pair
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
