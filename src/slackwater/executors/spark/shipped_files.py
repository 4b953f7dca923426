"""Where a program reads and writes, as tasks are told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

import pyarrow as pa

from slackwater.executors.places import Place, StateFiles
from slackwater.expr.nodes import Expr
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
)
from slackwater.state.segments import SegmentFile
from slackwater.types import DataType

Layouts = Mapping[tuple[DataType, ...], pa.Schema]
"""The form in which rows are stored, by their types; only Spark's Java knows it."""
_Files = Mapping[str, tuple[SegmentFile, ...]]


@dataclass(frozen=True, slots=True)
class TaskPlace(Place):
    """Where a task reads and writes."""

    layouts: Layouts

    def layout(self, types: tuple[DataType, ...]) -> pa.Schema:
        """The form in which rows of some types are stored."""
        return self.layouts[types]


@dataclass(frozen=True, slots=True)
class ShippedFiles:
    """The files of a run, by what they hold."""

    arrangements: _Files
    pending_files: _Files
    content_files: _Files
    source_types: Mapping[str, tuple[DataType, ...]]
    source_keys: Mapping[str, tuple[Expr, ...]]

    @staticmethod
    def of(program: Program, files: StateFiles) -> ShippedFiles:
        """Those that the steps of a program read, and no others."""
        state, pending, contents = set(), set(), set()
        for step in program.steps:
            if isinstance(step, StateRowsStep | LookUpStep | GatherStep):
                state.add(step.arrangement.id)
            elif isinstance(step, SourceChangesStep):
                pending.add(step.source)
            elif isinstance(step, SourceRowsStep):
                contents.add(step.source)
        return ShippedFiles(
            {name: files.arrangement(name) for name in state},
            {name: files.pending(name) for name in pending},
            {name: files.contents(name) for name in contents},
            {name: files.types(name) for name in pending | contents},
            {name: files.key(name) for name in pending | contents},
        )

    def arrangement(self, arrangement_id: str) -> tuple[SegmentFile, ...]:
        """The files of an arrangement as of the last commit."""
        return self.arrangements[arrangement_id]

    def pending(self, source: str) -> tuple[SegmentFile, ...]:
        """The files of the batches that the run takes in."""
        return self.pending_files[source]

    def contents(self, source: str) -> tuple[SegmentFile, ...]:
        """All files of a source as of this run."""
        return self.content_files[source]

    def types(self, source: str) -> tuple[DataType, ...]:
        """The types of a source's columns."""
        return self.source_types[source]

    def key(self, source: str) -> tuple[Expr, ...]:
        """The key by which rows of a source are hashed, over its stored columns."""
        return self.source_keys[source]


def stored_types(program: Program, files: StateFiles) -> frozenset[tuple[DataType, ...]]:
    """The types of all rows that a program reads or writes."""
    found = set()
    for step in program.steps:
        match step:
            case StateRowsStep() | LookUpStep() | GatherStep() | AppendStep():
                found.add(step.arrangement.types)
            case SourceChangesStep(source=source) | SourceRowsStep(source=source):
                found.add(files.types(source))
            case ComputeStep() | FragmentStep():
                pass
            case _:
                assert_never(step)
    return frozenset(found)
