"""Finds equal subexpressions and gives them one name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from slackwater.linalg.build import is_symmetric, rebuilt
from slackwater.linalg.matrix_nodes import Expr, Product, Ref, children
from slackwater.linalg.naming import Names

Definition = tuple[Ref, Expr]
"""A name and what it stands for."""


def share_products(definitions: Sequence[Definition], names: Names) -> list[Definition]:
    """The definitions with every product that occurs twice defined once, before its first use.

    >>> from slackwater.linalg.build import added
    >>> from slackwater.linalg.dims import shape
    >>> from slackwater.linalg.matrix_text import print_expr
    >>> a, b, c = (Ref(name, shape("n", "n")) for name in "ABC")
    >>> twice = [(b, added(Product(a, a), a)), (c, added(a, Product(a, a)))]
    >>> for target, value in share_products(twice, Names(["A", "B", "C"])):
    ...     print(target.name, ":=", print_expr(value))
    t1 := A * A
    B := t1 + A
    C := A + t1
    """
    sharing = _Sharing(definitions, names)
    for target, value in definitions:
        sharing.define(target, value)
    return sharing.made


class _Sharing:
    """Definitions made so far, and the names of the products among them."""

    def __init__(self, definitions: Sequence[Definition], names: Names):
        self.made: list[Definition] = []
        self._names = names
        self._uses = _count_uses([value for _, value in definitions])
        self._named: dict[Expr, Ref] = {}
        self._number = 0

    def define(self, target: Ref, value: Expr) -> None:
        """Add a definition in terms of what is named already."""
        made = self._named.get(value) or self._inside(value)
        self.made.append((target, made))
        if isinstance(value, Product):
            self._named.setdefault(value, target)

    def _inside(self, expr: Expr) -> Expr:
        return rebuilt(expr, self._shared)

    def _shared(self, expr: Expr) -> Expr:
        if expr in self._named:
            return self._named[expr]
        made = self._inside(expr)
        if not isinstance(expr, Product) or self._uses[expr] < 2:
            return made
        self._number += 1
        target = Ref(self._names.fresh(f"t{self._number}"), expr.shape, is_symmetric(expr))
        self.made.append((target, made))
        self._named[expr] = target
        return target


def _count_uses(exprs: Sequence[Expr]) -> Counter[Expr]:
    """The number of places that use each expression; what is inside a repeated one counts once."""
    uses: Counter[Expr] = Counter()
    waiting = list(reversed(exprs))
    while waiting:
        expr = waiting.pop()
        uses[expr] += 1
        if uses[expr] == 1:
            waiting.extend(reversed(children(expr)))
    return uses
