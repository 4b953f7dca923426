"""Primary and foreign keys of a set of tables, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from slackwater.errors import DataError


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that name a row of `parent` by its primary key, in the order of that key.

    A row with a NULL among the columns refers to nothing, as in SQL.
    """

    columns: tuple[str, ...]
    parent: str


@dataclass(frozen=True, slots=True)
class TableKeys:
    """The keys of one table; without a primary key its rows form a bag."""

    primary: tuple[str, ...] = ()
    foreign: tuple[ForeignKey, ...] = ()


def parents_first(keys: Mapping[str, TableKeys]) -> list[str]:
    """The table names, each after all tables it refers to.

    >>> parents_first({"line": TableKeys((), (ForeignKey(("o",), "order"),)), "order": TableKeys()})
    ['order', 'line']
    """
    parents = {name: [key.parent for key in table.foreign] for name, table in keys.items()}
    missing = sorted({parent for names in parents.values() for parent in names} - set(keys))
    if missing:
        raise DataError(f"foreign keys refer to tables that are not given: {', '.join(missing)}")
    try:
        return list(TopologicalSorter(parents).static_order())
    except CycleError as problem:
        cycle = " -> ".join(problem.args[1])
        raise DataError(
            f"foreign keys form a cycle: {cycle}",
            hint="Leave one of them out; rows could not be inserted in any order.",
        ) from None
