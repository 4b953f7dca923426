"""Explains a view: its plan, why each operator is kept as it is, a run's program, and its cost."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.printer import PlanPrinter
from slackwater.algebra.reads import read_names
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import RefreshPolicy, ViewDefinition
from slackwater.catalog.home import Home
from slackwater.catalog.lineage import base_sources
from slackwater.compiler.blocks import fuse
from slackwater.compiler.program_text import print_program_step
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.errors import CatalogError
from slackwater.explain.explanations import (
    CostExplanation,
    ExplainedOperator,
    ExplainedState,
    ExplainedStep,
    Explanation,
    PlanExplanation,
    ProgramExplanation,
    SeenRows,
    StoredSize,
    WhyExplanation,
)
from slackwater.explain.plan_text import Sizes, explain_view_plan
from slackwater.explain.status import read_history
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.program import Step
from slackwater.plan.view_plan import OperatorPlan
from slackwater.planning.large_windows import known_facts
from slackwater.planning.name_printer import NamePrinter
from slackwater.planning.plans import Plans
from slackwater.running.decide import predicted_bytes, readable_rows
from slackwater.running.results import FAILED, REPLANNED
from slackwater.running.situation import view_task


class Explainer:
    """Makes the explanations of one view."""

    def __init__(self, home: Home, view: ViewDefinition):
        """Look at the catalog as it is now."""
        self._view = view
        self._home = home
        self._catalog: Catalog = home.catalog()
        self._plans = Plans(self._catalog, known_facts(home.folder, self._catalog))
        self._plan = self._plans[view.name]

    def explain(self, kind: str) -> Explanation:
        """One of plan, why, program and cost."""
        kinds: dict[str, Callable[[], Explanation]] = {
            "plan": self.plan,
            "why": self.why,
            "program": self.program,
            "cost": self.cost,
        }
        if kind not in kinds:
            raise CatalogError(f"{kind!r} cannot be explained", hint=f"Ask for {', '.join(kinds)}.")
        return kinds[kind]()

    def plan(self) -> PlanExplanation:
        """How every operator is kept, under the names of the query's own columns."""
        view = self._view
        describe = NamePrinter(view.plan).describe
        answer, root = explain_view_plan(self._plan, Sizes(self._size, self._last_run))
        return PlanExplanation(
            view.name,
            view.policy.value,
            view.notes,
            tuple(map(describe, view.root.finish)),
            answer,
            self._plan.answer_only,
            root,
        )

    def why(self) -> WhyExplanation:
        """Per operator: by which rule it is kept, what that stores, or why it is recomputed."""
        view = self._view
        return WhyExplanation(
            view.name,
            view.policy.value,
            view.policy is RefreshPolicy.FULL,
            tuple(type(finish).__name__.lower() for finish in view.root.finish),
            self._state(self._plan.answer),
            predicted_bytes(self._plan, readable_rows(self._catalog)),
            self._operator(self._plan.root),
        )

    def cost(self) -> CostExplanation:
        """What the last run cost, where its time went, and what else could have been done."""
        # The view may have been skipped for long, while others were refreshed.
        runs = read_history(self._home, self._view.name, sys.maxsize)
        done = (run for run in runs if run.action not in ("skipped", FAILED, REPLANNED))
        return CostExplanation(self._view.name, next(done, None))

    def _operator(self, plan: OperatorPlan) -> ExplainedOperator:
        return ExplainedOperator(
            operator=PlanPrinter().describe(plan.rel),
            method=plan.method,
            recomputes=plan.chosen.recomputes,
            keeps=tuple(self._state(state.arrangement) for state in plan.chosen.state),
            refused=plan.refused,
            inputs=tuple(map(self._operator, plan.inputs)),
        )

    def _state(self, arrangement: Arrangement) -> ExplainedState:
        by = ", ".join(arrangement.key_texts) or "nothing"
        text = f"{arrangement.id} ({arrangement.role.value} by {by})"
        return ExplainedState(arrangement.id, text, self._size(arrangement))

    def _size(self, arrangement: Arrangement) -> StoredSize:
        key = arrangement.id
        filled = key in self._catalog.state.arrangements
        return StoredSize(self._catalog.rows(key), self._catalog.bytes(key), filled)

    def _last_run(self, plan: OperatorPlan) -> tuple[SeenRows, ...]:
        found = self._home.observations.of_operator(fingerprint(plan.rel))
        return tuple(
            SeenRows(part, seen.rows_in, seen.rows_out) for part, seen in sorted(found.items())
        )

    def program(self) -> ProgramExplanation:
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
        return ProgramExplanation(view.name, tuple(map(_explained, program.steps)))

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


def _explained(step: Step) -> ExplainedStep:
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(step).__name__.removesuffix("Step")).lower()
    return ExplainedStep(kind, step.name, tuple(step.reads), print_program_step(step))
