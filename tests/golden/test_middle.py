"""The pure middle as text: rewritten plans, chosen rules, programs. No Spark, a few seconds.

Each case is a text file under `normalize`, `rules` or `programs`; its first line is its title.
`SLACKWATER_REGENERATE=1 make test ARGS=tests/golden` writes the files anew; read the
difference before you commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Recompute, Scan, Window
from slackwater.algebra.plan_printer import PlanPrinter, print_plan
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.root import split_root, stored_scan
from slackwater.algebra.serial import load_plan
from slackwater.compiler.blocks import fuse
from slackwater.compiler.program_text import print_program_step
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.optimizer.choose import choose_plan
from slackwater.optimizer.normalize import normalize
from slackwater.plan.facts import Facts, LargeWindow
from slackwater.plan.view_plan import ViewPlan

from .relations import KEPT, LARGE, NORMALIZE

_NOTHING = Facts()
FOLDER = Path(__file__).parent
TPCH = {path.stem: path for path in sorted((FOLDER / "tpch").glob("*.json"))}


def _check(folder: str, title: str, text: str) -> None:
    name = re.sub(r"\W+", "_", title.removeprefix("noop: ")).strip("_")
    path = FOLDER / folder / f"{name}.txt"
    made = f"-- {title}\n{text}\n"
    if os.environ.get("SLACKWATER_REGENERATE"):
        path.write_text(made)
    assert path.exists(), f"no case {path.name}; SLACKWATER_REGENERATE=1 writes it"
    assert path.read_text() == made


@pytest.mark.parametrize("title", NORMALIZE)
def test_normalize(title: str) -> None:
    before = NORMALIZE[title]
    after = normalize(before)
    if title.startswith("noop: "):
        assert after == before
    else:
        assert after != before
        assert after.columns == before.columns
    _check("normalize", title, f"{print_plan(before)}\n---- becomes\n{print_plan(after)}")


@pytest.mark.parametrize("title", KEPT)
def test_rules(title: str) -> None:
    known = _known(title)
    cases = {"rows may go": known, "rows only come": _grown(KEPT[title], known)}
    texts = {name: "\n".join(_choices(KEPT[title], facts)) for name, facts in cases.items()}
    if len(set(texts.values())) == 1:
        texts = {"whatever changes": texts["rows may go"]}
    _check("rules", title, "\n".join(f"---- {name}\n{text}" for name, text in texts.items()))


@pytest.mark.parametrize("title", KEPT)
def test_programs(title: str) -> None:
    filled = _program(KEPT[title], Action.FILL, _known(title))
    changed = _program(KEPT[title], Action.INCREMENTAL, _known(title))
    _check("programs", title, f"---- first fill\n{filled}\n---- a change\n{changed}")


@pytest.mark.parametrize("name", TPCH)
def test_programs_of_tpch(name: str) -> None:
    stored = split_root(normalize(load_plan(TPCH[name].read_text()))).stored
    _check("programs", f"tpch {name}", f"---- a change\n{_program(stored, Action.INCREMENTAL)}")


def _sources(rel: Rel) -> dict[str, tuple[str, ...]]:
    found = {}
    for each in walk_rel(rel):
        if isinstance(each, Scan):
            found[each.source] = tuple(column.name for column in each.columns)
        if isinstance(each, Recompute):
            found |= dict.fromkeys(each.sources, ("id",))
    return found


def _known(title: str) -> Facts:
    """The windows of some cases are large."""
    windows = [each for each in walk_rel(KEPT[title]) if isinstance(each, Window)]
    large = frozenset(LargeWindow(fingerprint(each), 3) for each in windows if title in LARGE)
    return Facts(large_windows=large)


def _grown(rel: Rel, known: Facts) -> Facts:
    return replace(known, append_only=frozenset(_sources(rel)))


def _plan(rel: Rel, facts: Facts) -> ViewPlan:
    return choose_plan(rel, stored_scan("v", rel), facts, recomputed=False)


def _choices(rel: Rel, facts: Facts) -> Iterator[str]:
    for each in _plan(rel, facts).root.kept():
        yield PlanPrinter().describe(each.rel)
        why = each.chosen.recomputes
        yield f"  by {each.method}" + (f", recomputed: {why}" if why else "")
        for refused in each.refused:
            yield f"  not {refused.method}: {refused.reason}"
        for kept in each.chosen.state:
            state = kept.arrangement
            types = ", ".join(dtype.sql() for dtype in state.types)
            key = ", ".join(state.key_texts) or "nothing"
            yield f"  keeps {state.role.value} ({types}) by {key}"


def _program(rel: Rel, action: Action, facts: Facts = _NOTHING) -> str:
    plan = _plan(rel, facts)
    stored = {} if action is Action.FILL else dict.fromkeys(plan.arrangements, 1000)
    run = RunFacts(_sources(rel), frozenset(_sources(rel)), stored)
    names = tuple(column.name for column in rel.columns)
    task = ViewTask("v", plan, names, action)
    steps = fuse(write_program(run, (task,))).steps
    return _numbered("\n".join(map(print_program_step, steps)))


def _numbered(text: str) -> str:
    """Arrangements by the order in which they are named: their ids are hashes of plans."""
    order: dict[str, str] = {}
    return re.sub(
        r"\ba[0-9a-f]{16}", lambda found: order.setdefault(found[0], f"state{len(order) + 1}"), text
    )
