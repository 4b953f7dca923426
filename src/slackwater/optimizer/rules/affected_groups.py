"""Operators that treat groups of rows separately: redone for the groups that changed.

Domain extraction for one input: only groups whose key hash occurs in the changes can differ.
Their rows are gathered as they are after the run, the ordinary operator is applied to them,
and what it gave before is taken from state. It is taken from there and not computed again,
because an answer that depends on the order of rows need not come out the same twice.

Without a key all rows are one group, which every run touches. No worker could hold it: its rows
are kept by a hash of their own, and statements, which spill, put them together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater.algebra.rel import Rel
from slackwater.algebra.sql import column_name
from slackwater.expr.nodes import Expr
from slackwater.optimizer.rules.base import (
    Builder,
    Need,
    consolidated,
    positional,
    positions,
    repeated,
)
from slackwater.optimizer.rules.keys import contents, key_texts, whole_row
from slackwater.optimizer.rules.whole_state import Whole, rows_after
from slackwater.plan.arrangements import Arrangement, hash_sql


@dataclass(frozen=True, slots=True)
class Grouped:
    """An operator that treats groups of its input separately.

    `inside` is the group key over the input's columns, `outside` the same over its own;
    `apply` writes the operator over a table with the input's columns.
    """

    rel: Rel
    input: Rel
    inside: tuple[Expr, ...]
    outside: tuple[Expr, ...]
    apply: Callable[[str], str]

    @property
    def given(self) -> Arrangement:
        """The input's rows by group; row by row if there is only one."""
        return _by_group(self.input, self.inside)

    @property
    def kept(self) -> Arrangement:
        """The operator's rows by group; row by row if there is only one."""
        return _by_group(self.rel, self.outside)

    @property
    def is_one(self) -> bool:
        """Whether no key tells the groups apart in state."""
        return not key_texts(self.input, self.inside)

    @property
    def needs(self) -> tuple[Need, ...]:
        """The state to keep."""
        return (Need(self.given, self.input), Need(self.kept, self.rel))


def _by_group(rel: Rel, key: tuple[Expr, ...]) -> Arrangement:
    texts = key_texts(rel, key)
    return contents(rel, texts) if texts else whole_row(rel)


def group_delta(group: Grouped, builder: Builder) -> str | None:
    """The new output of the touched groups, less the old one."""
    changes = builder.delta(group.input)
    if changes is None:
        return None
    rel = group.rel
    rows, old = (_all_rows if group.is_one else _touched_rows)(group, changes, builder)
    again = positional(rel, group.apply(_under_its_names(group.input, rows)), "CAST(1 AS BIGINT)")
    new = builder.sql(rel, "groups_now", again, (rows,))
    names = _names(rel)
    both = f"(SELECT {names}_w FROM {new} UNION ALL SELECT {names}-_w AS _w FROM {old})"
    return builder.sql(rel, "delta", consolidated(rel, both), (new, old))


def _touched_rows(group: Grouped, changes: str, builder: Builder) -> tuple[str, str]:
    """The input of the touched groups after the run, and their output before it."""
    rel = group.rel
    touched = builder.sql(rel, "touched", _hashed(group, changes), (changes,))
    rows = builder.gather(rel, "gathered", touched, group.given)
    now = f"SELECT {_names(group.input)}_new AS _w FROM {rows}"
    hashes = builder.sql(rel, "hashes", f"SELECT DISTINCT _h FROM {touched}", (touched,))
    found = builder.look_up(rel, "found", hashes, group.kept)
    gone = "".join(f"s{n} AS k{n}, " for n in range(len(rel.columns)))
    before = f"SELECT {gone}_sw AS _w FROM {found}"
    return (
        builder.sql(rel, "rows_now", now, (rows,)),
        builder.sql(rel, "groups_before", before, (found,)),
    )


def _all_rows(group: Grouped, changes: str, builder: Builder) -> tuple[str, str]:
    """The whole input after the run, and the whole output before it.

    An answer over nothing is an answer too, so neither depends on what changed.
    """
    rel = group.rel
    old = builder.state_rows(rel, "groups_before", group.kept)
    kept = builder.state_rows(rel, "rows_before", group.given)
    whole = Whole(group.input, group.given, kept, changes)
    return rows_after(rel, "", whole, builder), old


def _hashed(group: Grouped, changes: str) -> str:
    return f"SELECT {hash_sql(group.given.key)} AS _h, {_names(group.input)}_w FROM {changes}"


def _names(rel: Rel) -> str:
    return "".join(f"{name}, " for name in positions(rel))


def _under_its_names(rel: Rel, frame: str) -> str:
    """The rows under the names the operator uses, each as often as it counts."""
    pairs = (f"k{n} AS {column_name(column)}" for n, column in enumerate(rel.columns))
    return f"({repeated(pairs, frame)})"
