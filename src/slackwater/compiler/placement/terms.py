"""Terms: expressions that say in which partition a row is, in a form that is quick to compare.

A term gives a hash. Inside a statement its leaves are the ids of columns, between two statements
they are the names that columns have in a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple, TypeAlias

from slackwater.errors import InvariantError
from slackwater.expr.nodes import Call, Cast, CastMode, ColumnRef, Expr, FieldAccess, Literal
from slackwater.plan.arrangements import hashable, key_hash
from slackwater.types import DataType, is_floating, parts_of, same_type

_MOST_FORMS = 8

Leaf = int | str


class Head(NamedTuple):
    """What a node of a term is, apart from its arguments."""

    kind: str
    name: str | None
    dtype: DataType | None
    params: tuple[str, ...] = ()


class Node(NamedTuple):
    """A function applied to other terms."""

    head: Head
    args: tuple[Term, ...]


Term: TypeAlias = "int | str | Node"

FIRST = Node(Head("first", None, None), ())
"""The place of rows that are all in the first partition."""

Forms = Mapping[Term, Sequence[Term]]
"""What may be written in place of a term."""


def read_term(
    expr: Expr, leaf: Callable[[ColumnRef], Leaf] = lambda column: column.id
) -> Term | None:
    """The term of an expression; None if it has parts that are not compared here."""
    match expr:
        case ColumnRef():
            return leaf(expr)
        case Literal(value=value, literal_type=dtype):
            return Node(Head("literal", value, dtype), ())
        case Call(function=function, args=args, call_type=dtype, params=params):
            return _node(Head("call", function, dtype, params), args, leaf)
        case Cast(child=child, target=dtype, mode=mode):
            return _node(Head("cast", mode.value, dtype), (child,), leaf)
        case FieldAccess(child=child, field=name, field_type=dtype):
            return _node(Head("field", name, dtype), (child,), leaf)
        case _:
            return None


def _node(head: Head, args: Iterable[Expr], leaf: Callable[[ColumnRef], Leaf]) -> Node | None:
    found = []
    for each in args:
        term = read_term(each, leaf)
        if term is None:
            return None
        found.append(term)
    return Node(head, tuple(found))


def write_term(term: Term, column: Callable[[Leaf], Expr]) -> Expr:
    """The expression of a term over some columns."""
    if not isinstance(term, Node):
        return column(term)
    args = tuple(write_term(each, column) for each in term.args)
    match term.head:
        case Head("literal", value, DataType() as dtype):
            return Literal(value, dtype)
        case Head("call", str(function), DataType() as dtype, params):
            return Call(function, args, dtype, True, params)
        case Head("cast", mode, DataType() as dtype):
            return Cast(args[0], dtype, CastMode(mode))
        case Head("field", str(name), DataType() as dtype):
            return FieldAccess(args[0], name, dtype, True)
    raise InvariantError(f"a place {term.head.kind} has no expression")


def hash_term(keys: Iterable[Expr]) -> Term | None:
    """The hash of key values as arrangements have it; None if a value cannot be hashed."""
    found = tuple(map(hashable, keys))
    known = tuple(each for each in found if each is not None)
    return read_term(key_hash(known)) if len(known) == len(found) else None


def leaves(term: Term) -> Iterator[Leaf]:
    """The columns of a term."""
    if isinstance(term, Node):
        for each in term.args:
            yield from leaves(each)
    else:
        yield term


def rewritten(term: Term, forms: Forms) -> tuple[Term, ...]:
    """Ways to say a term by other columns; none if one of its own is not known there.

    >>> rewritten(1, {1: ("k0", "k3")}), rewritten(2, {1: ("k0",)})
    (('k0', 'k3'), ())
    """
    found = dict.fromkeys(forms.get(term, ()))
    if isinstance(term, Node):
        args = [rewritten(each, forms) for each in term.args]
        combined = islice(product(*args), _MOST_FORMS)
        found.update(dict.fromkeys(Node(term.head, each) for each in combined))
    return tuple(found)[:_MOST_FORMS]


def equal_forms(term: Term, equal: Forms) -> tuple[Term, ...]:
    """A term, and ways to say it by columns that are equal to its own.

    >>> equal_forms(1, {1: (2,)})
    (1, 2)
    """
    found = dict.fromkeys((term, *equal.get(term, ())))
    if isinstance(term, Node) and term.args:
        args = [equal_forms(each, equal) for each in term.args]
        combined = islice(product(*args), _MOST_FORMS)
        found.update(dict.fromkeys(Node(term.head, each) for each in combined))
    return tuple(found)[:_MOST_FORMS]


def value_forms(expr: Expr) -> tuple[Term, ...]:
    """The terms that are equal wherever values are equal: for floating numbers without their sign.

    What is not hashed as it compares, or has floating numbers inside it, has none.
    """
    hashed = hashable(expr)
    nested = not is_floating(expr.dtype) and any(map(is_floating, parts_of(expr.dtype)))
    found = None if hashed is None or nested else read_term(hashed)
    return () if found is None else (found,)


def equal_pair(one: Expr, other: Expr) -> tuple[Term, Term] | None:
    """Terms of two values that are known to be equal; None if their hashes may differ."""
    if not same_type(one.dtype, other.dtype):
        return None
    forms = value_forms(one), value_forms(other)
    return (forms[0][0], forms[1][0]) if all(forms) else None
