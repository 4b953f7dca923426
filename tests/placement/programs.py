"""Programs of small relations and of TPC-H queries, and random rows for their sources."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Recompute, Scan, Window
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.algebra.root import split_root, stored_scan
from slackwater.algebra.serial import load_plan
from slackwater.compiler.blocks import fuse
from slackwater.compiler.duckdb.types import arrow_type
from slackwater.compiler.refresh import write_program
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.expr.nodes import Literal, walk
from slackwater.optimizer.choose import choose_plan
from slackwater.optimizer.normalize import normalize
from slackwater.plan.arrangements import Arrangement, Role, hashable, stored_column
from slackwater.plan.facts import Facts, LargeWindow
from slackwater.plan.program import Program
from slackwater.types import BIGINT, DATE, DOUBLE, INTEGER, STRING, ArrayType, DataType, DecimalType

from ..golden.relations import KEPT, LARGE

_TPCH = Path(__file__).parent.parent / "golden" / "tpch"
TPCH = {path.stem: path for path in sorted(_TPCH.glob("*.json"))}
KEYS: Mapping[str, tuple[int, ...]] = {
    "orders": (0,),
    "customers": (0,),
    "customer": (0,),
    "lineitem": (0, 3),
    "part": (0,),
    "partsupp": (0, 1),
    "supplier": (0,),
    "nation": (0,),
    "region": (0,),
}
"""The key columns of sources; those that are missing have none."""


@dataclass(frozen=True)
class View:
    """A relation that is kept."""

    rel: Rel
    facts: Facts = field(default_factory=Facts)

    @property
    def scans(self) -> dict[str, Scan]:
        return {each.source: each for each in walk_rel(self.rel) if isinstance(each, Scan)}

    def sources(self, *, keyed: bool = True) -> dict[str, Arrangement]:
        """The sources as they are stored."""
        found = {}
        for name, scan in self.scans.items():
            types = tuple(column.dtype for column in scan.columns)
            places = KEYS.get(name) if keyed else None
            key = (hashable(stored_column(n, types[n])) for n in places or range(len(types)))
            kept = tuple(each for each in key if each is not None)
            found[name] = Arrangement(f"source {name}", Role.CONTENTS, types, kept)
        return found

    def program(self, action: Action, changed: frozenset[str] | None = None) -> Program:
        """The program of a run in which all sources have changes, or those."""
        plan = choose_plan(self.rel, stored_scan("v", self.rel), self.facts, recomputed=False)
        names = {name: tuple(c.name for c in scan.columns) for name, scan in self.scans.items()}
        for each in walk_rel(self.rel):
            if isinstance(each, Recompute):
                names |= dict.fromkeys(each.sources, ("id",))
        stored = {} if action is Action.FILL else dict.fromkeys(plan.arrangements, 1000)
        run = RunFacts(names, frozenset(names) if changed is None else changed, stored)
        columns = tuple(column.name for column in self.rel.columns)
        return fuse(write_program(run, (ViewTask("v", plan, columns, action),)))


def small_view(title: str) -> View:
    """A relation of the golden cases."""
    rel = KEPT[title]
    windows = [each for each in walk_rel(rel) if isinstance(each, Window)]
    large = frozenset(LargeWindow(fingerprint(each), 3) for each in windows if title in LARGE)
    return View(rel, Facts(large_windows=large))


def tpch_view(name: str) -> View:
    """A query of TPC-H."""
    return View(split_root(normalize(load_plan(TPCH[name].read_text()))).stored)


class Rows:
    """Random batches for the sources of a view, with values that its query asks for."""

    def __init__(self, view: View, seed: int, *, numbered: bool = False) -> None:
        """With `numbered`, the first column of each source tells its rows apart."""
        self._random = Random(seed)
        self._numbered = numbered
        self._next = 0
        self._scans = view.scans
        self._live: dict[str, list[tuple[Any, ...]]] = {name: [] for name in self._scans}
        self._asked: dict[DataType, list[Any]] = {}
        for each in walk_rel(view.rel):
            for expr in each.expressions:
                for node in walk(expr):
                    if isinstance(node, Literal) and node.value is not None:
                        self._ask(node)

    def _ask(self, literal: Literal) -> None:
        dtype, text = literal.literal_type, str(literal.value)
        known = self._asked.setdefault(dtype, [])
        if dtype == STRING:
            known += [text, text.replace("%", "")]
        elif dtype == DATE:
            day = date.fromisoformat(text)
            known += [day, day + timedelta(days=1), day - timedelta(days=20)]

    def batches(self, inserts: int, deletes: int) -> dict[str, pa.Table]:
        """A batch for each source; what is deleted was there before it."""
        return {name: self._batch(name, inserts, deletes) for name in self._scans}

    def _batch(self, name: str, inserts: int, deletes: int) -> pa.Table:
        types = [column.dtype for column in self._scans[name].columns]
        live = self._live[name]
        rows: list[tuple[Any, ...]] = []
        for _ in range(min(deletes, len(live))):
            rows.append((*live.pop(self._random.randrange(len(live))), -1))
        for _ in range(inserts):
            fresh = self._row(types)
            again = live[self._random.randrange(len(live))] if live else fresh
            row = again if self._random.random() < 0.1 and not self._numbered else fresh
            live.append(row)
            rows.append((*row, 1))
        arrays = [
            pa.array([row[n] for row in rows], arrow_type(dtype)) for n, dtype in enumerate(types)
        ]
        arrays.append(pa.array([row[-1] for row in rows], pa.int64()))
        return pa.table(arrays, names=[*(f"k{n}" for n in range(len(types))), "_w"])

    def _row(self, types: list[DataType]) -> tuple[Any, ...]:
        values = [self._value(dtype) for dtype in types]
        if self._numbered:
            self._next += 1
            values[0] = self._next
        return tuple(values)

    def _value(self, dtype: DataType) -> Any:
        if self._random.random() < 0.08:
            return None
        return next(self._values(dtype))

    def _values(self, dtype: DataType) -> Iterator[Any]:
        random = self._random
        match dtype:
            case DecimalType(scale=scale):
                yield Decimal(random.choice([0, 5, 5, 150, 20000, -300])).scaleb(-scale)
            case ArrayType(element=element):
                yield [next(self._values(element)) for _ in range(random.randrange(3))]
        if dtype in (BIGINT, INTEGER):
            # Most rows have one of a few keys.
            yield 1 if random.random() < 0.4 else random.randrange(12)
        elif dtype == DOUBLE:
            yield random.choice([0.0, -0.0, math.nan, 1.5, 1e20, -1e20, 0.1])
        elif dtype == DATE:
            yield random.choice([*self._asked.get(DATE, ()), date(1995, 6, random.randrange(1, 5))])
        elif dtype == STRING:
            yield random.choice([*self._asked.get(STRING, ()), "a", "b"])
        raise NotImplementedError(f"no rows with {dtype}")
