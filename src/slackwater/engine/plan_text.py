"""Prints the plan of a view for people who know SQL: names of columns, methods, state, reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from slackwater.algebra.columns import Column
from slackwater.algebra.invariants import defined_columns
from slackwater.algebra.operators import Scan, Window
from slackwater.algebra.printer import PlanPrinter
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import Call, ColumnId, ColumnRef, Expr
from slackwater.expr.sql import ExpressionPrinter
from slackwater.plan.arrangements import Arrangement, Role
from slackwater.plan.view_plan import RECOMPUTE, KeptState, OperatorPlan, ViewPlan

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
    """Texts about what is stored, and about the last run of an operator; empty if unknown."""

    state: Callable[[Arrangement], str]
    last_run: Callable[[OperatorPlan], str]


class NamePrinter(PlanPrinter):
    """Writes columns by their names alone; other columns of the same name get a number."""

    def __init__(self, *rels: Rel):
        """Number the columns of some plans in the order of their definition."""
        super().__init__()
        self._written: dict[ColumnId, str] = {}
        seen: dict[str, int] = {}
        for column in (column for rel in rels for column in defined_columns(rel)):
            if column.id not in self._written:
                seen[column.name] = seen.get(column.name, 0) + 1
                again = seen[column.name]
                self._written[column.id] = column.name if again == 1 else f"{column.name}_{again}"

    def name(self, column: Column | ColumnRef) -> str:
        """The name of a column."""
        return self._written.get(column.id, column.name)

    def describe(self, rel: Rel) -> str:
        """One operator on one line; of a source its name says enough."""
        return f"Scan {rel.source}" if isinstance(rel, Scan) else super().describe(rel)


def print_view_plan(plan: ViewPlan, sizes: Sizes) -> str:
    """The plan as an indented tree, the operator that gives the answer first."""
    printer = NamePrinter(plan.root.rel)
    lines = [f"answer: {_state(KeptState(plan.answer, plan.root.rel), printer, sizes)}"]
    if plan.answer_only:
        lines.append("nothing else is kept: every change has the whole query computed anew")
    lines += _operator(plan.root, printer, sizes, 0, kept=not plan.answer_only)
    return "\n".join(lines)


def _operator(
    plan: OperatorPlan, printer: NamePrinter, sizes: Sizes, depth: int, *, kept: bool
) -> Iterator[str]:
    indent = "  " * depth
    linear = f"  -- {_LINEAR[plan.method]}" if kept and plan.method in _LINEAR else ""
    yield f"{indent}{printer.describe(plan.rel)}{linear}"
    if kept:
        for line in _how(plan, printer, sizes):
            yield f"{indent}    {line}"
    below = kept and plan.method != RECOMPUTE
    for each in plan.inputs:
        yield from _operator(each, printer, sizes, depth + 1, kept=below)


def _how(plan: OperatorPlan, printer: NamePrinter, sizes: Sizes) -> Iterator[str]:
    if plan.method in _METHODS:
        yield f"{plan.method}: {_METHODS[plan.method]}"
    if plan.chosen.recomputes is not None:
        yield f"reads all rows: {plan.chosen.recomputes}"
    for state in plan.chosen.state:
        yield f"keeps {_state(state, printer, sizes)}"
    for refused in plan.refused:
        yield f"not {refused.method}: {refused.reason}"
    if last := sizes.last_run(plan):
        yield last


def _state(state: KeptState, printer: NamePrinter, sizes: Sizes) -> str:
    what = _index(state) if _is_index(state) else _rows(state, printer)
    size = sizes.state(state.arrangement)
    return what + (f": {size}" if size else "")


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
