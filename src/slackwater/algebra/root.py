"""A query's root: order and limit apply when the answer is read, and need no stored state."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.algebra.operators import Limit, Project, Scan, Sort
from slackwater.algebra.rel import Rel


@dataclass(frozen=True, slots=True)
class SplitRoot:
    """The stored part of a view's query, and the part that is applied when it is read.

    `finish` holds the order, limit and projections at the root, outermost first.
    """

    stored: Rel
    finish: tuple[Rel, ...]

    def finished(self, stored: Rel) -> Rel:
        """The answer as a plan over what is stored."""
        rel = stored
        for each in reversed(self.finish):
            rel = each.with_inputs((rel,))
        return rel

    def as_table(self, stored: Rel) -> Rel:
        """The answer as others read it: a table has no order, but for which rows it keeps."""
        if self.limits:
            return _limits_below(self.finished(stored))
        rows = tuple(each for each in self.finish if not isinstance(each, Sort))
        return replace(self, finish=rows).finished(stored)

    def unlimited(self) -> Rel:
        """All rows that the answer could hold, in no order."""
        rows = tuple(each for each in self.finish if isinstance(each, Project))
        return replace(self, finish=rows).finished(self.stored)

    @property
    def limits(self) -> bool:
        """True if the answer is only a part of what is stored."""
        return any(isinstance(each, Limit) for each in self.finish)


def split_root(rel: Rel) -> SplitRoot:
    """Split a query into what is stored and its order and limit, which apply on read."""
    finish: list[Rel] = []
    current = rel
    while isinstance(current, Sort | Limit | Project):
        finish.append(current)
        current = current.inputs[0]
    while finish and isinstance(finish[-1], Project):
        current = finish.pop()
    return SplitRoot(current, tuple(finish))


def stored_scan(name: str, rel: Rel) -> Scan:
    """A scan of a view's stored rows, whose columns are called k0, k1, ..."""
    columns = (replace(column, name=f"k{n}") for n, column in enumerate(rel.columns))
    return Scan(name, tuple(columns))


def limit_before_projecting(rel: Rel) -> Rel:
    """Move a projection between a LIMIT and the order it reads above both."""
    if not isinstance(rel, Limit) or not isinstance(rel.input, Project):
        return rel
    return replace(rel.input, input=limit_before_projecting(replace(rel, input=rel.input.input)))


def _limits_below(rel: Rel) -> Rel:
    """The plan with every LIMIT below the projections it stands on."""
    inputs = tuple(map(_limits_below, rel.inputs))
    return limit_before_projecting(rel if inputs == rel.inputs else rel.with_inputs(inputs))
