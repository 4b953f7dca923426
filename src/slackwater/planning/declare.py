"""Changes what a home declares: views go, sources and views come, all in one commit.

All that comes is planned before the commit, so a mistake in one definition leaves the home as
it was.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import cast

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import (
    RefreshPolicy,
    SourceDefinition,
    ViewDefinition,
    read_on_missing,
    read_policy,
    read_scope,
)
from slackwater.catalog.goals import Goal
from slackwater.catalog.home import Home
from slackwater.catalog.stored_records import (
    arrangement_record,
    goal_records,
    source_record,
    view_record,
)
from slackwater.errors import CatalogError, SqlError
from slackwater.frontend.sql.planner import Fragment, Planner
from slackwater.plan.facts import Facts
from slackwater.plan.stored_plans import dump_view_plan
from slackwater.plan.view_plan import ViewPlan
from slackwater.planning.large_windows import known_facts
from slackwater.planning.plans import Plans, make_plan
from slackwater.planning.views import (
    PlannedView,
    plan_view,
    require_incremental,
    require_unread,
)
from slackwater.state.metadata.records import CommitKind, Transaction


@dataclass(frozen=True, slots=True)
class NewSource:
    """A source to be: as for `Session.create_source`."""

    name: str
    schema: StructType | str
    key: tuple[str, ...] = ()
    append_only: bool = False
    on_missing: str = "error"

    def definition(self) -> SourceDefinition:
        """As the catalog is to have it; raises `CatalogError` for what cannot be a source."""
        columns = self._columns()
        named = {name.lower(): name for name in columns.fieldNames()}
        key = tuple(named.get(name.lower(), name) for name in self.key)
        policy = read_on_missing(self.on_missing).value
        source = SourceDefinition(self.name, columns.json(), key, self.append_only, policy)
        _ = source.spec
        return source

    def _columns(self) -> StructType:
        if isinstance(self.schema, StructType):
            return self.schema
        if not isinstance(self.schema, str):
            raise CatalogError(
                f"a schema cannot be given as {type(self.schema).__name__}",
                where=f"source {self.name}",
                hint="Give columns as text, such as 'id BIGINT, name STRING', or a StructType.",
            )
        try:
            return cast("StructType", StructType.fromDDL(self.schema))
        except PySparkException as problem:
            said = str(problem).split("== SQL", 1)[0].strip().splitlines()[0]
            raise CatalogError(
                f"the columns cannot be read: {said}",
                where=f"source {self.name}, {self.schema!r}",
                hint="Write them as in 'id BIGINT, name STRING'.",
            ) from None


_HINTS = {
    "query": "Give SQL text, or a DataFrame made of tables of this session.",
    "goal": "Give a slackwater.Goal, such as Goal(slack='30s').",
}


@dataclass(frozen=True, slots=True)
class NewView:
    """A view to be: as for `Session.create_view`."""

    name: str
    query: str | DataFrame
    goal: Goal | None = None
    refresh: str = "auto"
    scope: str = "all"

    def planned(self, planner: Planner, catalog: Catalog, declared: Facts) -> PlannedView:
        """The view, if it can be: what it reads exists, and its policy allows its plan."""
        self._check()
        policy = read_policy(self.refresh)
        planned = plan_view(planner, catalog, self.name, self.query, policy)
        view = replace(planned.definition, goal=self.goal, scope=read_scope(self.scope, self.name))
        if policy is RefreshPolicy.STRICT:
            require_incremental(self.name, make_plan(view, declared))
        return replace(planned, definition=view)

    def _check(self) -> None:
        """Refuse what is no view whatever the home holds."""
        if not self.name.strip():
            raise CatalogError("a view needs a name", hint="Call it after what it answers.")
        kinds = {"query": (str, DataFrame), "goal": (Goal, type(None))}
        for part, kind in kinds.items():
            given = getattr(self, part)
            if not isinstance(given, kind):
                raise CatalogError(
                    f"a {part} cannot be given as {type(given).__name__}",
                    where=f"view {self.name}",
                    hint=_HINTS[part],
                )


@dataclass
class Declaration:
    """What is to go and to come, and the catalog as it will be then."""

    home: Home
    planner: Planner
    """One that nobody else uses yet; it learns of everything there will be."""
    before: Catalog
    dropped: tuple[str, ...]
    catalog: Catalog = field(init=False)
    _sources: list[SourceDefinition] = field(default_factory=list)
    _views: list[tuple[PlannedView, ViewPlan]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take the dropped views away, and offer what stays to the planner."""
        for name in self.dropped:
            self.before.view(name)
            require_unread(self.before, name, "view", besides=self.dropped)
        state = self.before.state
        kept = {n: each for n, each in state.views.items() if n not in self.dropped}
        plans = {name: text for name, text in state.plans.items() if name in kept}
        goals = {name: goal for name, goal in state.goals.items() if name in kept}
        self.catalog = Catalog(replace(state, views=kept, plans=plans, goals=goals))
        for source in self.catalog.sources.values():
            self.planner.add_table(source.table(None))
        for view in self.catalog.views.values():
            offer_view(self.planner, view)

    def add_source(self, new: NewSource) -> None:
        """Have a source come."""
        self.catalog.require_free(new.name)
        source = new.definition()
        state = self.catalog.state
        sources = {**state.sources, source.name: source_record(source)}
        self.catalog = Catalog(replace(state, sources=sources))
        self._sources.append(source)
        self.planner.add_table(source.table(None))

    def add_view(self, new: NewView) -> None:
        """Have a view come; what it reads has come before."""
        self.catalog.require_free(new.name)
        try:
            planned = new.planned(self.planner, self.catalog, self.catalog.declared_facts)
        except SqlError as problem:
            # The error shows the place in the text, but many views may be declared at once.
            problem.what = f"view {new.name} cannot be planned: {problem.what}"
            raise
        view, state = planned.definition, self.catalog.state
        plan = make_plan(view, known_facts(self.home.folder, self.catalog, (view.stored,)))
        record = view_record(view, plan.answer, state.commit + 1)
        self.catalog = Catalog(replace(state, views={**state.views, view.name: record}))
        self._views.append((planned, plan))
        offer_view(self.planner, view)

    @property
    def fragments(self) -> dict[str, Fragment]:
        """The parts of the views that Spark runs."""
        found = (planned.query.fragments for planned, _ in self._views)
        return {name: each for fragments in found for name, each in fragments.items()}

    def commit(self) -> None:
        """Make it real."""
        gone = self._unneeded_state()
        known = self.before.state.arrangements.keys() - gone
        views = [(planned.definition, plan) for planned, plan in self._views]
        answers = {plan.answer.id: plan.answer for _, plan in views}
        contents = {source.arrangement.id: source.arrangement for source in self._sources}
        new = [each for id_, each in (contents | answers).items() if id_ not in known]
        transaction = Transaction(
            self._kind(),
            drop_views=self.dropped,
            drop_arrangements=tuple(sorted(gone)),
            add_sources=tuple(map(source_record, self._sources)),
            add_views=tuple(view_record(view, plan.answer) for view, plan in views),
            goals=goal_records(view for view, _ in views),
            plans={view.name: dump_view_plan(plan) for view, plan in views},
            add_arrangements=tuple(map(arrangement_record, new)),
        )
        self.home.commit(transaction)

    def _kind(self) -> CommitKind:
        if self._views:
            return "create_view"
        return "create_source" if self._sources else "drop_view"

    def _unneeded_state(self) -> frozenset[str]:
        """What only dropped views need; a new view starts empty, also in place of an old one."""
        plans = Plans(self.before, self.before.facts)
        own: set[str] = set()
        kept: set[str] = set()
        for name in self.before.views:
            (own if name in self.dropped else kept).update(plans[name].arrangements)
        return frozenset(own - kept) & self.before.state.arrangements.keys()


def offer_view(planner: Planner, view: ViewDefinition) -> None:
    """Let queries read a view, unless it has two columns of one name: those no query can."""
    with suppress(CatalogError):
        planner.add_table(view.table(None))
