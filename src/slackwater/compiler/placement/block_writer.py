"""Writes the blocks of a placed program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from slackwater.algebra.columns import Column, pass_through
from slackwater.algebra.operators import Project
from slackwater.compiler.blocks import fuse
from slackwater.compiler.placement.modes import (
    ANY,
    AT_FIRST,
    EVERYWHERE,
    KEYED,
    Choices,
    Mode,
    Slot,
)
from slackwater.compiler.placement.schedule import Schedule
from slackwater.compiler.placement.terms import Leaf, Term, leaves, write_term
from slackwater.compiler.placement.unfuse import with_frames
from slackwater.errors import InvariantError
from slackwater.expr.nodes import Expr
from slackwater.plan.frames import Frame, Fresh
from slackwater.plan.placed import Block, Move, PlacedProgram, Reading, Send
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
from slackwater.plan.statements import Statement
from slackwater.types import Field

_SENT_BY = "_x"
_READINGS = {ANY: Reading.RANGE, AT_FIRST: Reading.FIRST, EVERYWHERE: Reading.WHOLE}
_SUFFIXES = {Reading.RANGE: "", Reading.FIRST: "_first", Reading.WHOLE: "_all"}


@dataclass(slots=True)
class _Sending:
    """A frame on its way to the next block."""

    number: int
    """The frame as it was before anything moved."""
    frame: str
    arrives_as: str
    move: Move
    term: Term | None = None
    arrived: bool = False
    """Whether it came from a block before."""


@dataclass(slots=True)
class _Open:
    """A block while it is written."""

    steps: list[tuple[int, Step]] = field(default_factory=list)
    """With the place of each in the order of the program."""
    sends: list[_Sending] = field(default_factory=list)
    first: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Moves:
    """The names under which rows arrive that were sent already."""

    sent: dict[tuple[int, ...], tuple[str, int]] = field(default_factory=dict)
    """With the block in which they are first."""
    stays: dict[tuple[str, int], str] = field(default_factory=dict)
    """Of what goes on to the next block of its partition."""


@dataclass(slots=True)
class _StoredReads:
    """How steps that read stored rows do so."""

    readings: dict[str, Reading] = field(default_factory=dict)
    """By the name of the step."""
    names: dict[tuple[int, Reading, int], str] = field(default_factory=dict)
    """By the number of the frame, how it is read, and the block."""
    beside: dict[str, set[str]] = field(default_factory=dict)
    """The frames of which one must have rows so that anybody needs some stored ones."""


def build(choices: Choices, schedule: Schedule, *, share: bool) -> PlacedProgram:
    """The blocks of a schedule; with `share`, what several readers need is sent once."""
    return _Builder(choices, schedule, share=share).program()


class _Builder:
    def __init__(self, choices: Choices, schedule: Schedule, *, share: bool):
        self._choices = choices
        self._schedule = schedule
        self._share = share
        last = max((*schedule.own, *schedule.copies), default=0)
        self._blocks = [_Open() for _ in range(last + 1)]
        self._moves = _Moves()
        self._names: set[str] = {each.name for each in choices.steps}
        self._reads = _StoredReads()

    def program(self) -> PlacedProgram:
        """All blocks."""
        chosen = self._schedule.chosen
        for number in range(len(self._choices.steps)):
            copy, mode = chosen.copies[number], chosen.modes[number]
            if self._choices.steps[number].is_stored:
                continue
            if copy is not None:
                self._take(number, copy, self._schedule.copies[number], copied=True)
            if mode is not None:
                self._take(number, mode, self._schedule.own[number], copied=False)
        blocks: list[Block] = []
        wanted: dict[str, frozenset[str]] = {}
        for number in reversed(range(len(self._blocks))):
            block, wanted = self._closed(number, wanted)
            blocks.insert(0, block)
        readings = {
            step.name: self._reads.readings[step.name]
            for block in blocks
            for step in block.steps
            if step.is_stored
        }
        return PlacedProgram(self._choices.program, tuple(blocks), readings)

    def _take(self, number: int, mode: Mode, block: int, *, copied: bool) -> None:
        choice = self._choices.steps[number]
        form = choice.forms[mode.variant]
        names = tuple(self._frame(slot, block, number) for slot in mode.slots)
        name = self._name(f"{form.name}_all") if copied else form.name
        step = _reading(form, name, names)
        if step.is_stored:
            first = self._schedule.at_first[number]
            reading = Reading.FIRST if first else Reading.RANGE
            self._reads.readings[name] = Reading.WHOLE if copied else reading
        self._look_beside(mode, names)
        here = self._blocks[block]
        here.steps.append((number, step))
        if not copied and self._schedule.at_first[number]:
            here.first.add(name)

    def _look_beside(self, mode: Mode, names: tuple[str, ...]) -> None:
        """Note the frames, as they are read here, beside which stored rows are read."""
        read = list(zip(mode.slots, names, strict=True))
        for slot, name in read:
            choice = self._choices.steps[slot.frame]
            if choice.is_stored and isinstance(choice.step, StateRowsStep):
                others = {
                    other
                    for each, other in read
                    if self._choices.steps[each.frame].name == choice.step.beside
                }
                self._reads.beside.setdefault(name, set()).update(others or {""})

    def _frame(self, slot: Slot, block: int, reader: int) -> str:
        """The name under which a frame is in a block, in the place where it is wanted."""
        schedule = self._schedule
        choice = self._choices.steps[slot.frame]
        if choice.is_stored and schedule.is_here(slot):
            reading = _READINGS[slot.place if slot.place < KEYED else ANY]
            return self._stored(slot.frame, reading, block)
        if schedule.is_here(slot):
            if slot.place == EVERYWHERE:
                return self._kept(slot, f"{choice.name}_all", schedule.copies[slot.frame], block)
            return self._kept(slot, choice.name, schedule.own[slot.frame], block)
        name, arrived = self._arrival(slot, block, reader)
        return self._kept(slot, name, arrived, block, arrived=True)

    def _stored(self, number: int, reading: Reading, block: int) -> str:
        key = (number, reading, block)
        if key not in self._reads.names:
            step = self._choices.steps[number].step
            name = step.name + _SUFFIXES[reading]
            used = name in self._reads.readings
            name = self._name(f"{name}_in{block}" if used else name, known=name == step.name)
            self._reads.names[key] = name
            self._reads.readings[name] = reading
            self._blocks[block].steps.append((number, replace(step, name=name)))
            if reading is Reading.FIRST:
                self._blocks[block].first.add(name)
        return self._reads.names[key]

    def _arrival(self, slot: Slot, block: int, reader: int) -> tuple[str, int]:
        """The name of a frame that is sent, and the block where it arrives."""
        key = (slot.frame, slot.place) if self._share else (slot.frame, slot.place, reader)
        if key not in self._moves.sent:
            choice = self._choices.steps[slot.frame]
            stored = choice.is_stored
            start = self._earliest(slot, block) - 1 if stored else self._schedule.own[slot.frame]
            move, term, suffix = _movement(slot.place, choice.terms)
            frame = choice.name
            if stored:
                frame = self._stored(slot.frame, Reading.RANGE, start)
            name = self._name(f"{choice.name}_{suffix}")
            self._blocks[start].sends.append(_Sending(slot.frame, frame, name, move, term))
            self._moves.sent[key] = (name, start + 1)
        return self._moves.sent[key]

    def _earliest(self, slot: Slot, block: int) -> int:
        """The first block that reads a frame in a place."""
        if not self._share:
            return block
        schedule, found = self._schedule, block
        for modes, blocks in (
            (schedule.chosen.modes, schedule.own),
            (schedule.chosen.copies, schedule.copies),
        ):
            for mode, number in zip(modes, blocks, strict=True):
                if mode is not None and slot in mode.slots:
                    found = min(found, number)
        return found

    def _kept(self, slot: Slot, name: str, since: int, block: int, *, arrived: bool = False) -> str:
        """The name of a frame some blocks after the one that has it first."""
        for number in range(since, block):
            key = (name, number)
            if key not in self._moves.stays:
                later = self._name(f"{name}_in{number + 1}")
                sending = _Sending(slot.frame, name, later, Move.STAY, arrived=arrived)
                self._blocks[number].sends.append(sending)
                self._moves.stays[key] = later
            name, arrived = self._moves.stays[key], True
        return name

    def _name(self, wanted: str, *, known: bool = False) -> str:
        """A name that no other frame has."""
        if known:
            return wanted
        name, number = wanted, 2
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name

    def _closed(
        self, number: int, wanted: Mapping[str, frozenset[str]]
    ) -> tuple[Block, dict[str, frozenset[str]]]:
        """A block, and what it needs of the frames that arrive; `wanted` is that of the next."""
        here = self._blocks[number]
        steps = [step for _, step in sorted(here.steps, key=lambda each: each[0])]
        sends: list[Send] = []
        carried: dict[str, frozenset[str]] = {}
        for sending in here.sends:
            columns = wanted.get(sending.arrives_as, frozenset())
            if sending.arrived and sending.move is Move.STAY:
                carried[sending.frame] = carried.get(sending.frame, frozenset()) | columns
                sends.append(Send(sending.frame, sending.arrives_as, number + 1, sending.move))
                continue
            statement, send = self._sent_out(sending, columns, number + 1)
            if statement is not None:
                steps.append(statement)
                if sending.frame in here.first:
                    here.first.add(statement.name)
            sends.append(send)
        kept = [self._with_beside(step) for step in steps]
        once = {each.frame for each in sends} | _before_first(kept, here.first)
        program = self._choices.program
        once |= program.once & {step.name for step in kept}
        fused = fuse(Program(tuple(kept), frozenset(once))).steps
        first = frozenset(step.name for step in fused if step.name in here.first)
        return Block(fused, tuple(sends), first), self._needs(fused, carried)

    def _with_beside(self, step: Step) -> Step:
        """Stored rows with the one frame beside them; with none where there are several."""
        if not isinstance(step, StateRowsStep) or step.name not in self._reads.beside:
            return step
        names = self._reads.beside[step.name]
        (only,) = names if len(names) == 1 else ("",)
        return replace(step, beside=only or None)

    def _needs(
        self, steps: Iterable[Step], carried: Mapping[str, frozenset[str]]
    ) -> dict[str, frozenset[str]]:
        found = dict(carried)
        for step in steps:
            for name in step.reads:
                if isinstance(step, ComputeStep):
                    columns = step.needs[name]
                else:
                    columns = frozenset(self._fields_by_arrival(name))
                found[name] = found.get(name, frozenset()) | columns
        return found

    def _fields_by_arrival(self, name: str) -> Mapping[str, Field]:
        """All columns of a frame that may have arrived under another name."""
        for block in self._blocks:
            for sending in block.sends:
                if sending.arrives_as == name:
                    return self._fields(sending.number)
        return {}

    def _fields(self, number: int) -> Mapping[str, Field]:
        return self._choices.fields.get(self._choices.steps[number].step.name, {})

    def _sent_out(
        self, sending: _Sending, wanted: frozenset[str], block: int
    ) -> tuple[ComputeStep | None, Send]:
        """A statement with what is sent of a frame, unless that is all of it, and the send."""
        fields, term = self._fields(sending.number), sending.term
        choice = self._choices.steps[sending.number]
        by = None if term is None else term if isinstance(term, str) else _SENT_BY
        columns = [name for name in fields if name in wanted or name == by]
        if not columns and term is None:
            columns = list(fields)[:1]
        whole = (
            isinstance(choice.step, ComputeStep)
            and (by is None or by in fields)
            and columns == list(fields)
        )
        if whole:
            return None, Send(sending.frame, sending.arrives_as, block, sending.move, by)
        read = list(dict.fromkeys((*columns, *map(str, leaves(term) if term else ()))))
        fresh = Fresh()
        scan = fresh.scan(_frame(sending.frame, fields), read)
        named = {each.name: each for each in scan.columns}
        outputs = [pass_through(named[name]) for name in columns]
        names = list(columns)
        if by == _SENT_BY and term is not None:
            outputs += fresh.outputs((write_term(term, _columns(named)),))
            names.append(_SENT_BY)
        name = self._name(f"{sending.arrives_as}_sent")
        step = ComputeStep(name, Statement(Project(scan, tuple(outputs)), tuple(names)))
        return step, Send(name, sending.arrives_as, block, sending.move, by)


def _movement(place: int, terms: tuple[Term, ...]) -> tuple[Move, Term | None, str]:
    """How rows get to a place, and how the frame is called there."""
    if place == AT_FIRST:
        return Move.GATHER, None, "at_first"
    if place == EVERYWHERE:
        return Move.REPLICATE, None, "everywhere"
    term = terms[place - KEYED]
    columns = "_".join(dict.fromkeys(map(str, leaves(term)))).replace("__", "_")
    return Move.REPARTITION, term, f"by_{columns.strip('_') or 'nothing'}"


def _reading(form: Step, name: str, names: tuple[str, ...]) -> Step:
    """A step under a name that reads frames under theirs."""
    match form:
        case ComputeStep(statement=statement, origin=origin):
            return ComputeStep(name, with_frames(statement, names), origin=origin)
        case LookUpStep() | GatherStep() | AppendStep():
            return replace(form, name=name, input=names[0])
        case StateRowsStep():
            return replace(form, name=name, beside=names[0])
        case SourceChangesStep() | SourceRowsStep() | FragmentStep():
            raise InvariantError(f"step {form.name} reads no frame")
        case _:
            assert_never(form)


def _before_first(steps: list[Step], first: set[str]) -> set[str]:
    """Frames that must not become part of a step that other partitions take."""
    return {
        name for step in steps for name in step.reads if (name in first) != (step.name in first)
    }


def _frame(name: str, fields: Mapping[str, Field]) -> Frame:
    return Frame(name, tuple(fields.values()))


def _columns(named: Mapping[str, Column]) -> Callable[[Leaf], Expr]:
    return lambda leaf: named[str(leaf)].ref()
