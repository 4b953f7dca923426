"""Programs as Spark is to take them: what goes in blocks, what does not, and why."""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property

from pyspark.core.broadcast import Broadcast
from pyspark.sql import SparkSession

from slackwater.compiler.duckdb.functions import ZONE_FUNCTIONS
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.compiler.placement.place import NotPlaced, Placer
from slackwater.compiler.placement.placement_options import DEFAULT_OPTIONS, PlacementOptions
from slackwater.executors.driver.prepared_programs import PreparedPrograms
from slackwater.executors.driver.zones import UTC, Zone, zone_of
from slackwater.executors.places import StateFiles, arrow_layout
from slackwater.executors.spark.prepared_blocks import (
    PreparedBlock,
    parts_by_state,
    prepare_blocks,
)
from slackwater.executors.spark.run_sessions import has_executors
from slackwater.executors.spark.shipped_files import stored_types
from slackwater.executors.spark.task_process import ShippedProgram
from slackwater.executors.written import NotHere
from slackwater.plan.costs import Sizes, frame_rows
from slackwater.plan.placed import PlacedProgram, undivided
from slackwater.plan.program import Program, SourceChangesStep, SourceRowsStep, merged
from slackwater.spark.zone_rules import read_zone_rules

_MOST_PROGRAMS = 64
_UNSTABLE = "rows for other tasks that a repeated task would compute differently"


@dataclass(frozen=True, slots=True)
class Shipped:
    """A placed program that tasks can ask for."""

    placed: PlacedProgram
    digest: str
    content: Broadcast[bytes]


@dataclass(frozen=True, slots=True)
class Placement:
    """What tasks take of a program, if anything, and what is left to statements of Spark's."""

    taken: Program | None
    parts: tuple[Program, ...]
    """Of what is taken; tasks report by their numbers."""
    left: tuple[Program, ...]
    reasons: tuple[str, ...]
    alone: PlacedProgram | None
    """What is taken, for one partition."""
    placer: Placer = field(default_factory=Placer)
    shipped: dict[PlacedProgram, Shipped | NotHere] = field(default_factory=dict)
    """As it was placed in earlier runs."""


class Placements:
    """How programs are placed; those of the last runs are remembered."""

    def __init__(
        self,
        session: SparkSession,
        programs: PreparedPrograms,
        options: PlacementOptions = DEFAULT_OPTIONS,
    ):
        """Nothing is placed yet; the session's context carries programs to tasks."""
        self._session = session
        self._programs = programs
        self._options = options
        self._repeats = has_executors(session)
        """Whether Spark may repeat a task of which others have rows already."""
        self._placements: OrderedDict[Program, Placement] = OrderedDict()

    def of(self, program: Program, files: StateFiles) -> Placement:
        """The parts of a program whose statements all have a form for tasks, and the others."""
        if program not in self._placements:
            self._placements[program] = self._divided(program, files)
            if len(self._placements) > _MOST_PROGRAMS:
                self._placements.popitem(last=False)
        self._placements.move_to_end(program)
        return self._placements[program]

    def _divided(self, program: Program, files: StateFiles) -> Placement:
        taken: list[Program] = []
        left: list[Program] = []
        reasons: list[str] = []
        for part in self._programs.parts_of(program):
            why = self._refusals(part, files)
            (left if why else taken).append(part)
            reasons += (each.splitlines()[0] for each in why)
        if not taken:
            return Placement(None, (), tuple(left), tuple(reasons), None)
        whole = merged(tuple(taken)) if left else program
        return Placement(whole, tuple(taken), tuple(left), tuple(reasons), undivided(whole))

    def _refusals(self, part: Program, files: StateFiles) -> tuple[str, ...]:
        """Why tasks cannot take a part."""
        prepared = self._programs.prepared(part, files)
        if isinstance(prepared, NotLocalError):
            return (prepared.what,)
        if self._repeats and part.unstable:
            keys = {source: files.key(source) for source in _sources(part)}
            placed = Placer().place(part, {}, keys, 2, PlacementOptions(alone_rows=0))
            if isinstance(placed, PlacedProgram) and sends_unstable(placed):
                return (_UNSTABLE,)
        return tuple(prepared.left.values())

    def placed(
        self, placement: Placement, sizes: Sizes, files: StateFiles, partitions: int
    ) -> PlacedProgram | NotHere:
        """What tasks take of a program, for so many partitions; or why they take none of it."""
        program, alone = placement.taken, placement.alone
        if program is None or alone is None:
            return NotHere("; ".join(placement.reasons))
        if partitions == 1:
            return alone
        keys = {source: files.key(source) for source in _sources(program)}
        rows = frame_rows(program, sizes)
        placed = placement.placer.place(program, rows, keys, partitions, self._options)
        if isinstance(placed, NotPlaced):
            return NotHere(placed.reason)
        return NotHere(_UNSTABLE) if self._repeats and sends_unstable(placed) else placed

    def shipped(
        self, placement: Placement, sizes: Sizes, files: StateFiles, partitions: int
    ) -> Shipped | NotHere:
        """The same in a form that tasks can ask for."""
        placed = self.placed(placement, sizes, files, partitions)
        if isinstance(placed, NotHere):
            return placed
        if placed not in placement.shipped:
            placement.shipped[placed] = self._ship(placed, placement.parts, files)
        return placement.shipped[placed]

    def _ship(
        self, placed: PlacedProgram, parts: tuple[Program, ...], files: StateFiles
    ) -> Shipped | NotHere:
        types = {source: files.types(source) for source in _sources(placed.program)}
        by_state = parts_by_state(parts)
        try:
            blocks = prepare_blocks(placed, by_state, types)
        except NotLocalError as problem:
            return NotHere(problem.what.splitlines()[0])
        zone = self._zone if _asks_for_zone(blocks) else UTC
        layouts = {each: arrow_layout(each) for each in stored_types(placed.program, files)}
        content = pickle.dumps(ShippedProgram(placed, by_state, types, layouts, zone))
        digest = hashlib.sha256(content).hexdigest()
        return Shipped(placed, digest, self._session.sparkContext.broadcast(content))

    @cached_property
    def _zone(self) -> Zone:
        return zone_of(read_zone_rules(self._session))


def _asks_for_zone(blocks: tuple[PreparedBlock, ...]) -> bool:
    texts = (
        statement.sql
        for block in blocks
        for part in block.parts.values()
        for statement in part.prepared.statements.values()
    )
    return any(name in text for text in texts for name in ZONE_FUNCTIONS)


def _sources(program: Program) -> frozenset[str]:
    return frozenset(
        step.source
        for step in program.steps
        if isinstance(step, SourceChangesStep | SourceRowsStep)
    )


def sends_unstable(placed: PlacedProgram) -> bool:
    """Tell if a block sends rows that come out differently if they are computed twice.

    Spark repeats a task whose rows are lost, also when other tasks have had theirs. What stays in
    the task is computed anew with them.
    """
    unstable = set(placed.program.unstable)
    for block in placed.blocks:
        unstable.update(step.name for step in block.steps if unstable.intersection(step.reads))
        if any(send.frame in unstable for send in block.sends):
            return True
    return False
