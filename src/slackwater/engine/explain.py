"""Explains a view: its plan, why each operator is kept as it is, and the program of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from slackwater.algebra.printer import PlanPrinter, print_plan
from slackwater.algebra.rel import Rel
from slackwater.compiler.blocks import fuse
from slackwater.compiler.program_text import print_program
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask, read_names
from slackwater.engine.costs import run_lines, view_lines
from slackwater.engine.decide import base_sources, keeps_answer_only, predicted_bytes, readable_rows
from slackwater.engine.definitions import RefreshPolicy, ViewDefinition
from slackwater.engine.home import Catalog, Home
from slackwater.engine.results import FAILED
from slackwater.engine.run import read_facts, view_task
from slackwater.engine.status import read_history
from slackwater.errors import CatalogError
from slackwater.optimizer.choose import RECOMPUTE, Chooser
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.keys import whole_row
from slackwater.plan.arrangements import Arrangement


class Explainer:
    """Writes explanations of one view."""

    def __init__(self, home: Home, view: ViewDefinition):
        """Look at the catalog as it is now."""
        self._view = view
        self._home = home
        self._catalog: Catalog = home.catalog()
        self._facts: Facts = read_facts(home, self._catalog)

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
        """The plan with the order and limit that apply on read."""
        notes = "".join(f"\nnote: {note}" for note in self._view.notes)
        return print_plan(self._view.plan) + notes

    def why(self) -> str:
        """Per operator: by which rule it is kept, what that stores, or why it is recomputed."""
        lines = [f"view {self._view.name}: refresh={self._view.policy.value}"]
        if self._view.policy is RefreshPolicy.FULL:
            lines.append("every change: the whole query is recomputed, as the policy says")
        for depth, finish in enumerate(self._view.root.finish):
            name = type(finish).__name__.lower()
            lines.append(f"{'  ' * depth}{name}: applied when the view is read, needs no state")
        chooser = Chooser.under(self._facts)
        lines += self._operator(self._view.stored, chooser, len(self._view.root.finish))
        answer = whole_row(self._view.stored)
        lines.append(f"answer: {self._state(answer)}")
        predicted = predicted_bytes(self._view, readable_rows(self._catalog), self._facts)
        lines.append(f"state in all: about {_amount(predicted)} predicted")
        return "\n".join(lines)

    def cost(self) -> str:
        """What the last run cost, where its time went, and what else could have been done."""
        # The view may have been skipped for long, while others were refreshed.
        runs = read_history(self._home, self._view.name, sys.maxsize)
        last = next((run for run in runs if run.action not in ("skipped", FAILED)), None)
        if last is None:
            return f"view {self._view.name} has not been refreshed yet"
        return "\n".join([*view_lines(last), *run_lines(last.metrics)])

    def _operator(self, rel: Rel, chooser: Chooser, depth: int) -> Iterator[str]:
        choice = chooser.choice(rel)
        indent = "  " * depth
        text = PlanPrinter().describe(rel)
        if choice.rule is RECOMPUTE:
            yield f"{indent}{text}\n{indent}  = recomputed: {choice.recomputes}"
        elif choice.recomputes is not None:
            why = f"recomputed by rule {choice.rule.name}: {choice.recomputes}"
            yield f"{indent}{text}\n{indent}  = {why}"
        else:
            yield f"{indent}{text}\n{indent}  = incremental by rule {choice.rule.name}"
        for name, reason in choice.refused:
            if "another" not in reason:
                yield f"{indent}    not {name}: {reason}"
        for need in chooser.needs(rel):
            yield f"{indent}    keeps {self._state(need.arrangement)}"
        if choice.rule is not RECOMPUTE:
            for each in rel.inputs:
                yield from self._operator(each, chooser, depth + 1)

    def _state(self, arrangement: Arrangement) -> str:
        key, size = arrangement.id, "not filled yet"
        if key in self._catalog.state.arrangements:
            size = f"{self._catalog.rows(key)} rows, {_amount(self._catalog.bytes(key))}"
        by = ", ".join(arrangement.key_texts) or "nothing"
        return f"{arrangement.id} ({arrangement.role.value} by {by}): {size}"

    def program(self) -> str:
        """The statements of a run in which every source of the view has changed."""
        view = self._view
        tasks = [
            self._task(each) for each in self._catalog.views.values() if each.name == view.name
        ]
        upstream = tuple(self._upstream(view))
        run = RunFacts(
            facts=self._facts,
            sources={name: source.columns for name, source in self._catalog.sources.items()},
            changed=base_sources(view, self._catalog),
            stored={a.id: self._catalog.rows(a.id) for a in self._all_state((*upstream, *tasks))},
        )
        program = fuse(write_program(run, (*upstream, *tasks)))
        return print_program(program)

    def _task(self, view: ViewDefinition) -> ViewTask:
        alone = keeps_answer_only(view, self._facts)
        return view_task(view, Action.RECOMPUTE if alone else Action.INCREMENTAL, self._facts)

    def _upstream(self, view: ViewDefinition) -> Iterator[ViewTask]:
        for name in sorted(read_names(view.plan)):
            if name in self._catalog.state.views:
                other = self._catalog.view(name)
                yield from self._upstream(other)
                yield self._task(other)

    def _all_state(self, tasks: tuple[ViewTask, ...]) -> Iterator[Arrangement]:
        chooser = Chooser.under(self._facts)
        for task in tasks:
            yield whole_row(task.rel)
            for each in chooser.kept_operators(task.rel):
                for need in chooser.needs(each):
                    yield need.arrangement


def _amount(size: int) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 10_000 or unit == "GB":
            return f"{size} {unit}"
        size //= 1000
    return f"{size} GB"
