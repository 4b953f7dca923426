"""Puts a limit of each partition below a window whose ranks a filter bounds.

    Filter (place <= 3)
      Window [row_number() OVER (PARTITION BY k ORDER BY o) AS place]

needs the first three rows of each partition only. Window and filter stay above the limit, and work
over few rows. Spark does the same (InferWindowGroupLimit), beside fewer functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from slackwater.algebra.columns import Output, pass_through
from slackwater.algebra.operators import Filter, GroupLimit, Project, RankKind, Window
from slackwater.algebra.rel import Rel
from slackwater.expr.build import number
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Call,
    ColumnId,
    ColumnRef,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    WindowCall,
)
from slackwater.expr.properties import conjuncts
from slackwater.types import is_floating, is_integral

_MOST_KEPT = 1_000
"""Spark draws the line here too: longer beginnings are seldom shorter than their partitions."""
_FEWEST_FIRST = (RankKind.ROW_NUMBER, RankKind.RANK, RankKind.DENSE_RANK)
"""The ranking functions, first the one that leaves the fewest rows for the same bound."""
_EXPANDING = Frame(
    FrameUnit.ROWS, FrameBound(BoundKind.UNBOUNDED_PRECEDING), FrameBound(BoundKind.CURRENT_ROW)
)
_NEVER_FAIL = ("count", "min", "max", "first", "last")
_KINDS = {kind.value: kind for kind in RankKind}
_MIRRORED = {"=": "=", ">": "<", ">=": "<="}


def limit_groups(rel: Rel) -> Rel:
    """A filter that bounds a rank: the window below it is given the first rows only."""
    if not isinstance(rel, Filter) or not isinstance(rel.input, Window):
        return rel
    window = rel.input
    if not window.order or isinstance(window.input, GroupLimit):
        return rel
    fitting = [limit for limit in _limits(rel.condition, window) if _suffices(limit, window)]
    if not fitting:
        return rel
    least = min(fitting, key=lambda limit: (limit.count, _FEWEST_FIRST.index(limit.kind)))
    return replace(rel, input=_numbered(window, least))


def _limits(condition: Expr, window: Window) -> Iterator[GroupLimit]:
    """The limits that parts of a condition set to the ranks of a window."""
    for output in window.functions:
        kind = _kind(output.expr)
        if kind is None:
            continue
        for part in conjuncts(condition):
            bound = _upper_bound(part, output.column.id)
            if bound is not None and bound <= _MOST_KEPT:
                count = max(0, bound)
                yield GroupLimit(window.input, window.partition, window.order, kind, count)


def _kind(expr: Expr) -> RankKind | None:
    match expr:
        case WindowCall(function=Call(function=name)):
            return _KINDS.get(name)
        case _:
            return None


def _upper_bound(part: Expr, column: ColumnId) -> int | None:
    """The greatest value of a column for which a condition can hold, if it names one."""
    match part:
        case Call(function=sign, args=(ColumnRef(id=found), limit)) if found == column:
            return _compared(sign, limit)
        case Call(function=sign, args=(limit, ColumnRef(id=found))) if found == column:
            return _compared(_MIRRORED.get(sign, ""), limit)
        case _:
            return None


def _compared(sign: str, limit: Expr) -> int | None:
    bound = _whole_number(limit)
    if bound is None or sign not in ("=", "<", "<="):
        return None
    return bound - 1 if sign == "<" else bound


def _whole_number(expr: Expr) -> int | None:
    if isinstance(expr, Literal) and expr.value is not None and is_integral(expr.dtype):
        return int(expr.value)
    return None


def _suffices(limit: GroupLimit, window: Window) -> bool:
    """Tell if no function looks at rows that are cut off behind its own, and no error is hidden.

    Of rows that are equal in the order, ranks keep all or none; row numbers may cut between them.
    A sum that overflows behind the limit is an error, unless Spark cuts those rows off too.
    """
    calls = [output.expr for output in window.functions]
    if not all(_looks_back(each, limit.kind) for each in calls):
        return False
    return all(map(_is_expanding, calls)) or not any(map(_may_fail, calls))


def _is_expanding(expr: Expr) -> bool:
    """Tell if Spark itself leaves a function out for rows behind the limit, if all are like it."""
    return _kind(expr) is not None or (isinstance(expr, WindowCall) and expr.frame == _EXPANDING)


def _may_fail(expr: Expr) -> bool:
    match expr:
        case WindowCall(function=AggregateCall(function=name) as call):
            return name not in _NEVER_FAIL and not is_floating(call.dtype)
        case _:
            return False


def _looks_back(expr: Expr, kind: RankKind) -> bool:
    match expr:
        case WindowCall(function=Call(function="row_number" | "rank" | "dense_rank")):
            return True
        case WindowCall(function=Call(function="lag", args=(_, distance, *_))):
            rows = _whole_number(distance)
            return rows is not None and rows >= 0
        case WindowCall(frame=Frame(unit=unit, upper=FrameBound(kind=BoundKind.CURRENT_ROW))):
            return unit is FrameUnit.ROWS or kind is not RankKind.ROW_NUMBER
        case _:
            return False


def _numbered(window: Window, first: GroupLimit) -> Rel:
    """The window over the first rows; where all of them have number one, that is written out."""
    same = [RankKind.RANK, RankKind.DENSE_RANK]
    if first.kind is RankKind.ROW_NUMBER:
        same.append(RankKind.ROW_NUMBER)
    if first.count != 1 or not all(_kind(each.expr) in same for each in window.functions):
        return replace(window, input=first)
    ones = (Output(each.column, number(1, each.expr.dtype)) for each in window.functions)
    return Project(first, (*map(pass_through, first.columns), *ones))
