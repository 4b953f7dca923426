"""Declares views: plans the query, chooses rules, and refuses what a policy forbids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyspark.sql import DataFrame

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.columns import Output
from slackwater.algebra.operators import Filter, Project, Recompute, Scan
from slackwater.algebra.reads import read_names
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.root import split_root, stored_scan
from slackwater.algebra.serial import renumbered
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import RefreshPolicy, ViewDefinition
from slackwater.errors import CatalogError, UnsupportedStatementError
from slackwater.expr.nodes import Literal, UserCall, walk
from slackwater.frontend.sql.planner import Planner, Query
from slackwater.optimizer.normalize import normalize
from slackwater.plan.view_plan import ViewPlan
from slackwater.types import BOOLEAN
from slackwater.types.storage import storable


@dataclass(frozen=True, slots=True)
class PlannedView:
    """A view that can be kept, and the parts of it that Spark runs itself."""

    definition: ViewDefinition
    query: Query


def called_functions(plan: Rel, sql: str | None) -> frozenset[str]:
    """The functions of users that a view may call.

    Parts that are left to Spark do not say, so that every word of the text counts there.
    """
    called, hides_some = _user_calls(plan)
    return called.union(re.findall(r"\w+", sql or "")) if hides_some else called


@remembered
def _user_calls(plan: Rel) -> tuple[frozenset[str], bool]:
    """The functions that a plan calls, and whether parts of it may call others."""
    called = frozenset(
        node.name
        for rel in walk_rel(plan)
        for expr in rel.expressions
        for node in walk(expr)
        if isinstance(node, UserCall)
    )
    return called, any(isinstance(each, Recompute) for each in walk_rel(plan))


def plan_view(
    planner: Planner, catalog: Catalog, name: str, query: str | DataFrame, policy: RefreshPolicy
) -> PlannedView:
    """Plan a query as a view; sources and views it reads must exist."""
    text = query if isinstance(query, str) else None
    planned = planner.plan_sql(query) if isinstance(query, str) else planner.plan_dataframe(query)
    if text is None and planned.recomputed:
        reason = planned.recomputed[0].reason
        raise UnsupportedStatementError(
            f"a part of the DataFrame has no form that can be kept: {reason}",
            where=f"view {name}",
            hint="Write the view as SQL text, which can be planned again in another process.",
        )
    plan = inline_views(normalized_root(planned.rel), catalog)
    if policy is RefreshPolicy.FULL:
        plan = _apart(plan)
    definition = ViewDefinition(
        name=name,
        sql=text,
        plan=plan,
        columns=planned.names,
        spark_schema=planned.spark_schema,
        query=planned.rel if text is None else None,
        policy=policy,
        notes=planned.notes,
    )
    _require_storable(definition)
    return PlannedView(definition, planned)


def _apart(rel: Rel) -> Rel:
    """A plan whose answer is no state of other views: it comes out otherwise, to the last bit."""
    root = split_root(rel)
    if isinstance(root.stored, Recompute):
        # Whoever keeps it keeps its answer, and nothing else.
        return rel
    return root.finished(Filter(root.stored, Literal("true", BOOLEAN)))


def normalized_root(rel: Rel) -> Rel:
    """The plan with its stored part in the form that rules are written for."""
    root = split_root(rel)
    return root.finished(normalize(root.stored))


def inline_views(rel: Rel, catalog: Catalog) -> Rel:
    """Scans of views with a limit at their root, with that limit and its order spelled out.

    Views store their rows before the limit, so it is applied where they are read.
    """
    views = catalog.views
    last = max((column.id for each in walk_rel(rel) for column in each.columns), default=0)

    def replaced(each: Rel) -> Rel:
        nonlocal last
        if isinstance(each, Scan) and each.source in views:
            view = views[each.source]
            plan = renumbered(view.root.as_table(stored_scan(view.name, view.stored)), last)
            last += max(column.id for part in walk_rel(plan) for column in part.columns)
            pairs = zip(each.columns, plan.columns, strict=True)
            return Project(plan, tuple(Output(own, read.ref()) for own, read in pairs))
        inputs = tuple(map(replaced, each.inputs))
        return each if inputs == each.inputs else each.with_inputs(inputs)

    return replaced(rel)


def _require_storable(view: ViewDefinition) -> None:
    for column in view.stored.columns:
        reason = storable(column.dtype)
        if reason is not None:
            raise CatalogError(
                f"column {column.name} cannot be kept: {reason}",
                where=f"view {view.name}",
                hint="Cast the column to a type that can be stored, such as STRING.",
            )


def operator_name(rel: Rel) -> str:
    """The name of an operator for its user."""
    return "a part left to Spark" if isinstance(rel, Recompute) else type(rel).__name__


def require_incremental(name: str, plan: ViewPlan) -> None:
    """Refuse a strict view any part of which would be recomputed."""
    for each in plan.recomputed:
        raise CatalogError(
            f"{operator_name(each.rel)} would be recomputed: {each.chosen.recomputes}",
            where=f"view {name}, refresh=strict",
            hint='Rewrite that part of the query, or create the view with refresh="auto".',
        )


def readers(catalog: Catalog, name: str) -> Iterator[str]:
    """The views that read a source or view."""
    for view in catalog.views.values():
        if name in read_names(view.plan):
            yield view.name


def require_unread(catalog: Catalog, name: str, kind: str, besides: Iterable[str] = ()) -> None:
    """Refuse to go on while a view reads a source or view; `besides` are views that may."""
    users = [each for each in readers(catalog, name) if each not in besides]
    if users:
        raise CatalogError(
            f"{kind} {name} is read by {', '.join(users)}",
            hint="Drop those views first.",
        )


def with_readers(catalog: Catalog, names: Iterable[str]) -> tuple[str, ...]:
    """Views and all views that read them, each after those it reads."""
    found = set(names)
    for view in catalog.views.values():
        if not found.isdisjoint(read_names(view.plan)):
            found.add(view.name)
    return tuple(name for name in catalog.views if name in found)
