"""One run: everything pending taken in by every view, one program, one commit."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

from slackwater.catalog.home import Home
from slackwater.catalog.stored_files import StoredFiles
from slackwater.compiler.blocks import fuse
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action
from slackwater.errors import ExecutionError
from slackwater.executors.engine_choice import Priced
from slackwater.executors.program_runner import ProgramRunner
from slackwater.executors.written import RunPlace, Written
from slackwater.faults import reach
from slackwater.frontend.sql.planner import Fragment
from slackwater.plan.program import Program
from slackwater.running.announce import announce_decisions
from slackwater.running.decide import Decision
from slackwater.running.forecast import Estimates, Forecast
from slackwater.running.outcome import Outcome
from slackwater.running.refresh_choice import Weighing
from slackwater.running.results import RunResult, failed_row, skipped
from slackwater.running.run_memory import RunMemory
from slackwater.running.situation import Situation
from slackwater.running.stored_sizes import StoredSizes
from slackwater.spark.metering import Meter


class Run:
    """Brings all views of a home up to date."""

    def __init__(
        self,
        home: Home,
        runner: ProgramRunner,
        fragments: Mapping[str, Fragment],
        *,
        sums_fit: bool = True,
        outdated: Mapping[str, str] = MappingProxyType({}),
    ):
        """Look at what is there; nothing is done yet.

        Without `sums_fit` no running sums are relied on that may not fit their type. Views that
        are `outdated` start over, for the reason given.
        """
        self._home = home
        self._runner = runner
        self._fragments = fragments
        self._found = Situation.of(home, outdated, sums_fit=sums_fit)
        self._files = StoredFiles(self._found.catalog)
        self._sizes = StoredSizes(home.folder, self._files, home.observations)
        self._memory = RunMemory(home, self._sizes)

    def execute(self) -> RunResult:
        """Decide, compute, write, commit."""
        started, found = datetime.now(UTC), self._found
        meter = Meter(self._runner.session)
        with meter.measure("slackwater refresh"):
            with meter.phase("planning"):
                decisions = found.decisions()
                idle = all(each.action is Action.SKIP for each in decisions)
                if idle and not found.is_behind():
                    return RunResult(found.catalog.state.commit, 0.0, skipped(decisions))
                decisions, program = self._settle(decisions)
                announce_decisions(self._home.events, decisions, found.changed_rows)
                priced = self._price(program, found.moved_rows(decisions))
                forecast = Forecast.of(program, self._sizes, priced.rates, priced.seconds)
            reach("run.before")
            written = self._write(program, self._place(decisions), meter)
            reach("run.written")
        outcome = Outcome(found, decisions, program, written)
        estimates = Estimates(forecast.q_errors(written.observed), forecast.seconds)
        metrics = replace(
            meter.metrics,
            estimates=estimates.as_dict(),
            rows_written=sum(file.rows for file in written.files),
            state_bytes_written=sum(file.bytes for file in written.files),
        )
        views = outcome.view_runs()
        transaction = outcome.transaction(views, (started, metrics))
        with meter.phase("committing"):
            commit = self._home.commit(transaction, after=found.catalog.state.commit)
        metrics = metrics.with_phase("committing", meter.phases["committing"])
        self._memory.note_times(commit.version, outcome.history(views, (started, metrics)))
        self._memory.note(commit.version, outcome, priced, metrics.wall_seconds)
        return RunResult(commit.version, metrics.wall_seconds, views, metrics, estimates=estimates)

    def relies_on_sums(self) -> bool:
        """Tell if a view keeps running sums that may not fit their type."""
        return self._found.relies_on_sums()

    def culprits(self) -> tuple[str, ...]:
        """The views that fail by themselves, after a run of all has failed; costs another run."""
        decisions = {each.view.name: each for each in self._found.decisions()}
        found: list[str] = []
        for name, decision in decisions.items():
            read = self._found.views_below(decision.view)
            if decision.action is Action.SKIP or not read.isdisjoint(found):
                continue
            part = tuple(each for other, each in decisions.items() if other in {name, *read})
            place = self._place(part)
            try:
                self._write(self._program(part), place, Meter(self._runner.session))
            except ExecutionError:
                found.append(name)
            self._home.discard(place.stem)
        return tuple(found)

    def note_failure(self, problem: ExecutionError, culprits: tuple[str, ...]) -> None:
        """Have the history tell what a run was about that came to nothing."""
        now = datetime.now(UTC)
        rows = []
        for each in self._found.decisions():
            innocent = culprits and each.view.name not in culprits
            why = f"view {', '.join(culprits)} made the run fail" if innocent else problem.what
            if each.action is not Action.SKIP:
                rows.append(failed_row(each, why, now))
        self._home.writer.note_failed(rows)

    def _settle(self, decisions: tuple[Decision, ...]) -> tuple[tuple[Decision, ...], Program]:
        """The choice for every view once prices are known, and the statements of the run."""
        rows = self._found.moved_rows(decisions)

        def price(program: Program, slowdown: float) -> Priced:
            return self._price(program, rows, slowdown)

        kept = self._found.kept_by_view(decisions)
        weighing = Weighing(self._program, price, kept, self._memory.recall)
        settled, program = weighing.settle(decisions)
        for each in settled:
            self._found.plans.adopt(each.view, each.action, each.reason)
        return settled, program

    def _price(self, program: Program, rows: int, slowdown: float = 1.0) -> Priced:
        """The price of a program that moves so many rows, on the engine that is for it."""
        return self._runner.choice.price(program, self._sizes, self._files, rows, slowdown)

    def _program(self, decisions: tuple[Decision, ...]) -> Program:
        """The statements of the run; those of an earlier one that had the same to do."""
        run = self._found.run_facts(decisions)

        def write() -> Program:
            return fuse(write_program(run, self._found.tasks(decisions)))

        return self._runner.programs.program(self._found.key(decisions, run), write)

    def _write(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """Compute and write; a run that fails leaves nothing behind."""
        try:
            return self._runner.run(program, place, meter)
        except BaseException:
            self._home.discard(place.stem)
            raise

    def _place(self, decisions: tuple[Decision, ...]) -> RunPlace:
        return RunPlace(
            self._home.folder,
            f"{self._found.catalog.state.commit + 1:08d}-{uuid.uuid4().hex[:8]}",
            self._files,
            self._fragments,
            sum(self._found.pending.rows.values()),
            self._found.moved_rows(decisions),
            self._sizes,
        )
