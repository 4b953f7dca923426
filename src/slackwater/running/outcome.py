"""The outcome of a run: its commit, and what it did to every view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from slackwater.catalog.lineage import base_sources
from slackwater.catalog.stored_records import arrangement_record
from slackwater.compiler.tasks import Action
from slackwater.executors.written import Written
from slackwater.plan.program import Program
from slackwater.running.decide import Decision, predicted_bytes, readable_rows
from slackwater.running.results import StateSize, ViewRun, history_row, replanned_row
from slackwater.running.situation import Situation
from slackwater.spark.metering import Metrics
from slackwater.state.metadata.records import NewSegment, ProgressRecord, RunRecord, Transaction


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that was found, decided and written."""

    found: Situation
    decisions: tuple[Decision, ...]
    program: Program
    written: Written

    def view_runs(self) -> tuple[ViewRun, ...]:
        """The part of every view in the run."""
        rows = readable_rows(self.found.catalog)
        filled = frozenset(step.arrangement.id for step in self.program.appends if step.fill)
        return tuple(
            self._view_run(
                each,
                StateSize(
                    self._kept_bytes(each, filled),
                    predicted_bytes(self.found.plans[each.view.name], rows),
                ),
            )
            for each in self.decisions
        )

    def _kept_bytes(self, decision: Decision, filled: frozenset[str]) -> int:
        """The size of the state that a view keeps after the run."""
        actual = 0
        for key in self.found.needed_by(decision):
            actual += 0 if key in filled else self.found.catalog.bytes(key)
            actual += sum(file.bytes for file in self.written.segments.get(key, ()))
        return actual

    def _view_run(self, decision: Decision, size: StateSize) -> ViewRun:
        view, found = decision.view, self.found
        rows, changed = found.pending.over(base_sources(view, found.catalog))
        answer = self.written.segments.get(found.plans[view.name].answer.id, ())
        return ViewRun(
            view.name,
            decision.action.value,
            decision.reason,
            {Action.INCREMENTAL: changed, Action.SKIP: 0}.get(decision.action, rows),
            sum(file.rows for file in answer) if decision.action is not Action.SKIP else 0,
            size.actual,
            size.predicted,
        )

    def history(
        self, views: tuple[ViewRun, ...], timing: tuple[datetime, Metrics]
    ) -> tuple[RunRecord, ...]:
        """The rows of the history, one for each view."""
        pairs = zip(self.decisions, views, strict=True)
        return tuple(history_row(decision, run, timing) for decision, run in pairs)

    def transaction(
        self, views: tuple[ViewRun, ...], timing: tuple[datetime, Metrics]
    ) -> Transaction:
        """Everything that the run changes, as one commit."""
        catalog, plans = self.found.catalog, self.found.plans
        known = catalog.state.arrangements
        kept = {step.arrangement.id: step for step in self.program.appends}
        replaced = {key for key, step in kept.items() if step.fill}
        needed = self.found.needed(self.decisions)
        written = self.written.segments
        return Transaction(
            "run",
            add_arrangements=tuple(
                arrangement_record(step.arrangement)
                for key, step in kept.items()
                if key not in known
            ),
            drop_arrangements=tuple(key for key in known if key not in needed),
            add_segments=tuple(
                NewSegment(key, file) for key, files in written.items() for file in files
            ),
            remove_segments=tuple(each.id for key in replaced for each in catalog.segments(key)),
            plans=plans.new,
            progress=tuple(self._progress()),
            filled=self._filled(),
            sums_outgrown=not self.found.facts.sums_fit,
            runs=(
                *(
                    replanned_row(view, str(why), timing[0])
                    for view, why in plans.replanned.items()
                ),
                *self.history(views, timing),
            ),
        )

    def _filled(self) -> tuple[str, ...]:
        """Views without sources have no progress that could tell that they are filled."""
        return tuple(
            each.view.name
            for each in self.decisions
            if each.action is Action.FILL and not base_sources(each.view, self.found.catalog)
        )

    def _progress(self) -> Iterable[ProgressRecord]:
        catalog = self.found.catalog
        for view in catalog.views.values():
            for source in base_sources(view, catalog):
                yield ProgressRecord(view.name, source, catalog.logs.end(source))
