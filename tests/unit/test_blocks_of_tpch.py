"""TPC-H views in blocks: all partitions together write what the driver writes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.algebra.operators import Scan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.root import split_root, stored_scan
from slackwater.algebra.serial import load_plan
from slackwater.compiler.blocks import fuse
from slackwater.compiler.placement.place import place
from slackwater.compiler.placement.placement_options import PlacementOptions
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.optimizer.choose import choose_plan
from slackwater.optimizer.normalize import normalize
from slackwater.plan.facts import Facts
from slackwater.plan.placed import PlacedProgram
from slackwater.plan.program import Program
from slackwater.plan.view_plan import ViewPlan
from slackwater.types import DataType
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

from .simulated_blocks import SmallState, weighted

_FOLDER = Path(__file__).parents[1] / "golden" / "tpch"
TPCH = {path.stem: path for path in sorted(_FOLDER.glob("*.json"))}

PARTITIONS = 3


def scans(rel: Rel) -> dict[str, Scan]:
    return {each.source: each for each in walk_rel(rel) if isinstance(each, Scan)}


def program_of(rel: Rel, plan: ViewPlan, action: Action) -> Program:
    sources = {name: tuple(c.name for c in scan.columns) for name, scan in scans(rel).items()}
    stored = {} if action is Action.FILL else dict.fromkeys(plan.arrangements, 1000)
    task = ViewTask("v", plan, tuple(column.name for column in rel.columns), action)
    return fuse(write_program(RunFacts(sources, frozenset(sources), stored), (task,)))


def placed(program: Program, state: SmallState) -> PlacedProgram:
    keys = {source: state.key(source) for source in state.types_by_source}
    found = place(program, {}, keys, PARTITIONS, PlacementOptions(alone_rows=0))
    assert isinstance(found, PlacedProgram)
    return found


@pytest.mark.parametrize("name", TPCH)
def test_blocks_write_what_the_driver_writes(name: str, tmp_path: Path) -> None:
    rel = split_root(normalize(load_plan(TPCH[name].read_text()))).stored
    plan = choose_plan(rel, stored_scan("v", rel), Facts(), recomputed=False)
    state = _state(rel, tmp_path)
    change = program_of(rel, plan, Action.INCREMENTAL)
    for number, program in enumerate((program_of(rel, plan, Action.FILL), change)):
        for source, rows in _tables(rel).items():
            state.arrive(source, _batch(rows, number))
        whole = state.contents_of(program, state.on_the_driver(program))
        parts, reports = state.in_blocks(placed(program, state), PARTITIONS)
        assert not [each.failed for each in reports if each.failed]
        assert state.contents_of(program, parts) == whole
        state.keep(program, parts)


def _tables(rel: Rel) -> dict[str, pa.Table]:
    """The rows of the sources, in the columns that are read."""
    tables = read_tpch(ensure_tpch(0.002))
    return {
        source: tables[source].select([column.name for column in scan.columns])
        for source, scan in scans(rel).items()
    }


def _state(rel: Rel, folder: Path) -> SmallState:
    types: dict[str, tuple[DataType, ...]] = {}
    keys: dict[str, tuple[int, ...]] = {}
    for source, scan in scans(rel).items():
        names = [column.name for column in scan.columns]
        types[source] = tuple(column.dtype for column in scan.columns)
        keys[source] = tuple(names.index(key) for key in TPCH_KEYS[source].primary or ())
    return SmallState(folder, types, keys)


def _batch(rows: pa.Table, number: int) -> pa.Table:
    """Most rows first; then some come while others go."""
    few = max(3, rows.num_rows // 50)
    if not number:
        return weighted(rows.slice(few))
    gone = weighted(rows.slice(few, few // 2), -1)
    return pa.concat_tables([weighted(rows.slice(0, few)), gone])
