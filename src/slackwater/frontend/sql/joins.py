"""Splits a join condition into keys, which state can be indexed by, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Join, JoinKey, JoinKind
from slackwater.algebra.rel import Rel
from slackwater.expr.functions import call
from slackwater.expr.nodes import Call, ColumnId, Expr
from slackwater.expr.properties import conjuncts, referenced_columns
from slackwater.frontend.sql.scope import UnrepresentableError

_KINDS: Mapping[str, JoinKind] = {
    "Inner": JoinKind.INNER,
    "Cross": JoinKind.INNER,
    "LeftOuter": JoinKind.LEFT,
    "RightOuter": JoinKind.RIGHT,
    "FullOuter": JoinKind.FULL,
    "LeftSemi": JoinKind.SEMI,
    "LeftAnti": JoinKind.ANTI,
    "ExistenceJoin": JoinKind.MARK,
    "LeftSingle": JoinKind.SINGLE,
}


@dataclass(frozen=True, slots=True)
class SplitJoin:
    """A join whose condition has been taken apart."""

    kind: JoinKind
    left: Rel
    right: Rel
    keys: tuple[JoinKey, ...]
    residual: Expr | None

    def build(self, mark: Column | None) -> Join:
        """The operator; a mark join needs the column to write its answer to."""
        return Join(self.kind, self.left, self.right, self.keys, self.residual, mark)


def split_condition(join_type: str, left: Rel, right: Rel, condition: Expr | None) -> SplitJoin:
    """Find the equalities between the two sides; recognise NOT IN and cross joins."""
    if join_type not in _KINDS:
        raise UnrepresentableError(f"join type {join_type}")
    kind = _KINDS[join_type]
    if condition is None:
        kind = JoinKind.CROSS if kind is JoinKind.INNER else kind
        return SplitJoin(kind, left, right, (), None)
    sides = _Sides(_ids(left), _ids(right))
    parts = conjuncts(condition)
    if kind is JoinKind.ANTI:
        aware = [sides.null_aware_key(part) for part in parts]
        if any(key is not None for key in aware):
            keys = tuple(key for key in aware if key is not None)
            rest = [part for part, key in zip(parts, aware, strict=True) if key is None]
            return SplitJoin(JoinKind.NULL_AWARE_ANTI, left, right, keys, _all(rest))
    found = [sides.key(part) for part in parts]
    keys = tuple(key for key in found if key is not None)
    rest = [part for part, key in zip(parts, found, strict=True) if key is None]
    return SplitJoin(kind, left, right, keys, _all(rest))


@dataclass(frozen=True, slots=True)
class _Sides:
    left: frozenset[ColumnId]
    right: frozenset[ColumnId]

    def key(self, part: Expr) -> JoinKey | None:
        """An equality of one side's expression with the other's."""
        match part:
            case Call(function="=" | "<=>" as sign, args=(one, other)):
                null_safe = sign == "<=>"
                if self._belongs(one, self.left) and self._belongs(other, self.right):
                    return JoinKey(one, other, null_safe)
                if self._belongs(one, self.right) and self._belongs(other, self.left):
                    return JoinKey(other, one, null_safe)
        return None

    def null_aware_key(self, part: Expr) -> JoinKey | None:
        """`a = b OR (a = b) IS NULL`: how Catalyst writes NOT IN."""
        match part:
            case Call(
                function="or",
                args=(
                    Call(function="=") as equality,
                    Call(function="isnull", args=(again,)),
                ),
            ) if again == equality:
                return self.key(equality)
        return None

    def _belongs(self, expr: Expr, side: frozenset[ColumnId]) -> bool:
        read = referenced_columns(expr)
        return bool(read) and read <= side


def _ids(rel: Rel) -> frozenset[ColumnId]:
    return frozenset(column.id for column in rel.columns)


def _all(parts: list[Expr]) -> Expr | None:
    return reduce(lambda one, other: call("and", one, other), parts) if parts else None
