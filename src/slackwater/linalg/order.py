"""Puts the brackets of a product of many matrices where the fewest operations are."""

from __future__ import annotations

from functools import cache

from slackwater.linalg.build import factors, product, rebuilt
from slackwater.linalg.dims import Sizes
from slackwater.linalg.matrix_nodes import Expr, Product


def order_products(expr: Expr, sizes: Sizes) -> Expr:
    """The expression with each chain of products bracketed for the fewest operations.

    >>> from slackwater.linalg.dims import shape
    >>> from slackwater.linalg.matrix_nodes import Ref
    >>> from slackwater.linalg.matrix_text import print_expr
    >>> a, v = Ref("A", shape("n", "n")), Ref("v", shape("n", 1))
    >>> print(print_expr(order_products(Product(Product(a, a), v), {"n": 9})))
    A * (A * v)
    """
    if not isinstance(expr, Product):
        return rebuilt(expr, lambda child: order_products(child, sizes))
    return _bracketed(tuple(order_products(each, sizes) for each in factors(expr)), sizes)


def _bracketed(chain: tuple[Expr, ...], sizes: Sizes) -> Expr:
    dims = [each.shape.rows.value(sizes) for each in chain]
    dims.append(chain[-1].shape.cols.value(sizes))

    @cache
    def best(first: int, last: int) -> tuple[int, int]:
        """The fewest operations for matrices `first` to `last`, and where they are cut."""
        if first == last:
            return 0, first
        return min(
            (best(first, cut)[0] + best(cut + 1, last)[0] + _cost(first, cut, last), cut)
            for cut in range(first, last)
        )

    def _cost(first: int, cut: int, last: int) -> int:
        return dims[first] * dims[cut + 1] * dims[last + 1]

    def build(first: int, last: int) -> Expr:
        if first == last:
            return chain[first]
        cut = best(first, last)[1]
        return product(build(first, cut), build(cut + 1, last))

    return build(0, len(chain) - 1)
