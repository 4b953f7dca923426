"""Rewrites changes row by row."""

from __future__ import annotations

from slackwater.algebra.operators import Project
from slackwater.optimizer.rules.base import Builder, Rule
from slackwater.optimizer.rules.rowwise import rowwise_delta
from slackwater.plan.frames import Frame


class ProjectChanges(Rule[Project]):
    """D(project(R)) = project(D(R)). Changes that become equal rows add up where it matters."""

    name = "project"
    operator = Project

    def delta(self, rel: Project, builder: Builder) -> Frame | None:
        """The operator over the changes of its input."""
        return rowwise_delta(rel, builder)
