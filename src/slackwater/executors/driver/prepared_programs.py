"""Programs that the driver has looked at: what it can take of each, and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.prepare import Prepared, prepare
from slackwater.executors.places import StateFiles
from slackwater.plan.program import (
    Program,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
)


class PreparedPrograms:
    """Remembers of programs, as long as somebody has them, what was found out."""

    def __init__(self) -> None:
        """Nothing was looked at yet."""
        self._prepared: WeakKeyDictionary[Program, Prepared | NotLocalError] = WeakKeyDictionary()
        self._parts: WeakKeyDictionary[Program, tuple[Program, ...]] = WeakKeyDictionary()

    def prepared(self, program: Program, files: StateFiles) -> Prepared | NotLocalError:
        """The program as it can be taken, or why it cannot."""
        if program not in self._prepared:
            sources = {
                step.source: files.types(step.source)
                for step in program.steps
                if isinstance(step, SourceChangesStep | SourceRowsStep)
            }
            try:
                self._prepared[program] = prepare(program, sources)
            except NotLocalError as problem:
                self._prepared[program] = problem
        return self._prepared[program]

    def parts_of(self, program: Program) -> tuple[Program, ...]:
        """The parts of a program that have no computed frame in common."""
        if program not in self._parts:
            self._parts[program] = program.parts()
        return self._parts[program]

    def needed(self, program: Program, files: StateFiles) -> Mapping[str, frozenset[str]]:
        """The columns a program needs of the stored rows it reads, as far as that is known."""
        stored = [
            step.name for step in program.steps if isinstance(step, SourceRowsStep | StateRowsStep)
        ]
        prepared = self.prepared(program, files) if stored else None
        if not isinstance(prepared, Prepared):
            return {}
        return {name: prepared.needed(name) for name in stored}

    def left(self, program: Program, files: StateFiles) -> Mapping[str, str] | None:
        """The statements of a program that are Spark's, with reasons; None if all of it is."""
        prepared = self.prepared(program, files)
        return prepared.left if isinstance(prepared, Prepared) else None
