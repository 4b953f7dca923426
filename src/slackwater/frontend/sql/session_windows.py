"""Reads groups by session_window: sessions are put together before rows are grouped by them.

Spark marks the column of a session, and where it groups by such a column it merges the sessions
of all rows whose other keys are equal: one that starts no later than the latest end so far goes on.
Ours says so by windows, after which a session is known by its start:

    start  end   latest end of earlier starts   begins   start of its session
    10:00  10:10                                 10:00    10:00
    10:10  10:20  10:10                                   10:00
    10:21  10:31  10:20                          10:21    10:21
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.columns import Output, pass_through
from slackwater.algebra.operators import Project, Window
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import any_of, case, field_of, is_null
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    BoundKind,
    ColumnRef,
    Expr,
    Frame,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.jvm_plan import JvmPlan
from slackwater.frontend.sql.metadata import SESSION_KEY
from slackwater.frontend.sql.scope import ColumnNumbers
from slackwater.types import IntervalType

_NAMED = ("AttributeReference", "Alias")
_FIRST = FrameBound(BoundKind.UNBOUNDED_PRECEDING)
_MICROSECOND_BEFORE = FrameBound(BoundKind.OFFSET, Literal("-1", IntervalType("DAY", "SECOND")))
_STARTED_BEFORE = Frame(FrameUnit.RANGE, _FIRST, _MICROSECOND_BEFORE)
_STARTED_SO_FAR = Frame(FrameUnit.RANGE, _FIRST, FrameBound(BoundKind.CURRENT_ROW))


def is_session(key: Node, jvm_plan: JvmPlan) -> bool:
    """Tell if Spark merges sessions where it groups by a key."""
    if key.name not in _NAMED:
        return False
    return bool(jvm_plan.locate(key.way).metadata().contains(SESSION_KEY))


@dataclass(frozen=True, slots=True)
class Sessions:
    """Rows with the start of the session that each belongs to, and their own end."""

    rel: Rel
    start: ColumnRef
    end: ColumnRef


def merge_sessions(
    rel: Rel, session: ColumnRef, others: tuple[Expr, ...], numbers: ColumnNumbers
) -> Sessions:
    """Put sessions together among rows whose other keys are equal."""

    def named(name: str, expr: Expr) -> Output:
        return Output(numbers.new(name, expr.dtype, expr.nullable), expr)

    kept = tuple(pass_through(each) for each in rel.columns if each.id != session.id)
    start, end = named("start", field_of(session, "start")), named("end", field_of(session, "end"))
    rows = Project(rel, (*kept, start, end))
    begin = start.column.ref()
    by_start = (SortKey(begin),)
    latest = aggregate("max", end.column.ref())
    reach = named("reach", WindowCall(latest, _STARTED_BEFORE))
    reached = Window(rows, others, by_start, (reach,))
    before = reach.column.ref()
    begins = case(any_of((is_null(before), call(">", begin, before))), begin)
    begun = named("begun", WindowCall(aggregate("max", begins), _STARTED_SO_FAR))
    merged = Window(reached, others, by_start, (begun,))
    columns = (*kept, pass_through(end.column), pass_through(begun.column))
    return Sessions(Project(merged, columns), begun.column.ref(), end.column.ref())
