"""Joins whose output depends on whether a match exists: redone for the keys that changed.

Domain extraction: only rows whose key hash occurs in the changes of either side can come or
go. Their rows on both sides are gathered, the ordinary join is applied to how they were and
how they are, and the difference is the change. A join that keeps the rows of its left side is
linear in them: there each change of the left side is joined by itself, and only rows that a
change of the right side touches are redone. Without an equality between the sides, the rows that
match a changed row of the other side take the place of the rows of its key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Join, JoinKind, Scan
from slackwater.algebra.rel import Rel
from slackwater.algebra.sql import column_name
from slackwater.expr.nodes import ColumnId
from slackwater.optimizer.rules.base import (
    PRINTER,
    Builder,
    consolidated,
    output_list,
    positions,
    settled,
)
from slackwater.optimizer.rules.join_keys import fails_on_pairs, fails_on_rows, side_keys
from slackwater.optimizer.rules.whole_state import Whole, rows_after
from slackwater.plan.arrangements import Arrangement, hash_sql
from slackwater.types import BIGINT

_KEEPS_LEFT = (
    JoinKind.LEFT,
    JoinKind.SEMI,
    JoinKind.ANTI,
    JoinKind.NULL_AWARE_ANTI,
    JoinKind.MARK,
    JoinKind.SINGLE,
)


@dataclass(frozen=True, slots=True)
class _Side:
    """One input of the join while its changes are worked out."""

    rel: Rel
    part: str
    changes: str | None
    hashed: tuple[str, ...]
    state: Arrangement


def join_delta(rel: Join, builder: Builder) -> str | None:
    """The changes of the join's output."""
    left, right = _sides(rel, builder)
    if left.changes is None and right.changes is None:
        return None
    if right.changes is None and rel.kind in _KEEPS_LEFT:
        return _one_driver(rel, left, right, builder)
    if left.changes is None and rel.kind is JoinKind.RIGHT:
        return _one_driver(rel, right, left, builder)
    # Where both sides change, these two have left rows that are gone meet right rows that are new.
    pairs_phantoms = left.changes is not None and fails_on_pairs(rel)
    if rel.kind in _KEEPS_LEFT and not pairs_phantoms:
        redo = _touched_by_right if left.hashed else _matching_rows
        return redo(rel, left, right, builder)
    one, other = _held(rel, left, right, builder), _held(rel, right, left, builder)
    both = _difference(rel, _joined(rel, one.new, other.new), _joined(rel, one.old, other.old))
    return builder.sql(rel, "delta", consolidated(rel, both), _frames(*one.frames, *other.frames))


def _touched_by_right(rel: Join, left: _Side, right: _Side, builder: Builder) -> str:
    """D(f(L, R)) = f(D(L), R after) + f(M, R after) - f(M, R before).

    M are the left rows as before the run under the keys that changed on the right.
    """
    rows = _held(rel, right, left, builder)
    kept = _held(rel, replace(left, changes=None), right, builder)
    both = _difference(rel, _joined(rel, kept.old, rows.new), _joined(rel, kept.old, rows.old))
    reads = [*kept.frames, *rows.frames]
    if left.changes is not None:
        both = _with_own(rel, left, rows.new, both)
        reads.append(left.changes)
    return builder.sql(rel, "delta", consolidated(rel, both), _frames(*reads))


def _with_own(rel: Join, left: _Side, now: tuple[str, str], others: str) -> str:
    """Changes found from the right, and those of the left side joined with the right as it is."""
    own = _joined(rel, _table(left.rel, left.changes or "", "_w", signed=True), now)
    columns = ", ".join([*positions(rel), "_w"])
    return f"(SELECT {columns} FROM {others} UNION ALL SELECT {columns} FROM ({own}))"


def _difference(rel: Rel, new: str, old: str) -> str:
    columns = ", ".join([*positions(rel), "_w"])
    gone = ", ".join([*positions(rel), "-_w AS _w"])
    return f"(SELECT {columns} FROM ({new}) UNION ALL SELECT {gone} FROM ({old}))"


def _sides(rel: Join, builder: Builder) -> tuple[_Side, _Side]:
    keys = side_keys(rel)
    settles = fails_on_rows(rel)
    left, right = (
        settled(each, builder) if settles else builder.delta(each) for each in rel.inputs
    )
    return (
        _Side(rel.left, "left", left, keys.left_hash, keys.left_state),
        _Side(rel.right, "right", right, keys.right_hash, keys.right_state),
    )


def _one_driver(rel: Join, driver: _Side, other: _Side, builder: Builder) -> str:
    """Only the side that decides which rows there are has changed: join its changes."""
    beside = _held(rel, other, driver, builder)
    changes = _table(driver.rel, driver.changes or "", "_w", signed=True)
    pair = (changes, beside.new) if driver.part == "left" else (beside.new, changes)
    reads = _frames(driver.changes or "", *beside.frames)
    return builder.sql(rel, "delta", _joined(rel, *pair), reads)


def _matching_rows(rel: Join, left: _Side, right: _Side, builder: Builder) -> str:
    """D(f(L, R)) = f(D(L), R after) + f(M, R after) - f(M, R before).

    M are the left rows as before the run that match a changed row of R, be it one that came
    or one that went; all other left rows find what they found before.
    """
    changes = right.changes or ""
    rows = _held(rel, right, left, builder)
    net = builder.sql(rel, "right_net", consolidated(right.rel, changes), (changes,))
    kept = builder.state_rows(rel, "left_before", left.state)
    one = f"(SELECT {_names(left.rel)}_w FROM {kept})"
    other = f"(SELECT {_names(right.rel)}TRUE AS changed FROM {net})"
    condition = PRINTER.condition(rel)
    found = f"SELECT {output_list(left.rel, '_w')} FROM {one} LEFT SEMI JOIN {other} ON {condition}"
    matching = builder.sql(rel, "left_matching", found, (kept, net))
    touched = _table(left.rel, matching, "_w")
    both = _difference(rel, _joined(rel, touched, rows.new), _joined(rel, touched, rows.old))
    reads = [matching, *rows.frames]
    if left.changes is not None:
        both = _with_own(rel, left, rows.new, both)
        reads.append(left.changes)
    return builder.sql(rel, "delta", consolidated(rel, both), _frames(*reads))


def _names(rel: Rel) -> str:
    return "".join(f"k{n} AS {column_name(column)}, " for n, column in enumerate(rel.columns))


@dataclass(frozen=True, slots=True)
class _Held:
    """Rows of a side that the run may touch, as tables with their weights, and what is read."""

    old: tuple[str, str]
    new: tuple[str, str]
    frames: tuple[str, ...]


def _held(rel: Join, side: _Side, other: _Side, builder: Builder) -> _Held:
    """The rows under the hashes that either side's changes touch; without a key all there are."""
    if side.hashed:
        rows = _gathered(rel, side, other, builder)
        old, new = (_table(side.rel, rows, weight) for weight in ("_old", "_new"))
        return _Held(old, new, (rows,))
    beside = other.changes if side.changes is None else None
    before = builder.state_rows(rel, f"{side.part}_before", side.state, beside)
    after = before
    if side.changes is not None:
        whole = Whole(side.rel, side.state, before, side.changes)
        after = rows_after(rel, f"{side.part}_", whole, builder)
    frames = _frames(before, after)
    return _Held(_table(side.rel, before, "_w"), _table(side.rel, after, "_w"), frames)


def _frames(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _gathered(rel: Join, side: _Side, other: _Side, builder: Builder) -> str:
    """All rows of a side under the hashes that either side's changes touch."""
    selects, reads = [], []
    if side.changes is not None:
        kept = ", ".join([*positions(side.rel), "_w"])
        selects.append(f"SELECT {hash_sql(side.hashed)} AS _h, {kept} FROM {side.changes}")
        reads.append(side.changes)
    if other.changes is not None:
        # Beside rows of the side NULL gets its type from them.
        typed = "CAST(NULL AS {})" if side.changes is None else "NULL"
        nothing = (typed.format(column.dtype.sql()) for column in side.rel.columns)
        empty = "".join(f"{text} AS k{n}, " for n, text in enumerate(nothing))
        mark = f"{hash_sql(other.hashed)} AS _h, {empty}CAST(0 AS BIGINT) AS _w"
        selects.append(f"SELECT {mark} FROM {other.changes}")
        reads.append(other.changes)
    marked = builder.sql(
        rel, f"{side.part}_touched", " UNION ALL ".join(selects), tuple(dict.fromkeys(reads))
    )
    return builder.gather(rel, f"{side.part}_rows", marked, side.state)


def _table(rel: Rel, frame: str, weight: str, *, signed: bool = False) -> tuple[str, str]:
    """A frame under the names that the join's expressions use, and the SQL of its weight."""
    present = "" if signed else f" WHERE {weight} > 0"
    return f"SELECT {_names(rel)}{weight}", f"FROM {frame}{present}"


def _joined(rel: Join, left: tuple[str, str], right: tuple[str, str]) -> str:
    """The ordinary join of two weighted tables."""
    used = max((c.id for side in rel.inputs for c in side.columns), default=0)
    if rel.mark is not None:
        used = max(used, rel.mark.id)
    one = Column(ColumnId(used + 1), "left_weight", BIGINT, nullable=False)
    two = Column(ColumnId(used + 2), "right_weight", BIGINT, nullable=False)
    weighted = replace(
        rel,
        left=Scan("left", (*rel.left.columns, one)),
        right=Scan("right", (*rel.right.columns, two)),
    )
    left_table = f"({left[0]} AS {column_name(one)} {left[1]})"
    right_table = f"({right[0]} AS {column_name(two)} {_repeated(rel, right)})"
    tables = (left_table, right_table)
    select = PRINTER.select(weighted, tables) if rel.mark is None else _marked(weighted, tables)
    return f"SELECT {output_list(rel, _weight(rel, one, two))} FROM ({select})"


def _marked(rel: Join, tables: tuple[str, str]) -> str:
    """The left rows with a match and those without one.

    EXISTS as a column says the same, but below a union Spark's optimizer loses its columns when
    a condition on the mark is moved there.
    """
    kept = ", ".join(column_name(column) for column in rel.left.columns)
    parts = []
    for kind, mark in ((JoinKind.SEMI, "TRUE"), (JoinKind.ANTI, "FALSE")):
        found = PRINTER.select(replace(rel, kind=kind, mark=None), tables)
        parts.append(f"SELECT {kept}, {mark} AS {column_name(rel.columns[-1])} FROM ({found})")
    return " UNION ALL ".join(parts)


def _repeated(rel: Join, right: tuple[str, str]) -> str:
    """A second match is an error in a SINGLE join, so a row that counts twice appears twice."""
    if rel.kind is not JoinKind.SINGLE:
        return right[1]
    weight = right[0].rsplit(" ", 1)[1]
    table, _, present = right[1].partition(" WHERE ")
    return f"{table} LATERAL VIEW explode(sequence(1, {weight})) copies AS copy WHERE {present}"


def _weight(rel: Join, left: Column, right: Column) -> str:
    one, two = column_name(left), column_name(right)
    match rel.kind:
        case JoinKind.LEFT:
            return f"{one} * coalesce({two}, 1)"
        case JoinKind.RIGHT:
            return f"coalesce({one}, 1) * {two}"
        case JoinKind.FULL:
            return f"coalesce({one}, 1) * coalesce({two}, 1)"
        case _:
            return one
