"""What the rules may rely on beside the plan itself."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operators import (
    Expand,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Range,
    Scan,
    Union,
    Values,
)
from slackwater.algebra.rel import Rel

_MONOTONE = (Filter, Project, Union, Expand, Generate, Values, Range)


@dataclass(frozen=True, slots=True)
class Facts:
    """Settings and knowledge of the sources that decide which rules are exact."""

    ansi: bool = True
    append_only: frozenset[str] = frozenset()
    """Sources that never lose a row."""

    def never_retracts(self, rel: Rel) -> bool:
        """Whether rows of the relation, once there, stay."""
        if isinstance(rel, Scan):
            return rel.source in self.append_only
        if isinstance(rel, Join):
            inner = rel.kind in (JoinKind.INNER, JoinKind.CROSS)
            return inner and all(map(self.never_retracts, rel.inputs))
        return isinstance(rel, _MONOTONE) and all(map(self.never_retracts, rel.inputs))
