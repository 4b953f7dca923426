"""Looks at a program before it is taken on the driver: translations, types, needed columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from typing import assert_never

from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.duckdb.types import Columns, NotLocalError
from slackwater.executors.driver.spark_statements import require_carried
from slackwater.plan.arrangements import Arrangement
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
    Step,
)
from slackwater.state.columns import HASH, WEIGHT
from slackwater.state.gather import NEW, OLD
from slackwater.state.look_up import MATCH_WEIGHT, MATCHES
from slackwater.types import BIGINT, ArrayType, DataType, Field, StructType

_NUMBERS = count(1)


def own_suffix() -> str:
    """A suffix that no other statement of this process has for its tables."""
    return f"_{next(_NUMBERS)}"


@dataclass(frozen=True)
class Prepared:
    """A program that can be taken here; `statements` are those that have a translation."""

    steps: tuple[Step, ...]
    statements: Mapping[str, DuckdbStatement]
    columns: Mapping[str, Columns]
    left: Mapping[str, str] = field(default_factory=dict)
    """The other statements, which are Spark's, each with the reason."""
    handed_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Frames that are for others when all steps are taken, with the columns those need."""

    def needed(self, name: str) -> frozenset[str]:
        """The columns of a frame that some step needs."""
        if name not in self._needed:
            self._needed[name] = self._find_needed(name)
        return self._needed[name]

    @cached_property
    def _needed(self) -> dict[str, frozenset[str]]:
        return {}

    def _find_needed(self, name: str) -> frozenset[str]:
        found = set(self.handed_on.get(name, ()))
        for step in self.steps:
            if name in step.reads:
                statement = (
                    self.statements.get(step.name) if isinstance(step, ComputeStep) else None
                )
                if statement is None:
                    return frozenset(self.columns[name])
                found |= statement.reads[name]
        return frozenset(found)

    @cached_property
    def streamed(self) -> frozenset[str]:
        """Frames that are written as they are computed: nothing else reads them."""
        readers = self.readers()
        return frozenset(
            step.input
            for step in self.steps
            if isinstance(step, AppendStep)
            and step.input in self.statements
            and readers[step.input] == 1
        )

    @cached_property
    def _readers(self) -> Counter[str]:
        read = (name for step in self.steps for name in step.reads)
        return Counter(chain(read, self.handed_on))

    def readers(self) -> dict[str, int]:
        """How many readers each frame has; a dictionary of the caller's own."""
        return dict(self._readers)


def prepare(program: Program, types: Mapping[str, tuple[DataType, ...]]) -> Prepared:
    """Print what can be; raises NotLocalError if the program is better left to Spark."""
    columns: dict[str, Columns] = {}
    statements: dict[str, DuckdbStatement] = {}
    left: dict[str, str] = {}
    for step in program.steps:
        if isinstance(step, AppendStep):
            continue
        columns[step.name] = step_columns(step, columns, types)
        if isinstance(step, ComputeStep):
            try:
                statements[step.name] = print_duckdb(step.statement, step.parts, own_suffix())
            except NotLocalError as problem:
                left[step.name] = f"statement {step.name}: {problem.what}"
                for each in (step.name, *step.reads):
                    require_carried(columns[each])
    if len(left) > len(statements):
        reasons = "; ".join(left.values())
        raise NotLocalError(f"a program most of whose statements are Spark's: {reasons}")
    return Prepared(program.steps, statements, columns, left)


def step_columns(
    step: Step, known: Mapping[str, Columns], types: Mapping[str, tuple[DataType, ...]]
) -> Columns:
    """The columns of the frame that a step makes."""
    match step:
        case ComputeStep(statement=statement):
            return {field.name: field.dtype for field in statement.fields}
        case SourceChangesStep(source=source):
            return {**_numbered("k", types[source]), WEIGHT: BIGINT}
        case SourceRowsStep(source=source):
            return _numbered("k", types[source])
        case StateRowsStep(arrangement=arrangement):
            return {**_numbered("k", arrangement.types), WEIGHT: BIGINT}
        case LookUpStep(input=read, arrangement=arrangement, nested=nested):
            return _looked_up(known[read], arrangement, nested=nested)
        case GatherStep(arrangement=arrangement):
            stored = _numbered("k", arrangement.types)
            return {HASH: BIGINT, **stored, OLD: BIGINT, NEW: BIGINT}
        case AppendStep(input=read):
            return known[read]
        case FragmentStep():
            raise NotLocalError("a part of a plan that Spark runs whole")
        case _:
            assert_never(step)


def _looked_up(probe: Columns, arrangement: Arrangement, *, nested: bool) -> Columns:
    others = {name: dtype for name, dtype in probe.items() if name != HASH}
    found = {**_numbered("s", arrangement.types), MATCH_WEIGHT: BIGINT}
    if not nested:
        return {**others, **found}
    row = StructType(tuple(Field(name, dtype) for name, dtype in found.items()))
    return {**others, MATCHES: ArrayType(row)}


def _numbered(prefix: str, types: Iterable[DataType]) -> dict[str, DataType]:
    return {f"{prefix}{n}": dtype for n, dtype in enumerate(types)}
