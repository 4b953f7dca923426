"""Explains a view: its plan, why each operator is kept as it is, and the program of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.printer import PlanPrinter
from slackwater.algebra.reads import read_names
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import RefreshPolicy, ViewDefinition
from slackwater.catalog.lineage import base_sources
from slackwater.compiler.blocks import fuse
from slackwater.compiler.program_text import print_program
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.engine.costs import run_lines, view_lines
from slackwater.engine.decide import predicted_bytes, readable_rows
from slackwater.engine.home import Home
from slackwater.engine.large_windows import known_facts
from slackwater.engine.plan_text import NamePrinter, Sizes, print_view_plan
from slackwater.engine.plans import Plans
from slackwater.engine.results import FAILED, REPLANNED
from slackwater.engine.run import view_task
from slackwater.engine.status import read_history
from slackwater.errors import CatalogError
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.view_plan import RECOMPUTE, OperatorPlan


class Explainer:
    """Writes explanations of one view."""

    def __init__(self, home: Home, view: ViewDefinition):
        """Look at the catalog as it is now."""
        self._view = view
        self._home = home
        self._catalog: Catalog = home.catalog()
        self._plans = Plans(self._catalog, known_facts(home.folder, self._catalog))
        self._plan = self._plans[view.name]

    def explain(self, kind: str) -> str:
        """One of plan, why, program and cost."""
        kinds: dict[str, Callable[[], str]] = {
            "plan": self.plan,
            "why": self.why,
            "program": self.program,
            "cost": self.cost,
        }
        if kind not in kinds:
            raise CatalogError(f"{kind!r} cannot be explained", hint=f"Ask for {', '.join(kinds)}.")
        return kinds[kind]()

    def plan(self) -> str:
        """How every operator is kept, under the names of the query's own columns."""
        lines = [f"view {self._view.name}: refresh={self._view.policy.value}"]
        lines += (f"note: {note}" for note in self._view.notes)
        printer = NamePrinter(self._view.plan)
        for finish in self._view.root.finish:
            lines.append(f"when read: {printer.describe(finish)}")
        sizes = Sizes(self._size, self._last_run)
        return "\n".join([*lines, print_view_plan(self._plan, sizes)])

    def why(self) -> str:
        """Per operator: by which rule it is kept, what that stores, or why it is recomputed."""
        lines = [f"view {self._view.name}: refresh={self._view.policy.value}"]
        if self._view.policy is RefreshPolicy.FULL:
            lines.append("every change: the whole query is recomputed, as the policy says")
        for depth, finish in enumerate(self._view.root.finish):
            name = type(finish).__name__.lower()
            lines.append(f"{'  ' * depth}{name}: applied when the view is read, needs no state")
        lines += self._operator(self._plan.root, len(self._view.root.finish))
        lines.append(f"answer: {self._state(self._plan.answer)}")
        predicted = predicted_bytes(self._plan, readable_rows(self._catalog))
        lines.append(f"state in all: about {_amount(predicted)} predicted")
        return "\n".join(lines)

    def cost(self) -> str:
        """What the last run cost, where its time went, and what else could have been done."""
        # The view may have been skipped for long, while others were refreshed.
        runs = read_history(self._home, self._view.name, sys.maxsize)
        last = next((run for run in runs if run.action not in ("skipped", FAILED, REPLANNED)), None)
        if last is None:
            return f"view {self._view.name} has not been refreshed yet"
        return "\n".join([*view_lines(last), *run_lines(last.metrics)])

    def _operator(self, plan: OperatorPlan, depth: int) -> Iterator[str]:
        indent, recomputes = "  " * depth, plan.chosen.recomputes
        text = PlanPrinter().describe(plan.rel)
        if plan.method == RECOMPUTE:
            yield f"{indent}{text}\n{indent}  = recomputed: {recomputes}"
        elif recomputes is not None:
            why = f"recomputed by rule {plan.method}: {recomputes}"
            yield f"{indent}{text}\n{indent}  = {why}"
        else:
            yield f"{indent}{text}\n{indent}  = incremental by rule {plan.method}"
        for refused in plan.refused:
            yield f"{indent}    not {refused.method}: {refused.reason}"
        for state in plan.chosen.state:
            yield f"{indent}    keeps {self._state(state.arrangement)}"
        if plan.method != RECOMPUTE:
            for each in plan.inputs:
                yield from self._operator(each, depth + 1)

    def _state(self, arrangement: Arrangement) -> str:
        by = ", ".join(arrangement.key_texts) or "nothing"
        return f"{arrangement.id} ({arrangement.role.value} by {by}): {self._size(arrangement)}"

    def _size(self, arrangement: Arrangement) -> str:
        key = arrangement.id
        if key not in self._catalog.state.arrangements:
            return "not filled yet"
        return f"{self._catalog.rows(key)} rows, {_amount(self._catalog.bytes(key))}"

    def _last_run(self, plan: OperatorPlan) -> str:
        found = self._home.observations.of_operator(fingerprint(plan.rel))
        steps = (
            f"{part} {seen.rows_in:,.0f} to {seen.rows_out:,.0f}"
            for part, seen in sorted(found.items())
        )
        text = ", ".join(steps)
        return f"rows seen: {text}" if text else ""

    def program(self) -> str:
        """The statements of a run in which every source of the view has changed."""
        view = self._view
        tasks = [
            self._task(each) for each in self._catalog.views.values() if each.name == view.name
        ]
        upstream = tuple(self._upstream(view))
        run = RunFacts(
            sources={name: source.columns for name, source in self._catalog.sources.items()},
            changed=base_sources(view, self._catalog),
            stored={
                key: self._catalog.rows(key)
                for task in (*upstream, *tasks)
                for key in task.plan.arrangements
            },
        )
        program = fuse(write_program(run, (*upstream, *tasks)))
        return print_program(program)

    def _task(self, view: ViewDefinition) -> ViewTask:
        plan = self._plans[view.name]
        action = Action.RECOMPUTE if plan.answer_only else Action.INCREMENTAL
        return view_task(view, action, plan)

    def _upstream(self, view: ViewDefinition) -> Iterator[ViewTask]:
        for name in sorted(read_names(view.plan)):
            if name in self._catalog.state.views:
                other = self._catalog.view(name)
                yield from self._upstream(other)
                yield self._task(other)


def _amount(size: int) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 10_000 or unit == "GB":
            return f"{size} {unit}"
        size //= 1000
    return f"{size} GB"
