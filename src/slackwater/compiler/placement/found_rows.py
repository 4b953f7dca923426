"""Rows that a look-up found for others, and rows that are made of both.

An aggregate takes the stored row of a group, found by the values of its key, and puts the group
back in its place: as one of several structs that it explodes. Wherever the group's key was, the
key of what comes out of that is too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.columns import Output
from slackwater.algebra.operators import Generate, Project
from slackwater.algebra.rel import Rel
from slackwater.compiler.placement.terms import (
    Head,
    Node,
    Term,
    equal_forms,
    equal_pair,
    read_term,
    rewritten,
)
from slackwater.expr.build import field_of
from slackwater.expr.nodes import (
    Call,
    ColumnRef,
    Expr,
    FieldAccess,
    Lambda,
    LambdaVariable,
    Literal,
)
from slackwater.expr.properties import conjuncts
from slackwater.types import StructType

_EQUAL_IF_KNOWN = Head("equal if known", None, None)


@remembered
def found_equalities(rel: Rel) -> tuple[Node, ...]:
    """What is equal in a row and in the one found for it, which is NULL if there is none.

    Each is a node of the found row, one of its values, and the value of the row it was found for,
    the last in terms of what is below the projection.
    """
    outputs = rel.outputs if isinstance(rel, Project) else ()
    return tuple(fact for output in outputs for fact in _equalities(output))


def _equalities(output: Output) -> Iterator[Node]:
    match output.expr:
        case Call(
            function="get",
            args=(Call(function="filter", args=(_, Lambda((row,), condition))), Literal(value="0")),
        ):
            for part in conjuncts(condition):
                match part:
                    case Call(function="<=>", args=(FieldAccess(child=child, field=name), other)):
                        if child == row and not _has_variables(other):
                            pair = equal_pair(field_of(output.column.ref(), name), other)
                            if pair is not None:
                                yield Node(_EQUAL_IF_KNOWN, (output.column.id, *pair))


def _has_variables(expr: Expr) -> bool:
    return isinstance(expr, LambdaVariable) or any(map(_has_variables, expr.children))


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which an exploded struct came about."""

    fields: Mapping[Term, Sequence[Term]]
    """What each field is, by its term over the struct."""
    values: Mapping[Term, Sequence[Term]]
    """The same the other way round."""
    known: Term | None
    """A value that is not NULL then."""


@remembered
def ways_of(rel: Rel) -> tuple[Way, ...]:
    """All ways in which the structs that a relation explodes come about; none if not known."""
    match rel:
        case Generate(
            generator=Call(
                function="explode",
                args=(Call(function="filter", args=(Call(function="array", args=structs), _)),),
            ),
            generated=(column,),
        ):
            return tuple(way for each in structs for way in _ways(each, column.ref()))
    return ()


def _ways(expr: Expr, row: ColumnRef) -> Iterator[Way]:
    known: Term | None = None
    if isinstance(expr, Call) and expr.function == "case" and len(expr.args) == 2:
        condition, expr = expr.args
        known = _known_if(condition)
    if not isinstance(expr, Call) or expr.function != "named_struct":
        yield Way({}, {}, None)
        return
    names, values = expr.args[::2], expr.args[1::2]
    conditions = {
        each.args[0]
        for each in values
        if isinstance(each, Call) and each.function == "case" and len(each.args) == 3
    }
    guards = {_known_if_not(each) for each in conditions}
    if len(conditions) == 1 and None not in guards and known is None:
        (guard,) = guards
        yield _way(row, names, [_branch(each, 1) for each in values], None)
        yield _way(row, names, [_branch(each, 2) for each in values], guard)
    else:
        yield _way(row, names, list(values), known)


def _branch(value: Expr, at: int) -> Expr:
    is_case = isinstance(value, Call) and value.function == "case" and len(value.args) == 3
    return value.children[at] if is_case else value


def _known_if(condition: Expr) -> Term | None:
    match condition:
        case Call(function="isnotnull", args=(value,)):
            return read_term(value)
    return None


def _known_if_not(condition: Expr) -> Term | None:
    match condition:
        case Call(function="isnull", args=(value,)):
            return read_term(value)
    return None


def _way(row: ColumnRef, names: Sequence[Expr], values: Sequence[Expr], known: Term | None) -> Way:
    fields: dict[Term, list[Term]] = {}
    inside: dict[Term, list[Term]] = {}
    known_names = (
        {each.name for each in row.dtype.fields} if isinstance(row.dtype, StructType) else set()
    )
    for name, value in zip(names, values, strict=True):
        term = read_term(value)
        if term is not None and isinstance(name, Literal) and name.value in known_names:
            field = read_term(field_of(row, str(name.value)))
            if field is not None:
                fields[field] = [term]
                inside.setdefault(term, []).append(field)
    return Way(fields, inside, known)


def exploded_terms(
    ways: Sequence[Way], by: Sequence[Term], equal: Sequence[Node]
) -> Iterator[Term]:
    """Terms over exploded structs by which rows are where they are, whichever struct it is."""
    candidates = dict.fromkeys(
        form for way in ways for term in by for form in rewritten(term, way.values)
    )
    for term in candidates:
        if all(_holds(term, way, by, equal) for way in ways):
            yield term


def _holds(term: Term, way: Way, by: Sequence[Term], equal: Sequence[Node]) -> bool:
    known: dict[Term, list[Term]] = {}
    for fact in equal:
        guard, found, value = fact.args
        if guard == way.known:
            known.setdefault(found, []).append(value)
    forms = (form for value in rewritten(term, way.fields) for form in equal_forms(value, known))
    return any(form in by for form in forms)
