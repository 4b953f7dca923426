"""Prints the plan of a view for people who know SQL: names of columns, methods, state, reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater.algebra.operators import Window
from slackwater.explain.explanations import (
    ExplainedOperator,
    ExplainedState,
    SeenRows,
    StoredSize,
)
from slackwater.expr.nodes import Call, ColumnRef, Expr
from slackwater.expr.sql import ExpressionPrinter
from slackwater.plan.arrangements import Arrangement, Role
from slackwater.plan.view_plan import RECOMPUTE, KeptState, OperatorPlan, ViewPlan
from slackwater.planning.name_printer import NamePrinter

_LINEAR = {
    "scan": "what arrived since the last run",
    "values": "never changes",
    "range": "never changes",
    "filter": "row by row",
    "project": "row by row",
    "expand": "row by row",
    "generate": "row by row",
    "union": "changes of all branches",
    "sort": "no effect here, a relation has no order",
}
_METHODS = {
    "inner_join": "changed rows of each side look up their partners on the other",
    "outer_join": "redone for the keys that changed: a first or last match flips its partner",
    "semi_join": "redone for the keys that changed: a first or last match switches rows",
    "mark_join": "redone for the keys that changed: a first or last match flips the mark",
    "single_join": "redone for the keys that changed: a second match is an error",
    "not_in": "redone for the keys that changed",
    "aggregate_sums": "the stored values of changed groups are adjusted, no row is read again",
    "aggregate_extremes": "as sums; a group is read again only if it loses its extreme",
    "aggregate_percentiles": "counts by bucket tell which buckets of a changed group to read",
    "aggregate_groups": "changed groups are aggregated again from their rows",
    "window_ranges": "the rows of changed partitions that see a change are computed again",
    "window": "changed partitions are computed again from their rows",
    "group_prefix": "the first rows so far and what arrived; a partition is read again only if "
    "it loses a first row",
    "group_limit": "changed partitions are cut again from their rows",
    "limit_prefix": "the first rows so far and what arrived; all rows only if a first one goes",
    "limit": "the first rows are taken again from all rows",
    RECOMPUTE: "computed anew from all rows by every run that finds changes below it",
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """The known sizes of stored state, and of the last run of an operator."""

    state: Callable[[Arrangement], StoredSize | None]
    last_run: Callable[[OperatorPlan], tuple[SeenRows, ...]]


def explain_view_plan(plan: ViewPlan, sizes: Sizes) -> tuple[ExplainedState, ExplainedOperator]:
    """The answer and the operators of a plan, under the names of the query's columns."""
    printer = NamePrinter(plan.root.rel)
    answer = _state(KeptState(plan.answer, plan.root.rel), printer, sizes)
    return answer, _operator(plan.root, printer, sizes, kept=not plan.answer_only)


def _operator(
    plan: OperatorPlan, printer: NamePrinter, sizes: Sizes, *, kept: bool
) -> ExplainedOperator:
    """An operator; where nothing of it is kept, what it is alone."""
    text = printer.describe(plan.rel)
    below = kept and plan.method != RECOMPUTE
    inputs = tuple(_operator(each, printer, sizes, kept=below) for each in plan.inputs)
    if not kept:
        return ExplainedOperator(text, plan.method, inputs=inputs)
    return ExplainedOperator(
        operator=text,
        method=plan.method,
        how=_LINEAR.get(plan.method) or _METHODS.get(plan.method, ""),
        linear=plan.method in _LINEAR,
        recomputes=plan.chosen.recomputes,
        keeps=tuple(_state(state, printer, sizes) for state in plan.chosen.state),
        refused=plan.refused,
        seen=sizes.last_run(plan),
        inputs=inputs,
    )


def _state(state: KeptState, printer: NamePrinter, sizes: Sizes) -> ExplainedState:
    what = _index(state) if _is_index(state) else _rows(state, printer)
    return ExplainedState(state.arrangement.id, what, sizes.state(state.arrangement))


def _is_index(state: KeptState) -> bool:
    return state.arrangement.role is Role.ACCUMULATORS and isinstance(state.owner, Window)


def _index(state: KeptState) -> str:
    partitioned = isinstance(state.owner, Window) and bool(state.owner.partition)
    return "the number of rows in each order bucket" + (" of a partition" if partitioned else "")


def _rows(state: KeptState, printer: NamePrinter) -> str:
    arrangement, columns = state.arrangement, state.owner.columns

    def stored(column: ColumnRef) -> str:
        return printer.name(columns[column.id])

    key = ", ".join(_key_text(each, ExpressionPrinter(stored)) for each in arrangement.key)
    if arrangement.role is Role.COUNTS:
        return f"rows counted by bucket, by {key or 'nothing'}"
    if arrangement.role is Role.ACCUMULATORS:
        return f"one row per group, by {key}" if key else "one row"
    names = ", ".join(map(printer.name, columns))
    whole = len(arrangement.key) == len(columns) > 1
    return f"rows ({names}) by {'all of them' if whole else key or 'nothing'}"


def _key_text(key: Expr, printer: ExpressionPrinter) -> str:
    if isinstance(key, Call) and key.function == "bucket_of":
        return f"bucket of {printer.text(key.args[0])}"
    return printer.text(key)
