"""Records of definitions, in the form in which a transaction adds them to the catalog."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.plan.arrangements import Arrangement
from slackwater.state.metadata.records import (
    ArrangementRecord,
    GoalRecord,
    SourceRecord,
    ViewRecord,
)


def source_record(source: SourceDefinition) -> SourceRecord:
    """A source, with the arrangement of its rows."""
    return SourceRecord(source.name, source.dump(), source.arrangement.id)


def view_record(view: ViewDefinition, answer: Arrangement, created: int = 0) -> ViewRecord:
    """A view, with the arrangement of its answer."""
    return ViewRecord(view.name, view.dump(), answer.id, created)


def arrangement_record(arrangement: Arrangement) -> ArrangementRecord:
    """An arrangement that holds nothing yet."""
    return ArrangementRecord(arrangement.id, arrangement.definition)


def goal_records(views: Iterable[ViewDefinition]) -> tuple[GoalRecord, ...]:
    """The goals of those views that have one."""
    stated = ((each.name, each.goal) for each in views)
    return tuple(
        GoalRecord(name, goal.slack, goal.final_work, goal.fresh)
        for name, goal in stated
        if goal is not None
    )
