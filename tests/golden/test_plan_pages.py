"""The plans of three TPC-H views, as readers see them: `docs/plans.md` is made of these."""

from __future__ import annotations

import os
from pathlib import Path

from slackwater.algebra.root import split_root, stored_scan
from slackwater.algebra.serial import load_plan
from slackwater.explain.explanations import plan_lines
from slackwater.explain.plan_text import Sizes, explain_view_plan
from slackwater.optimizer.choose import choose_plan
from slackwater.optimizer.normalize import normalize
from slackwater.plan.facts import Facts
from slackwater.planning.name_printer import NamePrinter

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "plans.md"
_UNKNOWN = Sizes(state=lambda _arrangement: None, last_run=lambda _plan: ())
_INTRODUCTION = """# Three plans

`explain("plan")` prints how a view is kept: each operator of the query, and below it the method,
the state that it keeps between runs, and the methods that do not fit. In a home it adds how large
each piece of state is, and how many rows the steps of past runs read and made. State that several
views, or several operators, need is stored once.

An operator is written as in SQL, inputs indented below it; a column that shares its name with
another one has a number. Written by `SLACKWATER_REGENERATE=1 make test ARGS=tests/golden`.
"""
_VIEWS = {
    "q03": (
        "Q3, unshipped orders",
        "Two joins by key and a sum. A changed row looks up its partners; no group is read again.",
    ),
    "q13": (
        "Q13, customers by number of orders",
        "The left join is split into its pairs and the customers without one.",
    ),
    "q17": (
        "Q17, small orders",
        "lineitem is read twice: its rows are compared with an average of all rows of their part.",
    ),
}


def _page() -> str:
    parts = [_INTRODUCTION]
    for name, (title, about) in _VIEWS.items():
        rel = normalize(load_plan((FOLDER / "tpch" / f"{name}.json").read_text()))
        root = split_root(rel)
        plan = choose_plan(root.stored, stored_scan(name, root.stored), Facts(), recomputed=False)
        printer = NamePrinter(rel)
        finish = [f"when read: {printer.describe(each)}" for each in root.finish]
        lines = plan_lines(*explain_view_plan(plan, _UNKNOWN), answer_only=plan.answer_only)
        text = "\n".join([*finish, *lines])
        parts.append(f"## {title}\n\n{about}\n\n```\n{text}\n```\n")
    return "\n".join(parts)


def test_page_shows_the_plans_of_today() -> None:
    made = _page()
    if os.environ.get("SLACKWATER_REGENERATE"):
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made
