"""One run: everything pending taken in by every view, one program, one commit."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

from slackwater.algebra.reads import read_names
from slackwater.catalog.definitions import ViewDefinition
from slackwater.catalog.home import Home
from slackwater.catalog.lineage import base_sources, filled_state, is_behind
from slackwater.catalog.stored_files import Pending, StoredFiles
from slackwater.catalog.stored_records import arrangement_record
from slackwater.compiler.blocks import fuse
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.errors import ExecutionError
from slackwater.executors.engine_choice import Priced
from slackwater.executors.program_runner import ProgramRunner
from slackwater.executors.written import RunPlace, Written
from slackwater.faults import reach
from slackwater.frontend.sql.planner import Fragment
from slackwater.plan.observations import FACTOR, Observed
from slackwater.plan.prices import SPARK
from slackwater.plan.program import AppendStep, Origin, Program
from slackwater.plan.view_plan import ViewPlan
from slackwater.planning.large_windows import known_facts
from slackwater.planning.plans import Plans
from slackwater.running.announce import announce_decisions
from slackwater.running.decide import (
    Decision,
    decide,
    predicted_bytes,
    readable_rows,
)
from slackwater.running.forecast import Estimates, Forecast, by_origin
from slackwater.running.refresh_choice import (
    Memory,
    Weighing,
    incremental_origin,
    regret_origin,
    shares,
)
from slackwater.running.results import (
    RunResult,
    StateSize,
    ViewRun,
    failed_row,
    history_row,
    replanned_row,
    skipped,
)
from slackwater.running.stored_sizes import StoredSizes
from slackwater.spark.metering import Meter, Metrics
from slackwater.state.metadata.errors import MetadataError
from slackwater.state.metadata.records import (
    NewSegment,
    ProgressRecord,
    Transaction,
)

_LEAST_PRICE = 1e-3
_FACTORS = (0.1, 20.0)
"""The least and the most that Spark's runs are taken to differ from their price."""


def view_task(view: ViewDefinition, action: Action, plan: ViewPlan) -> ViewTask:
    """A view's part in a run."""
    return ViewTask(view.name, plan, view.columns, action)


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
        self._outdated = outdated
        self._catalog = home.catalog()
        known = known_facts(home.folder, self._catalog)
        self._facts = replace(known, sums_fit=known.sums_fit and sums_fit)
        self._plans = Plans(self._catalog, self._facts)
        self._pending = Pending.of(self._catalog)
        self._rows = readable_rows(self._catalog)
        self._sizes = StoredSizes(home.folder, StoredFiles(self._catalog), home.observations)

    def decisions(self) -> tuple[Decision, ...]:
        """What the run would do with every view, before prices are looked at."""
        return tuple(
            decide(
                view,
                self._catalog,
                self._plans,
                self._pending,
                outdated=self._outdated.get(view.name),
            )
            for view in self._catalog.views.values()
        )

    def settle(self, decisions: tuple[Decision, ...]) -> tuple[tuple[Decision, ...], Program]:
        """What the run does with every view, and its statements."""
        rows = self._moved_rows(decisions)

        def price(program: Program, slowdown: float) -> Priced:
            files = StoredFiles(self._catalog)
            return self._runner.choice.price(program, self._sizes, files, rows, slowdown)

        weighing = Weighing(self.program, price, self._kept_by_view(decisions), self._recall)
        settled, program = weighing.settle(decisions)
        for each in settled:
            self._plans.adopt(each.view, each.action, each.reason)
        return settled, program

    def _kept_by_view(self, decisions: tuple[Decision, ...]) -> dict[str, frozenset[str]]:
        return {each.view.name: frozenset(self._needed_by(each)) for each in decisions}

    def _recall(self, view: str) -> Memory:
        """What earlier runs say of a view."""
        regret = self._sizes.observed(regret_origin(view))
        last = self._sizes.observed(incremental_origin(view))
        return Memory(0.0 if regret is None else regret.seconds, last)

    def relies_on_sums(self) -> bool:
        """Whether a view keeps running sums that may not fit their type."""
        careful = Plans(self._catalog, replace(self._facts, sums_fit=False))
        return any(
            self._plans[name].arrangements != careful[name].arrangements
            for name in self._catalog.state.views
        )

    def program(self, decisions: tuple[Decision, ...]) -> Program:
        """The statements of the run; those of an earlier one that had the same to do."""
        run = self._run_facts(decisions)

        def write() -> Program:
            tasks = tuple(
                view_task(each.view, each.action, self._plan_after(each)) for each in decisions
            )
            return fuse(write_program(run, tasks))

        views, sources = self._catalog.state.views, self._catalog.state.sources
        key = (
            tuple(
                (views[each.view.name].definition, self._plans.after(each.view, each.action)[1])
                for each in decisions
            ),
            tuple(each.action for each in decisions),
            tuple((name, each.definition) for name, each in sources.items()),
            (run.changed, frozenset(run.stored)),
        )
        return self._runner.programs.program(key, write)

    def execute(self) -> RunResult:
        """Decide, compute, write, commit."""
        started = datetime.now(UTC)
        meter = Meter(self._runner.session)
        with meter.measure("slackwater refresh") as metrics:
            with meter.phase("planning"):
                decisions = self.decisions()
                idle = all(each.action is Action.SKIP for each in decisions)
                if idle and not self._behind():
                    return RunResult(self._catalog.state.commit, 0.0, skipped(decisions))
                decisions, program = self.settle(decisions)
                announce_decisions(self._home.events, decisions, self._changed)
                rows, files = self._moved_rows(decisions), StoredFiles(self._catalog)
                priced = self._runner.choice.price(program, self._sizes, files, rows)
                forecast = Forecast.of(program, self._sizes, priced.rates, priced.seconds)
            reach("run.before")
            written = self._write(program, self._place(decisions), meter)
            reach("run.written")
        estimates = Estimates(forecast.q_errors(written.observed), forecast.seconds)
        metrics.estimates = estimates.as_dict()
        metrics.rows_written = sum(file.rows for file in written.files)
        metrics.state_bytes_written = sum(file.bytes for file in written.files)
        sizes = {each.view.name: self._state_size(each, program, written) for each in decisions}
        views = tuple(self._view_run(each, written, sizes[each.view.name]) for each in decisions)
        transaction = self._transaction(decisions, program, written, views, (started, metrics))
        with meter.phase("committing"):
            commit = self._home.commit(transaction, after=self._catalog.state.commit)
        metrics.wall_seconds += metrics.phases["committing"]
        self._note_commit(commit.version, decisions, views, (started, metrics))
        observed = by_origin(program, written.observed, metrics.wall_seconds)
        if written.engine == SPARK and priced.engine == SPARK:
            observed[FACTOR] = self._spark_factor(priced.total, metrics.wall_seconds)
        self._home.observations.note(self._home.writer, commit.version, written.engine, observed)
        self._remember(commit.version, decisions, program, written)
        return RunResult(commit.version, metrics.wall_seconds, views, metrics, estimates=estimates)

    def _spark_factor(self, price: float, seconds: float) -> Observed:
        """The factor by which Spark's runs take longer than their price, halfway to the last one's.

        Spark cannot time single steps, so that one number stands for all.
        """
        before = self._sizes.observed(FACTOR, SPARK)
        factor = 1.0 if before is None else before.seconds
        last = factor * seconds / max(price, _LEAST_PRICE)
        least, most = _FACTORS
        return Observed(0, 0, min(most, max(least, (factor * last) ** 0.5)))

    def _remember(
        self, version: int, decisions: tuple[Decision, ...], program: Program, written: Written
    ) -> None:
        """Note what taking changes in cost each view, and what it has come to regret."""
        names = (f"+{s.name}" if isinstance(s, AppendStep) else s.name for s in program.steps)
        nothing = Observed(0, 0)
        seconds = [written.observed.get(name, nothing).seconds for name in names]
        own = shares(program, seconds, self._kept_by_view(decisions))
        found: dict[Origin, Observed] = {}
        for each in decisions:
            view = each.view.name
            if each.action is Action.INCREMENTAL and own[view].seconds:
                found[incremental_origin(view)] = Observed(each.changed, 0, own[view].seconds)
            if each.regret or self._recall(view).regret:
                found[regret_origin(view)] = Observed(0, 0, each.regret)
        self._home.observations.note(self._home.writer, version, "", found)

    def _note_commit(
        self,
        version: int,
        decisions: tuple[Decision, ...],
        views: tuple[ViewRun, ...],
        timing: tuple[datetime, Metrics],
    ) -> None:
        """Add to the history how long the commit took, which is known only after it."""
        runs = (history_row(each, run, timing) for each, run in zip(decisions, views, strict=True))
        known = {run.view: (run.details, run.seconds) for run in runs if run.seconds}
        # The run is done, whether or not this can be written.
        with suppress(MetadataError):
            self._home.writer.note_runs(version, known)

    def culprits(self) -> tuple[str, ...]:
        """The views that fail by themselves, after a run of all has failed; costs another run."""
        decisions = {each.view.name: each for each in self.decisions()}
        found: list[str] = []
        for name, decision in decisions.items():
            read = self._views_below(decision.view)
            if decision.action is Action.SKIP or not read.isdisjoint(found):
                continue
            part = tuple(each for other, each in decisions.items() if other in {name, *read})
            place = self._place(part)
            try:
                self._write(self.program(part), place, Meter(self._runner.session))
            except ExecutionError:
                found.append(name)
            self._home.discard(place.stem)
        return tuple(found)

    def note_failure(self, problem: ExecutionError, culprits: tuple[str, ...]) -> None:
        """Have the history tell what a run was about that came to nothing."""
        now = datetime.now(UTC)
        rows = []
        for each in self.decisions():
            innocent = culprits and each.view.name not in culprits
            why = f"view {', '.join(culprits)} made the run fail" if innocent else problem.what
            if each.action is not Action.SKIP:
                rows.append(failed_row(each, why, now))
        self._home.writer.note_failed(rows)

    def _views_below(self, view: ViewDefinition) -> set[str]:
        """The views that a view reads, also through others."""
        found: set[str] = set()
        for name in read_names(view.plan):
            if name in self._catalog.state.views:
                found |= {name, *self._views_below(self._catalog.view(name))}
        return found

    def _write(self, program: Program, place: RunPlace, meter: Meter) -> Written:
        """Compute and write; a run that fails leaves nothing behind."""
        try:
            return self._runner.run(program, place, meter)
        except BaseException:
            self._home.discard(place.stem)
            raise

    def _behind(self) -> bool:
        """Whether there are batches to take note of, even if they hold no rows."""
        return any(is_behind(view, self._catalog) for view in self._catalog.views.values())

    def _run_facts(self, decisions: tuple[Decision, ...]) -> RunFacts:
        needed = self._needed(each for each in decisions if each.action is not Action.FILL)
        filled = needed & filled_state(self._catalog)
        return RunFacts(
            sources={name: source.columns for name, source in self._catalog.sources.items()},
            changed=frozenset(self._changed_sources()),
            stored={
                each: self._catalog.rows(each)
                for each in self._catalog.state.arrangements
                if each in filled
            },
        )

    def _changed_sources(self) -> Iterator[str]:
        """Sources with pending rows, and those of which outdated views read all rows again."""
        yield from (name for name, rows in self._pending.changed.items() if rows)
        for name in self._outdated:
            yield from base_sources(self._catalog.view(name), self._catalog)

    def _place(self, decisions: tuple[Decision, ...]) -> RunPlace:
        stem = f"{self._catalog.state.commit + 1:08d}-{uuid.uuid4().hex[:8]}"
        files = StoredFiles(self._catalog)
        rows = sum(self._pending.rows.values())
        moved = self._moved_rows(decisions)
        return RunPlace(self._home.folder, stem, files, self._fragments, rows, moved, self._sizes)

    def _moved_rows(self, decisions: tuple[Decision, ...]) -> int:
        """Changed rows of the sources that are read; all their rows where a view starts over."""
        moved: dict[str, int] = {}
        for each in decisions:
            if each.action is Action.SKIP:
                continue
            known = (
                self._pending.changed if each.action is Action.INCREMENTAL else self._pending.rows
            )
            for name in base_sources(each.view, self._catalog):
                moved[name] = max(moved.get(name, 0), known.get(name, 0))
        return sum(moved.values())

    def _state_size(self, decision: Decision, program: Program, written: Written) -> StateSize:
        """What the view keeps after the run, and what was to be expected of it."""
        view = decision.view
        filled = {step.arrangement.id for step in program.appends if step.fill}
        actual = 0
        for key in self._needed_by(decision):
            actual += 0 if key in filled else self._catalog.bytes(key)
            actual += sum(file.bytes for file in written.segments.get(key, ()))
        return StateSize(actual, predicted_bytes(self._plans[view.name], self._rows))

    def _view_run(self, decision: Decision, written: Written, size: StateSize) -> ViewRun:
        view = decision.view
        rows, changed = self._pending.over(base_sources(view, self._catalog))
        answer = written.segments.get(self._plans[view.name].answer.id, ())
        return ViewRun(
            view.name,
            decision.action.value,
            decision.reason,
            {Action.INCREMENTAL: changed, Action.SKIP: 0}.get(decision.action, rows),
            sum(file.rows for file in answer) if decision.action is not Action.SKIP else 0,
            size.actual,
            size.predicted,
        )

    def _changed(self, view: ViewDefinition) -> int:
        return self._pending.over(base_sources(view, self._catalog))[1]

    def _transaction(
        self,
        decisions: tuple[Decision, ...],
        program: Program,
        written: Written,
        views: tuple[ViewRun, ...],
        timing: tuple[datetime, Metrics],
    ) -> Transaction:
        state = self._catalog.state
        kept = {step.arrangement.id: step for step in program.appends}
        replaced = {key for key, step in kept.items() if step.fill}
        needed = self._needed(decisions)
        return Transaction(
            "run",
            add_arrangements=tuple(
                arrangement_record(step.arrangement)
                for key, step in kept.items()
                if key not in state.arrangements
            ),
            drop_arrangements=tuple(key for key in state.arrangements if key not in needed),
            add_segments=tuple(
                NewSegment(key, file) for key, files in written.segments.items() for file in files
            ),
            remove_segments=tuple(
                each.id for key in replaced for each in self._catalog.segments(key)
            ),
            plans=self._plans.new,
            progress=tuple(self._progress()),
            filled=self._filled(decisions),
            sums_outgrown=not self._facts.sums_fit,
            runs=(
                *(
                    replanned_row(view, str(why), timing[0])
                    for view, why in self._plans.replanned.items()
                ),
                *(history_row(*pair, timing) for pair in zip(decisions, views, strict=True)),
            ),
        )

    def _filled(self, decisions: tuple[Decision, ...]) -> tuple[str, ...]:
        """Views without sources have no progress that could tell that they are filled."""
        return tuple(
            each.view.name
            for each in decisions
            if each.action is Action.FILL and not base_sources(each.view, self._catalog)
        )

    def _needed(self, decisions: Iterable[Decision]) -> set[str]:
        needed = {each.arrangement for each in self._catalog.state.sources.values()}
        for each in decisions:
            needed |= self._needed_by(each)
        return needed

    def _plan_after(self, decision: Decision) -> ViewPlan:
        return self._plans.after(decision.view, decision.action)[0]

    def _needed_by(self, decision: Decision) -> set[str]:
        return set(self._plan_after(decision).arrangements)

    def _progress(self) -> Iterable[ProgressRecord]:
        for view in self._catalog.views.values():
            for source in base_sources(view, self._catalog):
                yield ProgressRecord(view.name, source, self._catalog.logs.end(source))
