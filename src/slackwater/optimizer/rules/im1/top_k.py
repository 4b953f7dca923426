"""LIMIT below the root: the first rows of an order.

At the root of a view no rule is needed: there order and limit apply when it is read.
"""

from __future__ import annotations

from slackwater.algebra.operators import Limit, Sort
from slackwater.algebra.rel import Rel
from slackwater.algebra.sql import column_name
from slackwater.optimizer.facts import Facts, is_bounded
from slackwater.optimizer.rules.affected_groups import Grouped, group_delta
from slackwater.optimizer.rules.base import (
    PRINTER,
    Builder,
    Need,
    Rule,
    consolidated,
    groupable,
    plain_input,
    positional,
    positions,
)

_MOST_KEPT = 10_000
"""A longer prefix is not worth reading in every run."""


class RedoLimit(Rule[Limit]):
    """D(limit(R)): the whole input is one group, so it is ordered and cut again from state."""

    name = "limit"
    operator = Limit

    def recomputes(self, rel: Limit) -> str | None:
        """Any row may move up."""
        if is_bounded(rel.input):
            return None
        return "a LIMIT below the root takes the first rows of its whole input"

    def unstable(self, _rel: Limit) -> bool:
        """Ties at the cut may fall either way."""
        return True

    def needs(self, rel: Limit, _facts: Facts) -> tuple[Need, ...]:
        """All rows, and those that passed."""
        return _grouped(rel).needs

    def delta(self, rel: Limit, builder: Builder) -> str | None:
        """The rows that pass now, less those that passed."""
        return group_delta(_grouped(rel), builder)

    def rows(self, rel: Limit, builder: Builder) -> str:
        """Order and limit in one statement: an order does not survive between statements."""
        grouped = _grouped(rel)
        source = builder.rows(grouped.input)
        text = positional(rel, grouped.apply(plain_input(grouped.input, source)))
        return builder.sql(rel, "rows", text, (source,))


class GuardTopK(RedoLimit):
    """D(top(R)): the first rows are those of the first rows so far and of what arrived.

    A deleted row that was not among them changes nothing. Only when one of them goes, and
    others had been cut off, are all rows read again.
    """

    name = "top_k"

    def refuses(self, rel: Limit, _facts: Facts) -> str | None:
        """The kept prefix must be short, begin at the first row, and be comparable."""
        if rel.count is None or rel.offset or rel.count > _MOST_KEPT:
            return "the rows to keep are not a short beginning of their order"
        if not all(groupable(column.dtype) for column in rel.columns):
            return "changes of such columns cannot be added up before they are used"
        return None

    def recomputes(self, _rel: Limit) -> str | None:
        """Only the first rows are read in most runs."""
        return None

    def delta(self, rel: Limit, builder: Builder) -> str | None:
        """The rows that pass now, less those that passed."""
        group = _grouped(rel)
        changes = builder.delta(group.input)
        if changes is None:
            return None
        net = builder.sql(rel, "net", consolidated(group.input, changes), (changes,))
        near = builder.gather(rel, "near", _marked(rel, net, builder), group.kept)
        guard = builder.sql(rel, "guard", _guard(rel, near), (near,))
        kept = ", ".join([*positions(rel), "_w"])
        exposed = f"SELECT CAST(0 AS BIGINT) AS _h, {kept} FROM {net} CROSS JOIN {guard}"
        marked = builder.sql(rel, "exposed", f"{exposed} WHERE _again", (net, guard))
        every = builder.gather(rel, "exposed_rows", marked, group.given)
        cut = PRINTER.select(rel, (_ordered(rel, _candidates(rel, near, every, guard)),))
        again = positional(rel, cut, "CAST(1 AS BIGINT)")
        new = builder.sql(rel, "rows_now", again, (near, every, guard))
        names = "".join(f"{name}, " for name in positions(rel))
        gone = f"SELECT {names}-_old AS _w FROM {near} WHERE _old > 0"
        both = f"(SELECT {names}_w FROM {new} UNION ALL {gone})"
        return builder.sql(rel, "delta", consolidated(rel, both), (new, near))


def _marked(rel: Limit, net: str, builder: Builder) -> str:
    """The changes beside the rows that passed; the mark brings all of the latter."""
    names = ", ".join([*positions(rel), "_w"])
    nulls = "NULL, " * len(rel.columns)
    text = (
        f"SELECT CAST(0 AS BIGINT) AS _h, {names} FROM {net} "
        f"UNION ALL SELECT CAST(0 AS BIGINT), {nulls}CAST(0 AS BIGINT)"
    )
    return builder.sql(rel, "beside", text, (net,))


def _guard(rel: Limit, near: str) -> str:
    """Whether a row that passed has gone while others may be waiting behind the cut."""
    gone = "count_if(_old > 0 AND _new < _old) > 0"
    return f"SELECT {gone} AND coalesce(sum(_old), 0) >= {rel.count} AS _again FROM {near}"


def _candidates(rel: Limit, near: str, every: str, guard: str) -> str:
    """The rows among which the first ones are, each as often as it can count."""
    named = "".join(f"k{n} AS {column_name(c)}, " for n, c in enumerate(rel.columns))
    names = "".join(f"{name}, " for name in positions(rel))
    rows = (
        f"SELECT {names}_new FROM {every} UNION ALL "
        f"SELECT {names}_new FROM {near} CROSS JOIN {guard} WHERE NOT _again"
    )
    copies = f"explode(sequence(CAST(1 AS BIGINT), least(_new, CAST({rel.count} AS BIGINT))))"
    return f"(SELECT {named}{copies} AS copy FROM (SELECT * FROM ({rows}) WHERE _new > 0))"


def _ordered(rel: Limit, table: str) -> str:
    order = rel.input
    return f"({PRINTER.select(order, (table,))})" if isinstance(order, Sort) else table


def _unordered(rel: Limit) -> Rel:
    return rel.input.input if isinstance(rel.input, Sort) else rel.input


def _grouped(rel: Limit) -> Grouped:
    def apply(table: str) -> str:
        return PRINTER.select(rel, (_ordered(rel, table),))

    return Grouped(rel, _unordered(rel), (), (), apply)


class IgnoreOrder(Rule[Sort]):
    """D(sort(R)) = D(R): a relation has no order; only a LIMIT above reads it, from its rows."""

    name = "sort"
    operator = Sort

    def delta(self, rel: Sort, builder: Builder) -> str | None:
        """The changes of the input."""
        return builder.delta(rel.input)
