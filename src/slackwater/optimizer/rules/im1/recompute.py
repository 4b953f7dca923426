"""The rule of last resort: compute everything again and compare."""

from __future__ import annotations

from slackwater.algebra.operators import Recompute
from slackwater.algebra.rel import Rel
from slackwater.optimizer.rules.arrangement_keys import whole_row
from slackwater.optimizer.rules.base import Rule
from slackwater.plan.view_plan import RECOMPUTE, KeptState


class RecomputeAll(Rule[Rel]):
    """D(Q) = Q after the run less Q before it, the latter as it was kept.

    Whatever Spark can run can be kept this way. Only the answer is state.
    """

    name = RECOMPUTE
    operator = Rel
    unstable = True
    """Spark may give ties and sums in another order each time."""

    def recomputes(self, rel: Rel) -> str | None:
        """Always has a reason; a part that Spark runs itself says why it is one."""
        return rel.reason if isinstance(rel, Recompute) else "no rule keeps it incrementally"

    def state(self, rel: Rel) -> tuple[KeptState, ...]:
        """The answer."""
        return (KeptState(whole_row(rel), rel),)
