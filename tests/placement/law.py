"""The law of placement: in however many partitions, and however its steps are placed, a program
leaves in every arrangement what it leaves there when the driver takes it whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.placement.place import NotPlaced, Placer
from slackwater.compiler.placement.placement_options import DEFAULT_OPTIONS, PlacementOptions
from slackwater.compiler.tasks import Action
from slackwater.executors.driver.engine import LocalEngine
from slackwater.plan.placed import PlacedProgram
from slackwater.plan.program import Program

from .programs import View
from .simulator import SimulatedHome, net_difference

Batches = Mapping[str, pa.Table]
_ROWS = (1.0, 3e4, 2e5, 1e6, 1e9)


@dataclass(frozen=True)
class Setting:
    """How programs are placed: in how many partitions, for how many rows, with what allowed."""

    partitions: int
    rows: float = 1e6
    options: PlacementOptions = DEFAULT_OPTIONS
    seed: int | None = None
    """With one, every frame is said to have many rows or few, so that all ways are taken once."""

    def rows_of(self, program: Program) -> dict[str, float]:
        """The rows that frames are said to have."""
        if self.seed is None:
            return {step.name: self.rows for step in program.steps if step.is_stored}
        random = Random(self.seed)
        return {step.name: random.choice(_ROWS) for step in program.steps}


def placed_for(view: View, program: Program, setting: Setting, *, keyed: bool) -> PlacedProgram:
    keys = {name: each.key for name, each in view.sources(keyed=keyed).items()}
    rows = setting.rows_of(program)
    found = Placer().place(program, rows, keys, setting.partitions, setting.options)
    assert not isinstance(found, NotPlaced)
    return found


def check_law(
    folder: Path,
    view: View,
    history: Sequence[Batches],
    settings: Sequence[Setting],
    *,
    keyed: bool = True,
) -> None:
    """Take a history of batches in, whole and placed, and compare what is kept after each."""
    engine = LocalEngine()
    programs = {each: view.program(each) for each in (Action.FILL, Action.INCREMENTAL)}
    whole = SimulatedHome(folder / "whole", view.sources(keyed=keyed), engine)
    homes = [
        SimulatedHome(folder / f"home{n}", view.sources(keyed=keyed), engine)
        for n in range(len(settings))
    ]
    for number, batches in enumerate(history):
        program = programs[Action.INCREMENTAL if number else Action.FILL]
        whole.ingest(batches)
        try:
            whole.run(program)
        except NotLocalError as problem:
            pytest.skip(f"only Spark knows: {problem}")
        expected = whole.net()
        for setting, home in zip(settings, homes, strict=True):
            home.ingest(batches)
            placed = placed_for(view, program, setting, keyed=keyed)
            home.run_placed(placed, setting.partitions)
            difference = net_difference(home.net(), expected)
            assert difference is None, f"run {number}, {setting}: {difference}"
    engine.close()
