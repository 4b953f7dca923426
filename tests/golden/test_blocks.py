"""TPC-H views in blocks: each partition is taken by the kernel, and all give what the driver gives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from slackwater.algebra.operators import Scan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.root import split_root, stored_scan
from slackwater.algebra.serial import load_plan
from slackwater.compiler.blocks import fuse
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.optimizer.choose import choose_plan
from slackwater.optimizer.normalize import normalize
from slackwater.plan.facts import Facts
from slackwater.plan.placed import PlacedProgram, undivided
from slackwater.plan.program import Program
from slackwater.plan.view_plan import ViewPlan
from slackwater.types import DataType
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from simulated_blocks import SmallState, joined, weighted  # noqa: E402

TPCH = {path.stem: path for path in sorted((Path(__file__).parent / "tpch").glob("*.json"))}


def scans(rel: Rel) -> dict[str, Scan]:
    return {each.source: each for each in walk_rel(rel) if isinstance(each, Scan)}


def program_of(rel: Rel, plan: ViewPlan, action: Action) -> Program:
    sources = {name: tuple(c.name for c in scan.columns) for name, scan in scans(rel).items()}
    stored = {} if action is Action.FILL else dict.fromkeys(plan.arrangements, 1000)
    task = ViewTask("v", plan, tuple(column.name for column in rel.columns), action)
    return fuse(write_program(RunFacts(sources, frozenset(sources), stored), (task,)))


def placed(program: Program) -> PlacedProgram:
    return undivided(program)


@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("name", TPCH)
def test_blocks_write_what_the_driver_writes(name: str, partitions: int, tmp_path: Path) -> None:
    rel = split_root(normalize(load_plan(TPCH[name].read_text()))).stored
    plan = choose_plan(rel, stored_scan("v", rel), Facts(), recomputed=False)
    tables = read_tpch(ensure_tpch(0.002))
    types: dict[str, tuple[DataType, ...]] = {}
    keys: dict[str, tuple[int, ...]] = {}
    for source, scan in scans(rel).items():
        names = [column.name for column in scan.columns]
        types[source] = tuple(column.dtype for column in scan.columns)
        keys[source] = tuple(names.index(key) for key in TPCH_KEYS[source].primary or ())
    state = SmallState(tmp_path, types, keys)
    fill = program_of(rel, plan, Action.FILL)
    change = program_of(rel, plan, Action.INCREMENTAL)
    for number, program in enumerate((fill, change, change)):
        for source, scan in scans(rel).items():
            rows = tables[source].select([column.name for column in scan.columns])
            few = max(3, rows.num_rows // 50)
            if number == 0:
                state.arrive(source, weighted(rows.slice(few)))
            else:
                gone = weighted(rows.slice(few * number, few // 2), -1)
                state.arrive(
                    source, joined(weighted(rows.slice(0, few), 1 if number == 1 else -1), gone)
                )
        whole = state.on_the_driver(program)
        parts, reports = state.in_blocks(placed(program), partitions)
        assert not [each.failed for each in reports if each.failed]
        assert state.contents_of(program, parts) == state.contents_of(program, whole)
        state.keep(program, parts)
