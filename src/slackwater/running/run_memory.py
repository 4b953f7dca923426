"""Remembers for later runs how long steps took, and what views came to regret."""

from __future__ import annotations

from contextlib import suppress

from slackwater.catalog.home import Home
from slackwater.compiler.tasks import Action
from slackwater.executors.engine_choice import Priced
from slackwater.plan.observations import FACTOR, Observed
from slackwater.plan.prices import SPARK
from slackwater.plan.program import AppendStep, Origin
from slackwater.running.forecast import by_origin
from slackwater.running.outcome import Outcome
from slackwater.running.refresh_choice import Memory, incremental_origin, regret_origin, shares
from slackwater.running.stored_sizes import StoredSizes
from slackwater.state.metadata.errors import MetadataError
from slackwater.state.metadata.records import RunRecord

_LEAST_PRICE = 1e-3
_FACTORS = (0.1, 20.0)
"""The least and the most that Spark's runs are taken to differ from their price."""


class RunMemory:
    """The observations of a home, as a run reads and adds to them."""

    def __init__(self, home: Home, sizes: StoredSizes):
        """Nothing is noted yet."""
        self._home = home
        self._sizes = sizes

    def recall(self, view: str) -> Memory:
        """The word of earlier runs on a view."""
        regret = self._sizes.observed(regret_origin(view))
        last = self._sizes.observed(incremental_origin(view))
        return Memory(0.0 if regret is None else regret.seconds, last)

    def note(self, version: int, outcome: Outcome, priced: Priced, seconds: float) -> None:
        """Note what a run of so many seconds teaches of steps, of Spark and of views."""
        written = outcome.written
        observed = by_origin(outcome.program, written.observed, seconds)
        if written.engine == SPARK and priced.engine == SPARK:
            observed[FACTOR] = self._spark_factor(priced.total, seconds)
        self._home.observations.note(self._home.writer, version, written.engine, observed)
        self._home.observations.note(self._home.writer, version, "", self._by_view(outcome))

    def note_times(self, version: int, history: tuple[RunRecord, ...]) -> None:
        """Add to the history how long the commit took, which is known only after it."""
        known = {run.view: (run.details, run.seconds) for run in history if run.seconds}
        # The run is done, whether or not this can be written.
        with suppress(MetadataError):
            self._home.writer.note_runs(version, known)

    def _spark_factor(self, price: float, seconds: float) -> Observed:
        """The factor by which Spark's runs take longer than their price, halfway to the last one's.

        Spark cannot time single steps, so that one number stands for all.
        """
        before = self._sizes.observed(FACTOR, SPARK)
        factor = 1.0 if before is None else before.seconds
        last = factor * seconds / max(price, _LEAST_PRICE)
        least, most = _FACTORS
        return Observed(0, 0, min(most, max(least, (factor * last) ** 0.5)))

    def _by_view(self, outcome: Outcome) -> dict[Origin, Observed]:
        """The cost of taking changes in, and the regret, of each view."""
        program, observed = outcome.program, outcome.written.observed
        names = (f"+{s.name}" if isinstance(s, AppendStep) else s.name for s in program.steps)
        nothing = Observed(0, 0)
        seconds = [observed.get(name, nothing).seconds for name in names]
        own = shares(program, seconds, outcome.found.kept_by_view(outcome.decisions))
        found: dict[Origin, Observed] = {}
        for each in outcome.decisions:
            view = each.view.name
            if each.action is Action.INCREMENTAL and own[view].seconds:
                found[incremental_origin(view)] = Observed(each.changed, 0, own[view].seconds)
            if each.regret or self.recall(view).regret:
                found[regret_origin(view)] = Observed(0, 0, each.regret)
        return found
