"""Programs as Spark is to take them: what goes in blocks, what does not, and why."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from pyspark.core.broadcast import Broadcast
from pyspark.sql import SparkSession

from slackwater.compiler.duckdb.functions import ZONE_FUNCTIONS
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.prepared_programs import PreparedPrograms
from slackwater.executors.driver.zones import UTC, Zone, read_zone
from slackwater.executors.places import StateFiles, arrow_layout
from slackwater.executors.spark.prepared_blocks import (
    PreparedBlock,
    parts_by_state,
    prepare_blocks,
)
from slackwater.executors.spark.shipped_files import stored_types
from slackwater.executors.spark.task_process import ShippedProgram
from slackwater.plan.placed import PlacedProgram, undivided
from slackwater.plan.program import Program, SourceChangesStep, SourceRowsStep, merged


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


class Placements:
    """Remembers of programs, as long as somebody has them, how they are placed."""

    def __init__(self, session: SparkSession, programs: PreparedPrograms):
        """Nothing is placed yet; the session's context carries programs to tasks."""
        self._session = session
        self._programs = programs
        self._placements: WeakKeyDictionary[Program, Placement] = WeakKeyDictionary()
        self._shipped: WeakKeyDictionary[Program, dict[bool, Shipped | str]] = WeakKeyDictionary()

    def of(self, program: Program, files: StateFiles) -> Placement:
        """The parts of a program whose statements all have a form for tasks, and the others."""
        if program not in self._placements:
            self._placements[program] = self._divided(program, files)
        return self._placements[program]

    def _divided(self, program: Program, files: StateFiles) -> Placement:
        taken: list[Program] = []
        left: list[Program] = []
        reasons: list[str] = []
        for part in self._programs.parts_of(program):
            prepared = self._programs.prepared(part, files)
            why = [prepared.what] if isinstance(prepared, NotLocalError) else prepared.left.values()
            (left if why else taken).append(part)
            reasons += (each.splitlines()[0] for each in why)
        if not taken:
            return Placement(None, (), tuple(left), tuple(reasons))
        whole = merged(tuple(taken)) if left else program
        return Placement(whole, tuple(taken), tuple(left), tuple(reasons))

    def shipped(self, placement: Placement, files: StateFiles, *, alone: bool) -> Shipped | str:
        """The program for several partitions, or for one that is `alone`; or why there is none."""
        program = placement.taken
        if program is None:
            return "nothing of it can be taken in tasks"
        known = self._shipped.setdefault(program, {})
        if alone not in known:
            known[alone] = self._ship(program, placement.parts, files, alone=alone)
        return known[alone]

    def _ship(
        self, program: Program, parts: tuple[Program, ...], files: StateFiles, *, alone: bool
    ) -> Shipped | str:
        types = {
            step.source: files.types(step.source)
            for step in program.steps
            if isinstance(step, SourceChangesStep | SourceRowsStep)
        }
        placed = undivided(program)
        by_state = parts_by_state(parts)
        try:
            blocks = prepare_blocks(placed, by_state, types)
        except NotLocalError as problem:
            return problem.what.splitlines()[0]
        zone = self._zone if _asks_for_zone(blocks) else UTC
        layouts = {each: arrow_layout(each) for each in stored_types(placed.program, files)}
        content = pickle.dumps(ShippedProgram(placed, by_state, types, layouts, zone))
        context = self._session.sparkContext
        digest = hashlib.sha256(content).hexdigest()
        return Shipped(placed, digest, context.broadcast(content))

    @cached_property
    def _zone(self) -> Zone:
        return read_zone(self._session)


def _asks_for_zone(blocks: tuple[PreparedBlock, ...]) -> bool:
    texts = (
        statement.sql
        for block in blocks
        for part in block.parts.values()
        for statement in part.prepared.statements.values()
    )
    return any(name in text for text in texts for name in ZONE_FUNCTIONS)
