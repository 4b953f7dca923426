"""The engine behind a session: one home, one Spark session, one planner."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.catalog.goals import Goal
from slackwater.catalog.home import Home
from slackwater.catalog.stored_records import (
    arrangement_record,
    goal_records,
    source_record,
    view_record,
)
from slackwater.engine.options import Options
from slackwater.engine.queries import Queries
from slackwater.errors import ExecutionError, NumberTooLargeError
from slackwater.events import Events, Warned
from slackwater.executors.program_runner import ProgramRunner
from slackwater.explain.explainer import Explainer
from slackwater.explain.explanations import Explanation
from slackwater.faults import reach
from slackwater.frontend.sql.planner import Planner
from slackwater.ingest.ingestion import Ingestion, IngestResult, Marks
from slackwater.maintenance.maintenance import Compaction, Maintenance
from slackwater.plan.stored_plans import dump_view_plan
from slackwater.planning.declare import Declaration, NewSource, NewView, offer_view
from slackwater.planning.large_windows import known_facts
from slackwater.planning.plans import Plans, make_plan
from slackwater.planning.views import called_functions, require_unread
from slackwater.reading.changes import ChangeReader
from slackwater.reading.reader import Reader
from slackwater.reading.verify import Verifier, VerifyResult
from slackwater.running.announce import announce_warnings
from slackwater.running.decide import predicted_bytes, readable_rows
from slackwater.running.results import RunResult
from slackwater.running.run import Run
from slackwater.spark.pinned_settings import settings_to_pin
from slackwater.spark.printed import reading_as
from slackwater.state.metadata.errors import MetadataError
from slackwater.state.metadata.records import Transaction

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _in_turn(
    method: Callable[Concatenate[Keeper, _P], _R],
) -> Callable[Concatenate[Keeper, _P], _R]:
    """Have threads that share a session wait for one another: its engines serve one at a time."""

    @wraps(method)
    def alone(keeper: Keeper, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with keeper.turn:
            return method(keeper, *args, **kwargs)

    return alone


class Keeper:
    """Everything a session can do, on one home."""

    def __init__(self, home: Home, spark: SparkSession, options: Options):
        """Use `Keeper.open`."""
        self.home = home
        self.spark = spark
        self.turn = RLock()
        home.events = options.events
        self._maintenance = Maintenance(home, options.retention)
        if not home.read_only:
            reach("recover.before")
            self._maintenance.recover()
            reach("recover.after")
        self._queries = Queries(home, spark)
        self._runner = ProgramRunner(self._queries.session, options.forms, self.events.tell)
        self._reader = Reader(home, spark)

    @property
    def events(self) -> Events:
        """The listeners, and what they are told."""
        return self.home.events

    @staticmethod
    def open(folder: Path, spark: SparkSession, options: Options) -> Keeper:
        """Open a home with a session."""
        if options.read_only:
            home = Home.look(folder, options.metadata)
        else:
            home = Home.open(folder, options.metadata)
        try:
            if not home.read_only:
                _pin_settings(home, spark)
            return Keeper(home, spark, options)
        except BaseException:
            home.close()
            raise

    @_in_turn
    def close(self, *, failed: bool = False) -> None:
        """Release the home, once nothing is being merged; after a failure that is given up."""
        try:
            if failed:
                self._maintenance.abandon()
            else:
                self._maintenance.close()
        finally:
            self._runner.local.close()
            self.home.close()
        for failure in self._maintenance.take_failures():
            self.events.tell(Warned(failure))
            warnings.warn(failure, RuntimeWarning, stacklevel=4)

    def catalog(self, commit: int | None = None) -> Catalog:
        """What exists."""
        return self.home.catalog(commit)

    @_in_turn
    def create_source(
        self,
        name: str,
        schema: StructType | str,
        key: tuple[str, ...],
        append_only: bool,
        on_missing: str,
    ) -> SourceDefinition:
        """Declare a source."""
        self.home.require_writable()
        self.catalog().require_free(name)
        with reading_as(self._queries.session):
            source = NewSource(name, schema, key, append_only, on_missing).definition()
        self._queries.planner.add_table(source.table(None))
        self.home.commit(
            Transaction(
                "create_source",
                add_sources=(source_record(source),),
                add_arrangements=(arrangement_record(source.arrangement),),
            )
        )
        return source

    @_in_turn
    def ingest(
        self,
        name: str,
        rows: object,
        op: str | None,
        weight: str | None,
        marks: Marks,
    ) -> IngestResult:
        """Take a batch into a source."""
        self.home.require_writable()
        self.events.progress(f"ingesting into {name}")
        source = self.catalog().source(name)
        ingestion = Ingestion(self.home, self._runner, source)
        return ingestion.ingest(rows, op, weight, marks)

    @_in_turn
    def marks(self, name: str) -> dict[str, str]:
        """What was remembered with the batches of a source."""
        self.catalog().source(name)
        return dict(self.home.store.positions(name))

    @_in_turn
    def create_view(
        self, name: str, query: str | DataFrame, goal: Goal | None, refresh: str, scope: str
    ) -> ViewDefinition:
        """Declare a view."""
        self.home.require_writable()
        catalog = self.catalog()
        catalog.require_free(name)
        self._share_functions()
        new = NewView(name, query, goal, refresh, scope)
        planned = new.planned(self._queries.planner, catalog, catalog.declared_facts)
        view = planned.definition
        self._queries.fragments.update(planned.query.fragments)
        plan = make_plan(view, known_facts(self.home.folder, catalog, (view.stored,)))
        known = plan.answer.id in catalog.state.arrangements
        self.home.commit(
            Transaction(
                "create_view",
                add_views=(view_record(view, plan.answer),),
                goals=goal_records((view,)),
                plans={name: dump_view_plan(plan)},
                add_arrangements=() if known else (arrangement_record(plan.answer),),
            )
        )
        offer_view(self._queries.planner, view)
        return view

    @_in_turn
    def predicted_bytes(self, name: str) -> int:
        """About how much state a view takes at the present size of what it reads."""
        catalog = self.catalog()
        catalog.view(name)
        plans = Plans(catalog, known_facts(self.home.folder, catalog))
        return predicted_bytes(plans[name], readable_rows(catalog))

    @_in_turn
    def declare(
        self,
        sources: tuple[NewSource, ...],
        views: tuple[NewView, ...],
        drop_views: tuple[str, ...],
    ) -> None:
        """Drop views and create sources and views, all of it or nothing."""
        self.home.require_writable()
        self._share_functions()
        planner = Planner(self._queries.session)
        declaration = Declaration(self.home, planner, self.catalog(), drop_views)
        with reading_as(self._queries.session):
            for source in sources:
                declaration.add_source(source)
        for view in views:
            declaration.add_view(view)
        declaration.commit()
        self._queries.adopt(planner, declaration.fragments)

    def view(self, name: str) -> ViewDefinition:
        """A view that exists."""
        return self.catalog().view(name)

    @_in_turn
    def table(self, name: str) -> DataFrame:
        """A source or view to build queries on."""
        self._share_functions()
        return self._queries.planner.table(name)

    @_in_turn
    def refresh(self) -> RunResult:
        """Bring every view up to date, then have merged what has become many small files."""
        self.home.require_writable()
        self.events.progress("refreshing")
        views = self.catalog().views
        if any(called_functions(view.plan, view.sql) for view in views.values()):
            self._share_functions()
        for view in views.values():
            self._queries.find_fragments(view)
        result = self._run()
        self._queries.outdated.clear()
        self._maintenance.tidy()
        result = replace(result, notes=self._maintenance.take_failures())
        announce_warnings(self.events, result)
        return result

    def _run(self, *, sums_fit: bool = True) -> RunResult:
        """One run; if a number does not fit it is repeated without sums that may be the cause."""
        run = Run(
            self.home,
            self._runner,
            self._queries.fragments,
            sums_fit=sums_fit,
            outdated=self._queries.outdated,
        )
        try:
            return run.execute()
        except ExecutionError as problem:
            too_large = isinstance(problem, NumberTooLargeError)
            if not (too_large and sums_fit and run.relies_on_sums()):
                self._tell_of_failure(run, problem)
                raise
        return self._run(sums_fit=False)

    def _tell_of_failure(self, run: Run, problem: ExecutionError) -> None:
        """Name the views whose rows cannot be computed, in the error and in the history."""
        culprits: tuple[str, ...] = ()
        # Spark names a condition if data is at fault. A worker that was lost is no view's fault.
        if problem.where is not None:
            self.events.progress("looking for the view that fails")
            culprits = run.culprits()
        if culprits:
            problem.where = f"view {', '.join(culprits)}; {problem.where}"
        with suppress(MetadataError):
            run.note_failure(problem, culprits)

    @_in_turn
    def compact(self) -> Compaction:
        """Merge all segments that can be, and delete what nobody needs."""
        self.home.require_writable()
        self.events.progress("compacting")
        return self._maintenance.compact()

    @_in_turn
    def explain(self, name: str, kind: str) -> Explanation:
        """How a view is kept."""
        return Explainer(self.home, self.view(name)).explain(kind)

    @_in_turn
    def read(self, name: str, commit: int | None) -> DataFrame:
        """A view's answer."""
        catalog = self.catalog(commit)
        return self._reader.view(catalog.view(name), catalog)

    @_in_turn
    def changes(self, name: str, since: int, *, zset: bool) -> DataFrame:
        """What changed in a view's answer."""
        return ChangeReader(self.home, self._reader).changes(self.view(name), since, zset=zset)

    @_in_turn
    def verify(self, name: str) -> VerifyResult:
        """Compare a view with plain Spark."""
        view = self.view(name)
        self.events.progress(f"verifying {name}")
        return Verifier(self.home, self.spark, self._reader).verify(view)

    @_in_turn
    def drop_view(self, name: str) -> None:
        """Remove a view and what only it needs."""
        self.declare((), (), (name,))

    @_in_turn
    def drop_source(self, name: str) -> None:
        """Remove a source that no view reads."""
        self.home.require_writable()
        catalog = self.catalog()
        contents = catalog.contents(name)
        require_unread(catalog, name, "source")
        self.home.commit(
            Transaction(
                "drop_source",
                drop_sources=(name,),
                drop_arrangements=(contents,),
            )
        )
        self._queries.forget_tables()

    def _share_functions(self) -> None:
        """Take over functions that the user has registered since."""
        self._queries.share_functions(self._runner.sessions)


def _pin_settings(home: Home, spark: SparkSession) -> None:
    """Keep the settings that a new home is made under, and those that an older one lacks."""
    missing = settings_to_pin(spark, home.catalog().pinned)
    if missing:
        home.commit(Transaction("compact", pinned=missing))
