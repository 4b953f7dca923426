"""Operators that treat groups of rows separately: redone for the groups that changed.

Domain extraction for one input: only groups whose key hash occurs in the changes can differ.
Their rows are gathered as they are after the run, the ordinary operator is applied to them,
and what it gave before is taken from state. It is taken from there and not computed again,
because an answer that depends on the order of rows need not come out the same twice.
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
)
from slackwater.optimizer.rules.keys import contents, key_texts
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
        """The input's rows by group."""
        return contents(self.input, key_texts(self.input, self.inside))

    @property
    def kept(self) -> Arrangement:
        """The operator's rows by group."""
        return contents(self.rel, key_texts(self.rel, self.outside))

    @property
    def needs(self) -> tuple[Need, ...]:
        """The state to keep."""
        return (Need(self.given, self.input), Need(self.kept, self.rel))


def group_delta(group: Grouped, builder: Builder) -> str | None:
    """The new output of the touched groups, less the old one."""
    changes = builder.delta(group.input)
    if changes is None:
        return None
    rel = group.rel
    columns = ", ".join([*positions(group.input), "_w"])
    hashed = hash_sql(group.given.key)
    touching = f"SELECT {hashed} AS _h, {columns} FROM {changes}{_always(group, hashed)}"
    touched = builder.sql(rel, "touched", touching, (changes,))
    rows = builder.gather(rel, "rows_now", touched, group.given)
    again = positional(rel, group.apply(_repeated(group.input, rows)), "CAST(1 AS BIGINT)")
    new = builder.sql(rel, "groups_now", again, (rows,))
    hashes = builder.sql(rel, "hashes", f"SELECT DISTINCT _h FROM {touched}", (touched,))
    old = builder.look_up(rel, "groups_before", hashes, group.kept)
    now = "".join(f"{name}, " for name in positions(rel))
    gone = "".join(f"s{n} AS k{n}, " for n in range(len(rel.columns)))
    both = f"(SELECT {now}_w FROM {new} UNION ALL SELECT {gone}-_sw AS _w FROM {old})"
    return builder.sql(rel, "delta", consolidated(rel, both), (new, old))


def _always(group: Grouped, hashed: str) -> str:
    """One group in all has an answer over nothing too: it counts as touched by every run."""
    if group.given.key:
        return ""
    empty = "NULL, " * len(group.input.columns)
    return f" UNION ALL SELECT {hashed}, {empty}CAST(0 AS BIGINT)"


def _repeated(rel: Rel, frame: str) -> str:
    """The gathered rows under the names the operator uses, each as often as it counts."""
    pairs = [f"k{n} AS {column_name(column)}" for n, column in enumerate(rel.columns)]
    named = ", ".join(pairs) or "TRUE AS no_columns"
    copies = "LATERAL VIEW explode(sequence(CAST(1 AS BIGINT), _new)) copies AS copy"
    return f"(SELECT {named} FROM (SELECT * FROM {frame} WHERE _new > 0) {copies})"
