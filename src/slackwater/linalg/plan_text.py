"""Tells why a plan was chosen: the candidates side by side, as text and as data."""

from __future__ import annotations

from collections.abc import Callable

from slackwater.linalg.matrix_plan import Candidate, MatrixPlan
from slackwater.linalg.trigger_text import print_compiled

_COLUMNS: tuple[tuple[str, Callable[[Candidate], str]], ...] = (
    ("seconds", lambda each: f"{each.seconds:.6f}"),
    ("operations", lambda each: f"{each.flops:,}"),
    ("memory", lambda each: f"{each.memory / 1e6:,.1f} MB"),
)


def explain_plan(plan: MatrixPlan) -> str:
    """The candidates, cheapest first, and the program that was chosen with its triggers."""
    sizes = ", ".join(f"{name} = {size:,}" for name, size in sorted(plan.workload.sizes.items()))
    ranks = ", ".join(f"{name} by {rank:,}" for name, rank in sorted(plan.workload.ranks.items()))
    lines = [
        f"{plan.chosen.name} on {plan.prices.backend}, for {sizes}; a change: {ranks}",
        "",
        *_table(plan),
        "",
        print_compiled(plan.chosen.compiled).rstrip(),
    ]
    return "\n".join(lines) + "\n"


def _table(plan: MatrixPlan) -> list[str]:
    rows = [["", *(title for title, _ in _COLUMNS)]]
    for each in plan.candidates:
        mark = "* " if each is plan.chosen else "  "
        rows.append([mark + each.name, *(text(each) for _, text in _COLUMNS)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
