"""Compiles a plan to one Spark SQL statement that computes it from scratch.

Every operator becomes one common table expression over those of its inputs. Columns are
named by their ids, so that no two clash whatever the user called them; the user's names come
back in the last SELECT.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.sql import NO_COLUMNS, OperatorPrinter, column_name
from slackwater.expr.sql import quote_name


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
    WITH
      r1 AS (SELECT `a` AS c1 FROM `t`),
      r2 AS (SELECT c1 FROM r1 LIMIT 5)
    SELECT c1 AS `a` FROM r2
    """
    compiler = _BatchCompiler()
    root = compiler.compile(rel)
    outputs = [
        f"{column_name(column)} AS {quote_name(name)}"
        for column, name in zip(rel.columns, names, strict=True)
    ]
    steps = ",\n".join(f"  {name} AS ({text})" for name, text in compiler.steps)
    return BatchStatement(
        sql=f"WITH\n{steps}\nSELECT {', '.join(outputs) or NO_COLUMNS} FROM {root}",
        sources=tuple(sorted({each.source for each in walk_rel(rel) if isinstance(each, Scan)})),
        fragments=_fragments(rel),
    )


def _fragments(rel: Rel) -> tuple[FragmentUse, ...]:
    widths = {
        each.fragment: len(each.columns) for each in walk_rel(rel) if isinstance(each, Recompute)
    }
    return tuple(FragmentUse(name, width) for name, width in sorted(widths.items()))


class _BatchCompiler:
    """Collects one step per operator, inputs first."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []
        self._printer = OperatorPrinter()

    def compile(self, rel: Rel) -> str:
        """Add the steps for an operator and everything below it; return the last one's name."""
        inputs = tuple(self.compile(each) for each in rel.inputs)
        text = self._printer.select(rel, inputs)
        name = f"r{len(self.steps) + 1}"
        self.steps.append((name, text))
        return name
