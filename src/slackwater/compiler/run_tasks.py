"""The tasks of a run taken together: what is kept, what is made anew, and what has changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Scan
from slackwater.algebra.reads import read_names
from slackwater.algebra.rel import Rel
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.errors import InvariantError
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.view_plan import KeptState, OperatorPlan


@dataclass(frozen=True, slots=True)
class RunTasks:
    """The work that a program is written for."""

    facts: RunFacts
    views: Mapping[str, ViewTask]
    answers: Mapping[str, ViewTask]
    """The views by the state that holds their answer."""
    plans: Mapping[str, OperatorPlan]
    """By fingerprint of the relation."""
    replaced: frozenset[str]
    """State that is not kept up to date but made anew."""

    @staticmethod
    def of(facts: RunFacts, tasks: Sequence[ViewTask]) -> RunTasks:
        """The tasks, on what the run finds."""
        views = {task.name: task for task in tasks}
        kept = [task for task in tasks if task.action in (Action.INCREMENTAL, Action.SKIP)]
        anew = [task for task in tasks if task.action in (Action.REBUILD, Action.RECOMPUTE)]
        changed = (
            each.arrangement.id for each in _state_of(anew) if _touched(each.owner, facts, views)
        )
        # What another view relies on cannot be made anew: it would differ in some last bit.
        relied_on = {each.arrangement.id for each in _state_of(kept)}
        return RunTasks(
            facts,
            views,
            {task.plan.answer.id: task for task in tasks},
            _operator_plans(tasks),
            frozenset(changed) - relied_on,
        )

    def plan(self, rel: Rel) -> OperatorPlan:
        """The way in which a relation is kept."""
        return self.plans[fingerprint(rel)]

    def touched(self, rel: Rel) -> bool:
        """Tell if a source below the relation has changes."""
        return _touched(rel, self.facts, self.views)

    def behind(self, scan: Scan) -> Rel | None:
        """The relation whose changes a scan reads; none if its view is computed anew."""
        view = self.views.get(scan.source)
        if view is None or view.plan.answer.id in self.replaced:
            return None
        return view.rel

    def stays(self, arrangement: Arrangement) -> bool:
        """Tell if state exists and is kept up to date."""
        return arrangement.id in self.facts.stored and arrangement.id not in self.replaced


def _touched(rel: Rel, facts: RunFacts, views: Mapping[str, ViewTask]) -> bool:
    return any(
        _touched(views[name].rel, facts, views) if name in views else name in facts.changed
        for name in read_names(rel)
    )


def _state_of(tasks: Iterable[ViewTask]) -> Iterable[KeptState]:
    """The state that is kept for views, their answers included."""
    for task in tasks:
        yield KeptState(task.plan.answer, task.rel)
        yield from task.plan.inner_state


def _operator_plans(tasks: Sequence[ViewTask]) -> dict[str, OperatorPlan]:
    """The plan of every operator by its fingerprint; views that share one keep it alike."""
    found: dict[str, OperatorPlan] = {}
    for task in tasks:
        for root in (task.plan.root, task.plan.read):
            for each in root.walk():
                known = found.setdefault(fingerprint(each.rel), each)
                if known.method != each.method or known.chosen.shift != each.chosen.shift:
                    name = type(each.rel).__name__
                    raise InvariantError(f"a {name} is kept by {known.method} and {each.method}")
    return found
