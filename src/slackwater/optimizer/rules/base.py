"""The base of rules: rewrites that say how an operator could be kept, and what state that takes.

How its changes are then computed is the business of `compiler/lowering`, by the same name.
"""

from __future__ import annotations

from abc import ABC
from typing import Generic, TypeVar

from slackwater.algebra.rel import Rel
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import Alternative, KeptState, Refusal
from slackwater.types.storage import storable

R = TypeVar("R", bound=Rel)


class Rule(ABC, Generic[R]):
    """Turns an operator into an alternative, or says why it does not fit."""

    name: str
    operator: type[R]
    unstable = False
    """Computing the same rows twice may give answers that differ in a last bit."""

    def concerns(self, rel: Rel) -> bool:
        """Tell if the rule is about operators like this one at all."""
        return isinstance(rel, self.operator)

    def alternative(self, rel: R, facts: Facts) -> Alternative | Refusal:
        """The operator as this rule keeps it."""
        reason = self.refuses(rel, facts)
        state = () if reason is not None else self.state(rel)
        reason = reason or unstorable(state)
        if reason is not None:
            return Refusal(self.name, reason)
        return Alternative(self.name, state, self.recomputes(rel), self.unstable)

    def refuses(self, _rel: R, _facts: Facts) -> str | None:
        """The reason why the rule does not fit this instance of its operator; None if it fits."""
        return None

    def recomputes(self, _rel: R) -> str | None:
        """The reason why the work follows the relation's size, not the change's; None if not."""
        return None

    def state(self, _rel: R) -> tuple[KeptState, ...]:
        """The state the rule keeps for an operator that it fits."""
        return ()


def unstorable(state: tuple[KeptState, ...]) -> str | None:
    """The reason why some state cannot be kept; None if all can."""
    reasons = (storable(dtype) for each in state for dtype in each.arrangement.types)
    return next((reason for reason in reasons if reason is not None), None)
