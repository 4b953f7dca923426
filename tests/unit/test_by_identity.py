from __future__ import annotations

from slackwater.algebra.by_identity import remembered
from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Scan
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import ColumnId
from slackwater.types import BIGINT


def _scan() -> Scan:
    return Scan("t", (Column(ColumnId(1), "a", BIGINT),))


def test_a_plan_is_looked_at_once() -> None:
    seen: list[Rel] = []

    @remembered
    def look(rel: Rel) -> int:
        seen.append(rel)
        return len(seen)

    one, equal = _scan(), _scan()
    assert (look(one), look(equal), look(one)) == (1, 2, 1)
    assert len(seen) == 2
