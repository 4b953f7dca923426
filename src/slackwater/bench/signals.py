"""Signal queries by our kernels, beside NumPy and SciPy called group by group in one process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isclose
from statistics import median
from typing import Any

import pyspark

from slackwater.bench.machine import Machine, machine_here
from slackwater.bench.signal_queries import SignalQuery, queries
from slackwater.bench.targets import Target
from slackwater.signals.pipeline import batch

_PURE = 3.0
"""A pure task may take so many times the processor seconds of NumPy."""
_MANY = 1.0
"""A call for every group takes at least so many times ours, where groups are most."""


@dataclass(frozen=True, slots=True)
class SignalsPlan:
    """The numbers of events and groups, and the sizes of windows and filters."""

    events: int = 4_000_000
    sizes: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    groups: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000)
    repeat: int = 3


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of a query: medians of several runs after one to warm up."""

    seconds: float
    cpu: float


@dataclass(frozen=True, slots=True)
class SignalFigures:
    """One query, by us and by NumPy."""

    query: str
    events: int
    groups: int
    pure: bool
    ours: Spent
    numpy: Spent
    equal: bool
    """Tell whether both results add up to the same number."""

    @property
    def ratio(self) -> float:
        """Our processor seconds as a multiple of NumPy's."""
        return self.ours.cpu / max(self.numpy.cpu, 1e-9)


@dataclass(frozen=True, slots=True)
class SignalsReport:
    """All figures of one measurement."""

    plan: SignalsPlan
    figures: tuple[SignalFigures, ...]
    machine: Machine

    @property
    def targets(self) -> tuple[Target, ...]:
        """Pure tasks against NumPy, and every grouped one where groups are most."""
        pure = [each.ratio for each in self.figures if each.pure]
        most = max(self.plan.groups, default=0)
        many = [each for each in self.figures if not each.pure and each.groups == most]
        found = [Target("pure tasks, slowest by NumPy", _PURE, max(pure))] if pure else []
        name = f"{most:,} groups, NumPy by ours"
        return (
            *found,
            *(Target(f"{each.query}, {name}", _MANY, 1 / each.ratio, True) for each in many),
        )


def measure_signals(plan: SignalsPlan, say: Callable[[str], None]) -> SignalsReport:
    """Measure every query both ways, one after the other."""
    load_before = os.getloadavg()
    figures = []
    for query in queries(plan.events, plan.sizes, plan.groups):
        figures.append(_measure(query, plan.repeat))
        each = figures[-1]
        say(
            f"{query.name}, {query.groups:,} groups: {each.ours.cpu:.2f} processor seconds, "
            f"NumPy {each.numpy.cpu:.2f}"
        )
    return SignalsReport(plan, tuple(figures), machine_here(pyspark.__version__, load_before))


def _measure(query: SignalQuery, repeat: int) -> SignalFigures:
    relations, pipeline = query.relations(), query.signal().pipeline
    ours, rows = _spent(lambda: batch(pipeline, relations), repeat)
    numpy, total = _spent(lambda: query.plain(relations), repeat)
    equal = isclose(query.checksum(rows), total, rel_tol=1e-9, abs_tol=1e-6)
    return SignalFigures(query.name, query.events, query.groups, query.pure, ours, numpy, equal)


def _spent(work: Callable[[], Any], repeat: int) -> tuple[Spent, Any]:
    answer = work()
    found = []
    for _ in range(repeat):
        started, used = time.perf_counter(), time.process_time()
        answer = work()
        found.append((time.perf_counter() - started, time.process_time() - used))
    seconds, cpu = zip(*found, strict=True)
    return Spent(median(seconds), median(cpu)), answer
