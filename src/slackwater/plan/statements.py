"""Typed statements: relational operators over the frames of a program.

A statement is a tree of the algebra's own operators whose scans read frames: a scan's source is
the name of a frame, and its columns carry the names that columns have there (k0, k1, ..., `_w`).
Two printers write it, for Spark and for DuckDB. What a planner asks of a statement is derived
here: its columns, what it needs of each frame, how its rows may be divided, whether it may fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GroupLimit,
    Join,
    JoinKind,
    Limit,
    Project,
    Range,
    Recompute,
    Scan,
    Sort,
    Union,
    Values,
    Window,
    operator_of,
)
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.errors import InvariantError
from slackwater.expr.nodes import ColumnId, ColumnRef, Expr
from slackwater.expr.properties import may_raise, referenced_columns
from slackwater.types import BOOLEAN, Field

NO_COLUMNS = "no_columns"
"""Stands in for the columns of a relation that has none, so that its rows can be counted."""

Key = tuple[str, ...] | None
"""The columns of a frame by which its rows may be divided; None: they must stay together."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation over frames; `names` are those of its columns in the frame it makes.

    >>> from slackwater.algebra.columns import Column
    >>> from slackwater.types import BIGINT
    >>> scan = Scan("changes", (Column(ColumnId(1), "k0", BIGINT),))
    >>> Statement(scan, ("k0",)).needs
    {'changes': frozenset({'k0'})}
    """

    rel: Rel
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Every column has a name of its own."""
        if len(self.names) != len(self.rel.columns) or len(set(self.names)) != len(self.names):
            raise InvariantError(f"{len(self.rel.columns)} columns are called {self.names}")

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns of the frame it makes."""
        if not self.names:
            return (Field(NO_COLUMNS, BOOLEAN, False),)
        pairs = zip(self.names, self.rel.columns, strict=True)
        return tuple(Field(name, column.dtype, column.nullable) for name, column in pairs)

    @property
    def reads(self) -> tuple[str, ...]:
        """The frames it reads, each once."""
        scans = (each.source for each in walk_rel(self.rel) if isinstance(each, Scan))
        return tuple(dict.fromkeys(scans))

    @property
    def needs(self) -> Mapping[str, frozenset[str]]:
        """The columns it needs of every frame."""
        found: dict[str, frozenset[str]] = {}
        _collect_needs(self.rel, frozenset(column.id for column in self.rel.columns), found)
        return found

    @property
    def keys(self) -> Mapping[str, Key]:
        """The keys by which each frame's rows may be divided so that every part is computed alone.

        A frame that is missing may be divided in any way: the statement is row-wise in it.
        """
        return _keys(self.rel)

    @property
    def may_raise(self) -> bool:
        """Tell if rows can make it fail."""
        single = any(
            isinstance(each, Join) and each.kind is JoinKind.SINGLE for each in walk_rel(self.rel)
        )
        return single or any(
            may_raise(expr) for each in walk_rel(self.rel) for expr in each.expressions
        )

    @property
    def groups(self) -> bool:
        """Tell if equal rows become one in it, so that more rows give fewer new ones."""
        return any(
            isinstance(each, Distinct) or (isinstance(each, Aggregate) and bool(each.keys))
            for each in walk_rel(self.rel)
        )

    @property
    def makes_rows(self) -> bool:
        """Tell if there may be rows even where no frame has any."""
        return any(
            isinstance(each, Values | Range) or (isinstance(each, Aggregate) and not each.keys)
            for each in walk_rel(self.rel)
        )


def _collect_needs(rel: Rel, wanted: frozenset[ColumnId], found: dict[str, frozenset[str]]) -> None:
    """Add what a relation needs of the frames below it to give the wanted columns."""
    if isinstance(rel, Scan):
        names = frozenset(column.name for column in rel.columns if column.id in wanted)
        found[rel.source] = found.get(rel.source, frozenset()) | names
        return
    for position, each in enumerate(rel.inputs):
        _collect_needs(each, needed_below(rel, position, wanted), found)


def needed_below(rel: Rel, position: int, wanted: frozenset[ColumnId]) -> frozenset[ColumnId]:
    """The columns an operator needs of one of its inputs to give the wanted ones."""
    match rel:
        case Project(outputs=outputs):
            return _read(output.expr for output in outputs if output.column.id in wanted)
        case Aggregate(keys=keys, aggregates=aggregates):
            kept = (each.expr for each in aggregates if each.column.id in wanted)
            return _read((*(key.expr for key in keys), *kept))
        case Union(output=output):
            columns = zip(output, rel.inputs[position].columns, strict=True)
            return frozenset(inner.id for outer, inner in columns if outer.id in wanted)
        case Distinct():
            return frozenset(column.id for column in rel.input.columns)
        case Expand(projections=projections):
            places = [n for n, column in enumerate(rel.columns) if column.id in wanted]
            return _read(row[n] for row in projections for n in places)
        case _:
            return wanted | _read(rel.expressions)


def _read(exprs: Iterable[Expr]) -> frozenset[ColumnId]:
    found: set[ColumnId] = set()
    for expr in exprs:
        found |= referenced_columns(expr)
    return frozenset(found)


def _keys(rel: Rel) -> dict[str, Key]:
    operator = operator_of(rel)
    match operator:
        case Scan() | Values() | Range() | Recompute():
            return {}
        case Filter() | Project() | Generate() | Expand() | Union():
            return _merged(*map(_keys, operator.inputs))
        case Aggregate(keys=keys):
            return _divided((operator.input,), [(key.expr,) for key in keys])
        case Distinct():
            return _divided(
                (operator.input,), [(column.ref(),) for column in operator.input.columns]
            )
        case Window(partition=partition) | GroupLimit(partition=partition):
            return _divided((operator.input,), [(expr,) for expr in partition])
        case Join(keys=keys):
            return _divided(operator.inputs, [(key.left, key.right) for key in keys])
        case Sort() | Limit():
            return dict.fromkeys(_frames(rel), None)
        case _:
            assert_never(operator)


def _divided(inputs: tuple[Rel, ...], equal: list[tuple[Expr, ...]]) -> dict[str, Key]:
    """Rows that meet in an operator have equal values, one expression an input, in `equal`.

    Only values that are columns of frames on every side tell where rows are.
    """
    traced = [
        [_origins(each, expr) for each, expr in zip(inputs, values, strict=True)]
        for values in equal
    ]
    known = [sides for sides in traced if all(side is not None for side in sides)]
    found: list[dict[str, Key]] = [_keys(each) for each in inputs]
    for position, each in enumerate(inputs):
        own: dict[str, Key] = dict.fromkeys(_frames(each), None)
        if known:
            for frame in own:
                own[frame] = tuple((sides[position] or {})[frame] for sides in known)
        found.append(own)
    return _merged(*found)


def _merged(*parts: dict[str, Key]) -> dict[str, Key]:
    """The division all operators accept: the same columns in the same order, or none."""
    found: dict[str, Key] = {}
    for part in parts:
        for frame, key in part.items():
            found[frame] = key if found.get(frame, key) == key else None
    return found


def _origins(rel: Rel, expr: Expr) -> dict[str, str] | None:
    """The column of every frame below that an expression hands on unchanged; None if it is none."""
    if not isinstance(expr, ColumnRef):
        return None
    match rel:
        case Scan(source=source):
            return {source: rel.column(expr.id).name}
        case Project(outputs=outputs):
            inner = next(each.expr for each in outputs if each.column.id == expr.id)
            return _origins(rel.input, inner)
        case Aggregate(keys=keys):
            inner_key = next((each.expr for each in keys if each.column.id == expr.id), None)
            return None if inner_key is None else _origins(rel.input, inner_key)
        case Union(output=output):
            place = next(n for n, column in enumerate(output) if column.id == expr.id)
            branches = [_origins(each, each.columns[place].ref()) for each in rel.branches]
            return _one_origin(branches)
        case Join():
            holders = [each for each in rel.inputs if any(c.id == expr.id for c in each.columns)]
            # Rows of the other side go where their key is, which may be another column.
            one = _origins(holders[0], expr) if holders else None
            return one if one is not None and set(one) == set(_frames(rel)) else None
        case Filter() | Window() | Generate() | Distinct() | Sort() | Limit() | GroupLimit():
            passed = any(column.id == expr.id for column in rel.inputs[0].columns)
            return _origins(rel.inputs[0], expr) if passed else None
        case _:
            return None


def _one_origin(branches: list[dict[str, str] | None]) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for branch in branches:
        if branch is None or any(found.get(f, name) != name for f, name in branch.items()):
            return None
        found |= branch
    return found


def _frames(rel: Rel) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.source for each in walk_rel(rel) if isinstance(each, Scan)))
