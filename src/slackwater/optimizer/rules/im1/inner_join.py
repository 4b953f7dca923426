"""Joins the changes of each side with what the other side holds."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.operators import Join, JoinKind
from slackwater.algebra.rel import Rel
from slackwater.algebra.sql import column_name
from slackwater.expr.facts import may_raise
from slackwater.expr.nodes import Expr
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.phantoms import holds_phantoms
from slackwater.optimizer.rules.base import (
    PRINTER,
    Builder,
    Need,
    Rule,
    consolidated,
    output_list,
    positions,
    settled,
    weighted_input,
)
from slackwater.optimizer.rules.join_keys import fails_on_rows, join_needs, side_keys
from slackwater.optimizer.rules.keys import stored_text
from slackwater.plan.arrangements import hash_sql


class JoinChanges(Rule[Join]):
    """D(L ⋈ R) = D(L) ⋈ R + L ⋈ D(R) + D(L) ⋈ D(R), where L and R are as before the run.

    Weights multiply. Each of the first two terms looks its rows up in the arrangement of the
    other side; the third joins the two changes. A side that cannot have changed drops two of
    the three terms. Without an equality between the sides every row is read instead.
    """

    name = "inner_join"
    operator = Join

    def refuses(self, rel: Join, _facts: Facts) -> str | None:
        """Only joins that keep nothing but pairs."""
        if rel.kind in (JoinKind.INNER, JoinKind.CROSS):
            return None
        return f"a {rel.kind.value} join depends on whether a match exists"

    def needs(self, rel: Join, _facts: Facts) -> tuple[Need, ...]:
        """Both sides by the join key."""
        return join_needs(rel)

    def delta(self, rel: Join, builder: Builder) -> str | None:
        """The terms whose changing side has changes."""
        left, right = _changes(rel, rel.left, builder), _changes(rel, rel.right, builder)
        paired = bool(rel.keys) or (left is not None and right is not None)
        late = paired and rel.residual is not None and may_raise(rel.residual)
        pairing = replace(rel, residual=None) if late else rel
        condition = PRINTER.condition(pairing)
        terms = []
        if left is not None:
            terms.append(self._one_side(rel, condition, left, builder, from_left=True))
        if right is not None:
            terms.append(self._one_side(rel, condition, right, builder, from_left=False))
        if left is not None and right is not None:
            terms.append(self._pairs(rel, condition, "both_term", (left, right), builder))
        if not terms:
            return None
        if len(terms) == 1 and not late:
            return terms[0]
        columns = ", ".join([*positions(rel), "_w"])
        text = " UNION ALL ".join(f"SELECT {columns} FROM {term}" for term in terms)
        if late and rel.residual is not None:
            text = _with_residual(rel, rel.residual, text)
        return builder.sql(rel, "delta", text, tuple(terms))

    def _one_side(
        self, rel: Join, condition: str, changes: str, builder: Builder, *, from_left: bool
    ) -> str:
        """Changes of one side with the rows the other side held before the run."""
        keys = side_keys(rel)
        part = "left" if from_left else "right"
        here, there = (rel.left, rel.right) if from_left else (rel.right, rel.left)
        state = keys.right_state if from_left else keys.left_state
        hashed = keys.left_hash if from_left else keys.right_hash
        if not hashed:
            rows = builder.state_rows(rel, f"{part}_rows", state, beside=changes)
            sides = (changes, rows) if from_left else (rows, changes)
            return self._pairs(rel, condition, f"{part}_term", sides, builder)
        kept = ", ".join([*positions(here), "_w"])
        probe = f"SELECT {hash_sql(hashed)} AS _h, {kept} FROM {changes}{_matching(rel, here)}"
        probing = builder.sql(rel, f"{part}_probe", probe, (changes,))
        carried = tuple(column.dtype for column in here.columns)
        found = builder.look_up(rel, f"{part}_found", probing, state, carried)
        pairs = f"(SELECT {_own(here)}{_stored(there)}_w * _sw AS _w FROM {found})"
        text = f"SELECT {output_list(rel, '_w')} FROM {pairs} WHERE {condition}"
        return builder.sql(rel, f"{part}_term", text, (found,))

    def _pairs(
        self, rel: Join, condition: str, part: str, sides: tuple[str, str], builder: Builder
    ) -> str:
        """Two weighted frames joined by Spark."""
        left, right = sides
        one = f"(SELECT {_own(rel.left)}_w AS _lw FROM {left})"
        other = f"(SELECT {_own(rel.right)}_w AS _rw FROM {right})"
        text = (
            f"SELECT {output_list(rel, '_lw * _rw')} FROM {one} INNER JOIN {other} ON {condition}"
        )
        return builder.sql(rel, part, text, tuple(dict.fromkeys((left, right))))


def _matching(rel: Join, side: Rel) -> str:
    """Which rows of a side can have a match: NULL equals nothing, but hashes as NULL does."""
    keys = [(key, key.left if side is rel.left else key.right) for key in rel.keys]
    known = [expr for key, expr in keys if not key.null_safe and expr.nullable]
    texts = [f"{stored_text(side, expr)} IS NOT NULL" for expr in known]
    return f" WHERE {' AND '.join(texts)}" if texts else ""


def _with_residual(rel: Join, residual: Expr, pairs: str) -> str:
    """The residual condition on pairs that are there, not on those that only cancel out."""
    net = weighted_input(rel, f"({consolidated(rel, f'({pairs})', first=True)})")
    return f"SELECT {output_list(rel, '_w')} FROM {net} WHERE {PRINTER.text(residual)}"


def _changes(rel: Join, side: Rel, builder: Builder) -> str | None:
    """The changes of a side: settled if the join might fail on them, and net without a key.

    Without a key each one meets the whole other side, so none may be idle.
    """
    changes = builder.delta(side)
    if changes is not None and fails_on_rows(rel) and holds_phantoms(side, builder):
        return settled(side, builder)
    if changes is None or side_keys(rel).left_hash:
        return changes
    return builder.sql(side, "net", consolidated(side, changes), (changes,))


def _own(rel: Rel) -> str:
    return "".join(f"k{n} AS {column_name(column)}, " for n, column in enumerate(rel.columns))


def _stored(rel: Rel) -> str:
    return "".join(f"s{n} AS {column_name(column)}, " for n, column in enumerate(rel.columns))
