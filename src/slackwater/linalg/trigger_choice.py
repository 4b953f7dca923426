"""The trigger for a change, and whether evaluating anew is cheaper."""

from __future__ import annotations

from slackwater.linalg.bound_changes import BoundChange
from slackwater.linalg.matrix_plan import MatrixPlan, Strategy
from slackwater.linalg.pricing import (
    affected,
    evaluation_operations,
    input_operations,
    trigger_operations,
)
from slackwater.linalg.trigger_compiler import find_trigger
from slackwater.linalg.triggers import Trigger

_PRICES_HELD = 1_000


class TriggerChoice:
    """The ways in which a plan may meet a change; each is worked out once."""

    def __init__(self, plan: MatrixPlan, *, adaptive: bool):
        """An adaptive one may evaluate anew although the plan has triggers."""
        self._plan = plan
        self._adaptive = adaptive
        self._triggers: dict[frozenset[str], Trigger] = {}
        self._prices: dict[object, tuple[float, float]] = {}

    def trigger(self, names: frozenset[str]) -> Trigger:
        """The trigger for a change of these inputs."""
        if names not in self._triggers:
            chosen = self._plan.chosen
            self._triggers[names] = find_trigger(chosen.compiled, names, chosen.options)
        return self._triggers[names]

    def choose(self, change: BoundChange) -> tuple[Strategy, float, float]:
        """The way to meet a change, its price in seconds, and that of the other way."""
        thin, full = self.prices(change)
        strategy = self._plan.chosen.strategy
        if self._adaptive and full < thin:
            strategy = Strategy.REEVALUATE
        return (strategy, full, thin) if strategy is Strategy.REEVALUATE else (strategy, thin, full)

    def prices(self, change: BoundChange) -> tuple[float, float]:
        """Seconds of the trigger, and of evaluating everything that it changes."""
        names, compiled = change.trigger.event.names, self._plan.chosen.compiled
        key = (names, tuple(change.sizes.items()))
        if key not in self._prices:
            if len(self._prices) >= _PRICES_HELD:
                self._prices.clear()
            thin = trigger_operations(compiled, change.trigger, change.sizes)
            anew = affected(compiled, names)
            full = [
                *input_operations(change.trigger.event, change.sizes),
                *evaluation_operations(compiled, anew, change.sizes),
            ]
            seconds = self._plan.prices.seconds
            self._prices[key] = seconds(thin), seconds(full)
        return self._prices[key]
