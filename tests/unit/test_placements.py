"""What a lost task may repeat: rows that others have had must come out alike."""

from __future__ import annotations

import pytest

from slackwater.executors.spark.placements import sends_unstable
from slackwater.plan.placed import PlacedProgram, undivided
from slackwater.plan.program import Program

from .test_block_work import placed


@pytest.mark.parametrize(
    ("frame", "sent"), [("shops", True), ("changes", True), ("sums", False), ("count", False)]
)
def test_unstable_rows_may_stay_but_not_be_sent(frame: str, sent: bool) -> None:
    program = placed()
    unstable = Program(program.program.steps, unstable=frozenset({frame}))
    assert sends_unstable(PlacedProgram(unstable, program.blocks, program.readings)) is sent
    assert not sends_unstable(undivided(unstable))
