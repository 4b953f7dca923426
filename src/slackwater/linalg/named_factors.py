"""The factors of a trigger: values that have names, in the order in which they are computed."""

from __future__ import annotations

from slackwater.linalg.delta import Term
from slackwater.linalg.dims import Dim, Shape
from slackwater.linalg.matrix_nodes import Expr, Identity, Inverse, Ref, Transpose
from slackwater.linalg.naming import Names
from slackwater.linalg.share import Definition, share_products
from slackwater.linalg.triggers import Assign, Compress, Guard, Step


class NamedFactors:
    """The factors that have been named so far."""

    def __init__(self, names: Names):
        """No name is given yet."""
        self._names = names
        self._definitions: list[Definition] = []
        self._known: dict[Expr, Expr] = {}
        """Factors by value: a factor that has a name is merged by it."""
        self._compressed: list[Compress] = []

    def known(self, value: Expr) -> Expr:
        """The name of a value, if it has one."""
        return self._known.get(value, value)

    def assign(self, name: str, value: Expr) -> Expr:
        """A name for a factor, unless it is simple enough without."""
        if isinstance(value, Ref | Identity) or _is_turned_ref(value):
            return value
        return self._named(name, value)

    def compress(self, name: str, term: Term, rank: Dim) -> Term:
        """The term with fewer columns, by names of its own."""
        left, right = (
            Ref(self._names.fresh(f"{side}c_{name}"), Shape(size, rank))
            for side, size in (("U", term.left.shape.rows), ("V", term.right.shape.rows))
        )
        given = (self._named(f"U_{name}", term.left), self._named(f"V_{name}", term.right))
        self._compressed.append(Compress(*given, left, right))
        return Term(left, right)

    def steps(self) -> list[Step]:
        """All of them, each product computed once; compressions right after what they compress."""
        waiting = list(self._compressed)
        placed: list[Step] = []
        done: set[str] = set()
        for target, value in share_products(self._definitions, self._names):
            placed.append(_factor_step(target, value))
            done.add(target.name)
            ready = [each for each in waiting if {each.left.name, each.right.name} <= done]
            placed += ready
            waiting = [each for each in waiting if each not in ready]
        return placed

    def _named(self, name: str, value: Expr) -> Ref:
        if isinstance(value, Ref):
            return value
        target = Ref(self._names.fresh(name), value.shape)
        self._known.setdefault(value, target)
        self._definitions.append((target, value))
        return target


def _factor_step(target: Ref, value: Expr) -> Assign | Guard:
    return Guard(target, value.child) if isinstance(value, Inverse) else Assign(target, value)


def _is_turned_ref(value: Expr) -> bool:
    return isinstance(value, Transpose) and isinstance(value.child, Ref)
