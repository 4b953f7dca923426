"""Views by every rule in blocks: all partitions together write what the driver writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.placement.place import place
from slackwater.compiler.placement.placement_options import PlacementOptions
from slackwater.compiler.tasks import Action
from slackwater.plan.placed import PlacedProgram

from ..golden.relations import KEPT
from ..placement.programs import KEYS, Rows, small_view
from .simulated_blocks import SmallState

TITLES = [title for title in KEPT if title != "a part left to Spark"]


@pytest.mark.parametrize("title", TITLES)
def test_blocks_write_what_the_driver_writes(title: str, tmp_path: Path) -> None:
    view = small_view(title)
    types = {name: tuple(c.dtype for c in scan.columns) for name, scan in view.scans.items()}
    places = {name: KEYS.get(name, tuple(range(len(each)))) for name, each in types.items()}
    state = SmallState(tmp_path, types, places)
    keys = {source: state.key(source) for source in types}
    try:
        rows = Rows(view, seed=len(title), numbered=True)
        batches = [rows.batches(*counts) for counts in ((60, 0), (12, 8), (5, 20))]
    except NotImplementedError as problem:
        pytest.skip(str(problem))
    for number, batch in enumerate(batches):
        program = view.program(Action.INCREMENTAL if number else Action.FILL)
        for source, table in batch.items():
            state.arrive(source, table)
        try:
            whole = state.contents_of(program, state.on_the_driver(program))
        except NotLocalError as problem:
            pytest.skip(problem.what.splitlines()[0])
        placed = place(program, {}, keys, 3, PlacementOptions(alone_rows=0))
        assert isinstance(placed, PlacedProgram)
        parts, reports = state.in_blocks(placed, 3)
        assert not [each.failed for each in reports if each.failed]
        assert state.contents_of(program, parts) == whole
        state.keep(program, parts)
