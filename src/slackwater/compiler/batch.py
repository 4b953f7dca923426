"""Compiles a plan to one Spark SQL statement that computes it from scratch.

Inside it columns are named by their ids, so that no two clash whatever the user called them;
the user's names come back in the outermost SELECT.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.spark_sql import SparkPrinter


@dataclass(frozen=True, slots=True)
class FragmentUse:
    """A fragment the statement reads: a table of this name with columns p0, p1, ..."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class BatchStatement:
    """One SELECT that computes a plan, and the tables it expects to find."""

    sql: str
    sources: tuple[str, ...]
    fragments: tuple[FragmentUse, ...]


def compile_batch(rel: Rel, names: tuple[str, ...]) -> BatchStatement:
    """The statement that computes `rel`, its columns called by `names`.

    >>> from slackwater.algebra.columns import Column
    >>> from slackwater.algebra.operators import Limit
    >>> from slackwater.expr.nodes import ColumnId
    >>> from slackwater.types import INTEGER
    >>> table = Scan("t", (Column(ColumnId(1), "a", INTEGER),))
    >>> print(compile_batch(Limit(table, 5), ("a",)).sql)
    SELECT `a` FROM `t` LIMIT 5
    """
    sources = {each.source for each in walk_rel(rel) if isinstance(each, Scan)}
    printed = SparkPrinter().query(rel, names)
    return BatchStatement(printed, tuple(sorted(sources)), _fragments(rel))


def _fragments(rel: Rel) -> tuple[FragmentUse, ...]:
    widths = {
        each.fragment: len(each.columns) for each in walk_rel(rel) if isinstance(each, Recompute)
    }
    return tuple(FragmentUse(name, width) for name, width in sorted(widths.items()))
