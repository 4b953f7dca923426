"""Brings a program into the form the compiler works on: plain statements, each simple enough."""

from __future__ import annotations

from functools import reduce

from slackwater.linalg.build import factors, inverse, product, rebuilt
from slackwater.linalg.dims import Dim, Shape, Sizes
from slackwater.linalg.iterations import expand_iterations
from slackwater.linalg.matrix_nodes import Expr, HStack, Inverse, Product, Ref, RowScale, VStack
from slackwater.linalg.matrix_program import Input, InputKind, Program, Statement
from slackwater.linalg.models import Exponential, Model
from slackwater.linalg.naming import Names
from slackwater.linalg.order import order_products
from slackwater.linalg.share import share_products


def normalize(program: Program, model: Model | None = None, sizes: Sizes | None = None) -> Program:
    """The program in plain statements; `model` is for iterative forms that name none.

    Forms are expanded first, as all else looks at plain statements. Rows are weighed before
    names are given, so that equal sums over rows stay equal. Products are ordered when sizes
    are known, and before sharing, because the order decides what is equal.
    """
    made = expand_iterations(program, model or Exponential())
    made = weigh_rows(made)
    made = name_parts(made)
    if sizes is not None:
        made = _order(made, sizes)
    return _share(made)


def weigh_rows(program: Program) -> Program:
    """The program with every sum over the rows of a bag counting each row by its weight."""
    names = Names(program.names)
    weights = {
        bag: Input(names.fresh(f"w_{bag}"), Shape(Dim(0, ((bag, 1),)), Dim(1)), InputKind.WEIGHTS)
        for bag in sorted(program.bags)
    }
    refs = {bag: each.ref for bag, each in weights.items()}
    statements = (each.rewritten(_weighed(each.value, refs)) for each in program.statements)
    return Program((*program.inputs, *weights.values()), tuple(statements), program.outputs)


def _weighed(expr: Expr, weights: dict[str, Ref]) -> Expr:
    if not isinstance(expr, Product):
        return rebuilt(expr, lambda child: _weighed(child, weights))
    made: list[Expr] = []
    for factor in (_weighed(each, weights) for each in factors(expr)):
        bag = factor.shape.rows.symbol
        if made and bag in weights:
            # The two factors beside a sum over rows belong together: X' * Y, not (W * X') * Y.
            made.append(Product(made.pop(), RowScale(weights[bag], factor)))
        else:
            made.append(factor)
    return reduce(product, made)


def name_parts(program: Program) -> Program:
    """The program with every inverse, block matrix and sum over rows a statement of its own.

    The delta of an inverse is made of the inverse itself, thin factors meet a block matrix as
    one matrix, and nobody wants to read all rows again: all three must be kept. What is
    inverted gets a name as well.
    """
    naming = _Naming(Names(program.names), program.bags)
    for statement in program.statements:
        value = naming.inside(statement.value, statement.name)
        naming.statements.append(statement.rewritten(value))
        naming.known[value] = naming.statements[-1].ref
    return Program(program.inputs, tuple(naming.statements), program.outputs)


class _Naming:
    """Statements made so far, and the values that have a name."""

    def __init__(self, names: Names, bags: frozenset[str]):
        self.statements: list[Statement] = []
        self.known: dict[Expr, Ref] = {}
        self._names = names
        self._bags = bags

    def inside(self, expr: Expr, near: str) -> Expr:
        """The expression with what is inside it named where it must be."""
        if isinstance(expr, Inverse):
            return inverse(self._named(self.inside(expr.child, near), f"{near}_arg"))
        return rebuilt(expr, lambda child: self._simple(child, near))

    def _simple(self, expr: Expr, near: str) -> Expr:
        made = self.inside(expr, near)
        if isinstance(made, Inverse):
            return self._named(made, f"{near}_inv")
        if isinstance(made, HStack | VStack) and not made.shape.names & self._bags:
            return self._named(made, f"{near}_blocks")
        if isinstance(made, Product) and isinstance(made.right, RowScale):
            return self._named(made, f"{near}_rows")
        return made

    def _named(self, value: Expr, name: str) -> Ref:
        if isinstance(value, Ref):
            return value
        if value not in self.known:
            self.statements.append(Statement(self._names.fresh(name), value))
            self.known[value] = self.statements[-1].ref
        return self.known[value]


def _order(program: Program, sizes: Sizes) -> Program:
    made = (each.rewritten(order_products(each.value, sizes)) for each in program.statements)
    return Program(program.inputs, tuple(made), program.outputs)


def _share(program: Program) -> Program:
    definitions = [(each.ref, each.value) for each in program.statements]
    shared = share_products(definitions, Names(program.names))
    statements = (Statement(ref.name, value, ref.symmetric) for ref, value in shared)
    return Program(program.inputs, tuple(statements), program.outputs)
