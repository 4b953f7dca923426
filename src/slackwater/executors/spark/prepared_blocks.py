"""A placed program made ready to be taken in tasks, block by block and part by part.

A part is what fails together: its statements have frames in common. Driver and tasks make the
same of the same program, so that frames can travel without telling of their columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa

from slackwater.compiler.duckdb.statements import DuckdbStatement, print_duckdb
from slackwater.compiler.duckdb.types import Columns
from slackwater.executors.driver.engine import arrow_schema
from slackwater.executors.driver.prepare import Prepared, own_suffix, step_columns
from slackwater.plan.placed import Block, PlacedProgram, Send
from slackwater.plan.program import AppendStep, ComputeStep, Program, StateRowsStep, Step
from slackwater.state.columns import WEIGHT, compact
from slackwater.types import DataType

Types = Mapping[str, tuple[DataType, ...]]
"""The columns of sources, by name."""
_Labels = dict[tuple[int, str], frozenset[int]]
_NOBODY: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A frame that a block hands on."""

    send: Send
    schema: pa.Schema
    """What arrives."""

    @property
    def address(self) -> str:
        """The frame's name among all that travels."""
        return address(self.send.block, self.send.arrives_as)

    @property
    def keeps_hash(self) -> bool:
        """Whether the hash by which rows are divided arrives too."""
        return self.send.by in self.schema.names


@dataclass(frozen=True, slots=True)
class PreparedPart:
    """The steps of one part in one block, and what they are given."""

    prepared: Prepared
    given: frozenset[str]
    """Frames that come from earlier blocks."""
    outgoing: tuple[Outgoing, ...]


@dataclass(frozen=True, slots=True)
class PreparedBlock:
    """One block."""

    parts: Mapping[int, PreparedPart]
    arriving: Mapping[str, pa.Schema]
    """Frames that come from earlier blocks."""
    first: frozenset[str]
    """Steps that only the first partition takes."""


def address(block: int, frame: str) -> str:
    """A name for a frame that arrives in a block.

    >>> address(2, "delta")
    '2/delta'
    """
    return f"{block}/{frame}"


def block_of(address_: str) -> int:
    """The block for which something travels.

    >>> block_of("2/delta")
    2
    """
    return int(address_.split("/", 1)[0])


def parts_by_state(parts: tuple[Program, ...]) -> dict[str, int]:
    """The number of the part that changes each arrangement."""
    return {step.arrangement.id: n for n, part in enumerate(parts) for step in part.appends}


def prepare_blocks(
    placed: PlacedProgram, parts: Mapping[str, int], types: Types
) -> tuple[PreparedBlock, ...]:
    """Print all statements; raises NotLocalError if one has no form for tasks.

    `parts` says to which part of the program each arrangement belongs.
    """
    columns, statements = _printed(placed, types)
    labels = _labels(placed, parts)
    found: list[PreparedBlock] = []
    needed: dict[tuple[int, str], frozenset[str]] = {}
    for number in reversed(range(len(placed.blocks))):
        block = placed.blocks[number]
        sends = [_outgoing(each, columns[number], needed) for each in block.sends]
        arriving = _arriving(placed, number)
        preparing = _Preparing(
            number, block, columns[number], statements[number], labels, tuple(sends), arriving
        )
        prepared = {part: preparing.part(part) for part in preparing.parts()}
        schemas: dict[str, pa.Schema] = {}
        for name in arriving:
            read = (each.prepared.needed(name) for each in prepared.values())
            wanted = frozenset(chain.from_iterable(read))
            wanted = wanted or _any_column(columns[number][name])
            needed[number, name] = wanted
            schemas[name] = _travelling(columns[number][name], wanted)
        found.append(PreparedBlock(prepared, schemas, block.first))
    return tuple(reversed(found))


def _arriving(placed: PlacedProgram, number: int) -> frozenset[str]:
    """The frames that come to a block."""
    sends = (send for block in placed.blocks[:number] for send in block.sends)
    return frozenset(send.arrives_as for send in sends if send.block == number)


def _printed(
    placed: PlacedProgram, types: Types
) -> tuple[list[dict[str, Columns]], list[dict[str, DuckdbStatement]]]:
    """The columns of all frames in each block, and its statements."""
    columns: list[dict[str, Columns]] = [{} for _ in placed.blocks]
    statements: list[dict[str, DuckdbStatement]] = [{} for _ in placed.blocks]
    for number, block in enumerate(placed.blocks):
        here = columns[number]
        for step in block.steps:
            if isinstance(step, AppendStep):
                continue
            here[step.name] = step_columns(step, here, types)
            if isinstance(step, ComputeStep):
                statements[number][step.name] = print_duckdb(
                    step.statement, step.parts, own_suffix()
                )
        for send in block.sends:
            columns[send.block][send.arrives_as] = here[send.frame]
    return columns, statements


def _labels(placed: PlacedProgram, parts: Mapping[str, int]) -> _Labels:
    """The parts that need each frame of each block; steps that append come with a plus."""
    found: _Labels = {}

    def add(block: int, frame: str, wanted: frozenset[int]) -> None:
        found[block, frame] = found.get((block, frame), _NOBODY) | wanted

    for number in reversed(range(len(placed.blocks))):
        block = placed.blocks[number]
        for send in block.sends:
            add(number, send.frame, found.get((send.block, send.arrives_as), _NOBODY))
        for step in reversed(block.steps):
            if isinstance(step, AppendStep):
                add(number, _own_name(step), frozenset({parts[step.arrangement.id]}))
            for name in _looks_at(step):
                add(number, name, found.get((number, _own_name(step)), _NOBODY))
    return found


def _looks_at(step: Step) -> tuple[str, ...]:
    """The frames that a step needs, if only to know whether they have rows."""
    if isinstance(step, StateRowsStep) and step.beside is not None:
        return (*step.reads, step.beside)
    return step.reads


def _own_name(step: Step) -> str:
    return f"+{step.name}" if isinstance(step, AppendStep) else step.name


def _outgoing(
    send: Send, columns: Mapping[str, Columns], needed: Mapping[tuple[int, str], frozenset[str]]
) -> Outgoing:
    return Outgoing(send, _travelling(columns[send.frame], needed[send.block, send.arrives_as]))


@dataclass(frozen=True, slots=True)
class _Preparing:
    """A block of which all statements are printed."""

    number: int
    block: Block
    columns: Mapping[str, Columns]
    statements: Mapping[str, DuckdbStatement]
    labels: _Labels
    sends: tuple[Outgoing, ...]
    arriving: frozenset[str]

    def parts(self) -> list[int]:
        """The parts that have anything to do here."""
        here = (some for (block, _), some in self.labels.items() if block == self.number)
        return sorted(frozenset(chain.from_iterable(here)))

    def part(self, part: int) -> PreparedPart:
        """What one of them does."""
        steps = tuple(step for step in self.block.steps if part in self._labels_of(_own_name(step)))
        sends = tuple(each for each in self.sends if part in self._wanting(each.send))
        handed_on: dict[str, frozenset[str]] = {}
        for each in sends:
            by = {each.send.by} if each.send.by is not None else set()
            known = handed_on.get(each.send.frame, frozenset())
            handed_on[each.send.frame] = known | by | set(each.schema.names)
        own = {step.name: step for step in steps}
        statements = {name: each for name, each in self.statements.items() if name in own}
        prepared = Prepared(steps, statements, self.columns, handed_on=handed_on)
        looked_at = frozenset(chain.from_iterable(map(_looks_at, steps))) & self.arriving
        given = (looked_at | prepared.readers().keys()) - own.keys()
        return PreparedPart(prepared, given, sends)

    def _labels_of(self, name: str) -> frozenset[int]:
        return self.labels.get((self.number, name), _NOBODY)

    def _wanting(self, send: Send) -> frozenset[int]:
        return self.labels.get((send.block, send.arrives_as), _NOBODY)


def _travelling(columns: Columns, wanted: frozenset[str]) -> pa.Schema:
    """The wanted columns as they travel."""
    return compact(arrow_schema({name: columns[name] for name in columns if name in wanted}))


def _any_column(columns: Columns) -> frozenset[str]:
    """One column, so that rows can be counted."""
    return frozenset({WEIGHT if WEIGHT in columns else next(iter(columns))})
