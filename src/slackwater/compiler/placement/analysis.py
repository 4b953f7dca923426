"""Finds the ways in which each step of a program can be placed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from slackwater.algebra.operators import Join
from slackwater.algebra.rel import Rel, walk_rel
from slackwater.compiler.placement.beside import awaited_frames
from slackwater.compiler.placement.division import (
    SPREAD,
    Place,
    comes_out_alike,
    likely_place,
)
from slackwater.compiler.placement.frame_fields import Fields, find_fields, width_of
from slackwater.compiler.placement.modes import (
    ANY,
    AT_FIRST,
    EVERYWHERE,
    KEYED,
    PARTIAL,
    Alone,
    Choice,
    Choices,
    Mode,
    Slot,
)
from slackwater.compiler.placement.partial_aggregates import split
from slackwater.compiler.placement.step_places import (
    frames_of,
    likely_step_place,
    pushed_through,
    step_place,
)
from slackwater.compiler.placement.stored_places import natural_place
from slackwater.compiler.placement.terms import FIRST, Term
from slackwater.compiler.placement.unfuse import unfuse
from slackwater.compiler.placement.wishes import Wish, Wishes, own_wishes, pushed
from slackwater.expr.nodes import Expr
from slackwater.plan.frames import HASH
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    GatherStep,
    LookUpStep,
    Program,
    StateRowsStep,
    Step,
)
from slackwater.plan.statements import Statement

_MOST_PLACES = 10

_Root = tuple[int, Term]
"""A frame, and a term over its columns."""
SourceKeys = Mapping[str, tuple[Expr, ...]]
"""How the rows of each source are hashed: expressions over stored columns, as in arrangements."""


def analyse(program: Program, sources: SourceKeys) -> Choices:
    """The ways to place every step of a program that has no fragment."""
    return _Analysis(program, sources).choices()


@dataclass(slots=True)
class _Frame:
    """A frame while it is found out where it can be."""

    number: int
    forms: tuple[Step, ...]
    reads: tuple[tuple[int, ...], ...]
    natural: Place
    is_partial: bool = False
    always_first: bool = False
    """True if all its rows are in the first partition, however it is made."""
    is_light: bool = False
    """True if the first partition may make it alone where all of it is wanted there."""
    places: dict[_Root, tuple[int, list[Term]]] = field(default_factory=dict)
    """Its own places, each with the ways to say it, by what these come down to."""

    @property
    def terms(self) -> list[list[Term]]:
        """The ways to say each of its own places."""
        return [terms for _, terms in self.places.values()]


class _Analysis:
    """One look at a program."""

    def __init__(self, program: Program, sources: SourceKeys):
        self._program = program
        self._sources = sources
        self._frames: list[_Frame] = []
        self._numbers: dict[str, int] = {}
        self._roots: dict[_Root, _Root] = {}
        self._awaited: Mapping[str, str] = {}

    def choices(self) -> Choices:
        """All steps with the ways to take them."""
        steps = tuple(unfuse(self._program))
        self._awaited = awaited_frames(steps)
        for step in steps:
            self._add(step)
        for each in reversed(self._frames):
            self._wish(each)
        fields = find_fields(each.forms[0] for each in self._frames)
        modes = [tuple(self._modes(each)) for each in self._frames]
        self._mark_glad()
        return Choices(
            self._program,
            tuple(self._choice(*each, fields) for each in zip(self._frames, modes, strict=True)),
            fields,
        )

    def _mark_glad(self) -> None:
        """Light steps are left to the first partition only for one that cannot be divided."""
        wanted: set[int] = set()
        for frame in reversed(self._frames):
            frame.is_light &= frame.number in wanted
            if frame.is_light or frame.always_first:
                wanted.update(frame.reads[0])

    def _add(self, step: Step) -> None:
        forms: tuple[Step, ...] = (step,)
        if isinstance(step, ComputeStep):
            name = step.name + PARTIAL
            parts = split(step.statement, name)
            if parts is not None:
                self._append((ComputeStep(name, parts.partial),), is_partial=True)
                forms = (step, ComputeStep(step.name, parts.final, origin=step.origin))
        self._append(forms)

    def _append(self, forms: tuple[Step, ...], *, is_partial: bool = False) -> None:
        reads = tuple(
            tuple(self._numbers[name] for name in self._frames_of(each)) for each in forms
        )
        number, step = len(self._frames), forms[0]
        natural = self._natural(step, reads[0], grouped=not is_partial)
        self._frames.append(_Frame(number, forms, reads, natural, is_partial))
        if not isinstance(step, AppendStep):
            self._numbers[step.name] = number

    def _frames_of(self, step: Step) -> tuple[str, ...]:
        awaited = self._awaited.get(step.name) if isinstance(step, StateRowsStep) else None
        return frames_of(step) if awaited is None else (awaited,)

    def _natural(self, step: Step, reads: tuple[int, ...], *, grouped: bool) -> Place:
        """Where the rows are if nothing is moved."""
        if step.is_stored:
            return natural_place(step, self._sources)
        below = [self._frames[number].natural for number in reads]
        return likely_step_place(step, below, grouped=grouped)

    def _root(self, frame: _Frame, term: Term) -> _Root:
        """The root of a term: terms of a frame that always agree have the same."""
        key = (frame.number, term)
        if key not in self._roots:
            self._roots[key] = key
            for number, below in self._below(frame, term):
                self._roots[key] = self._root(self._frames[number], below)
        return self._roots[key]

    def _below(self, frame: _Frame, term: Term) -> Iterator[tuple[int, Term]]:
        """The term over the one frame from which a frame has all its rows."""
        reads, step = frame.reads[0], frame.forms[0]
        if len(reads) != 1:
            return
        for wish in pushed_through(step, term)[:1]:
            if wish is not None and not isinstance(wish, Place):
                given = Place((wish,), equal=self._frames[reads[0]].natural.equal)
                if term in likely_step_place(step, [given], grouped=not frame.is_partial).by:
                    yield reads[0], wish

    def _wish(self, frame: _Frame) -> None:
        """Tell the frames that a step reads where it would like to have them."""
        for form, reads in zip(frame.forms, frame.reads, strict=True):
            for wishes in self._wishes(frame, form, reads):
                for number, wish in zip(reads, wishes, strict=True):
                    if wish is not None and not isinstance(wish, Place):
                        self._place(self._frames[number], wish)

    def _wishes(self, frame: _Frame, form: Step, reads: tuple[int, ...]) -> Iterator[Wishes]:
        if isinstance(form, GatherStep) or (isinstance(form, AppendStep) and form.fill):
            yield (HASH,)
        if isinstance(form, ComputeStep) and reads:
            natural = [self._frames[number].natural for number in reads]
            rel = form.statement.rel
            for wishes in own_wishes(rel, natural, grouped=not frame.is_partial):
                yield wishes
                yield from self._completed(form.statement, wishes)
        for term in [each for forms in frame.terms for each in forms]:
            wishes = pushed_through(form, term)
            if len(wishes) == len(reads):
                yield wishes

    def _completed(self, statement: Statement, wishes: Wishes) -> Iterator[Wishes]:
        """What says something of some frames only, said of all by what the result then has."""
        if None not in wishes:
            return
        places = [_as_place(wish) for wish in wishes]
        for term in likely_place(statement.rel, places).by[:3]:
            yield pushed(statement.rel, term)

    def _place(self, frame: _Frame, term: Term) -> int | None:
        """The number of a place of a frame; None if it has too many already."""
        if term == FIRST:
            return AT_FIRST
        root = self._root(frame, term)
        if root not in frame.places:
            if len(frame.places) >= _MOST_PLACES:
                return None
            frame.places[root] = (KEYED + len(frame.places), [])
        number, terms = frame.places[root]
        if term not in terms:
            terms.append(term)
        return number

    def _known(self, frame: _Frame, by: Iterable[Term]) -> tuple[int, ...]:
        """The numbers of the places that some terms are."""
        unknown: tuple[int | None, list[Term]] = (None, [])
        found = (
            AT_FIRST if term == FIRST else frame.places.get(self._root(frame, term), unknown)[0]
            for term in by
        )
        return tuple(dict.fromkeys(number for number in found if number is not None))

    def _choice(self, frame: _Frame, modes: tuple[Mode, ...], fields: Fields) -> Choice:
        step = frame.forms[0]
        copies = tuple(self._copies(frame))
        name = f"+{step.name}" if isinstance(step, AppendStep) else step.name
        terms = tuple(each[0] for each in frame.terms)
        width = width_of(fields.get(step.name, {}).values())
        alone = (
            Alone.ALWAYS if frame.always_first else Alone.GLADLY if frame.is_light else Alone.SMALL
        )
        return Choice(
            name,
            frame.forms,
            frame.reads,
            modes,
            copies,
            terms,
            tuple(frame.places),
            width,
            alone,
            frame.is_partial,
        )

    def _copies(self, frame: _Frame) -> Iterator[Mode]:
        """The ways in which every partition works out all rows by itself."""
        step = frame.forms[0]
        if step.is_stored:
            yield Mode(self._awaiting(frame, EVERYWHERE), (EVERYWHERE,))
        if step.is_stored or step.name in self._program.unstable:
            return
        for variant, (form, reads) in enumerate(zip(frame.forms, frame.reads, strict=True)):
            alike = isinstance(form, LookUpStep | GatherStep) or (
                isinstance(form, ComputeStep) and comes_out_alike(form.statement.rel)
            )
            if alike:
                slots = tuple(Slot(number, EVERYWHERE) for number in reads)
                yield Mode(slots, (EVERYWHERE,), variant)

    def _modes(self, frame: _Frame) -> Iterator[Mode]:
        step = frame.forms[0]
        frame.is_light = step.is_stored
        if step.is_stored:
            places = (ANY, *self._known(frame, frame.natural.by))
            yield Mode(self._awaiting(frame, EVERYWHERE), places)
            yield Mode(self._awaiting(frame, AT_FIRST), (AT_FIRST,), first=True)
            return
        found: list[Mode] = []
        always = [all(self._frames[n].always_first for n in reads) for reads in frame.reads]
        if not always[0]:
            for variant, form in enumerate(frame.forms):
                found += self._divided(frame, variant, form)
        frame.always_first = not found
        frame.is_light = not found or self._is_light(frame)
        yield from found
        variants = range(len(frame.forms)) if not always[0] else range(1)
        splits = len(frame.forms) > 1 and not always[0] and frame.always_first
        for variant in variants:
            if variant == 0 and splits:
                # What can be added up in parts is not gathered as it is.
                continue
            slots = tuple(Slot(number, AT_FIRST) for number in frame.reads[variant])
            yield Mode(slots, (AT_FIRST, ANY), variant, first=True)

    def _awaiting(self, frame: _Frame, place: int) -> tuple[Slot, ...]:
        """The frame of which stored rows must know whether it is empty."""
        return tuple(Slot(number, place) for number in frame.reads[0])

    def _is_light(self, frame: _Frame) -> bool:
        """Tell if a step does no more than sift and group rows that the first partition reads."""
        step = frame.forms[0]
        return (
            isinstance(step, ComputeStep)
            and not frame.is_partial
            and not _joins(step.statement.rel)
            and all(self._frames[number].is_light for number in frame.reads[0])
        )

    def _divided(self, frame: _Frame, variant: int, form: Step) -> list[Mode]:
        """The ways to take a step in all partitions, each over its own rows."""
        reads = frame.reads[variant]
        found: dict[tuple[Slot, ...], Mode] = {}
        for places in self._tried(frame, variant, form):
            slots = tuple(Slot(*each) for each in zip(reads, places, strict=True))
            if slots in found:
                continue
            given = [self._as_place(*each) for each in zip(reads, places, strict=True)]
            place = step_place(form, given, grouped=not frame.is_partial)
            if place is not None and not place.everywhere:
                gives = (ANY, *(n for n in self._known(frame, place.by) if n >= KEYED))
                found[slots] = Mode(slots, gives, variant)
        modes = list(found.values())
        if isinstance(form, AppendStep):
            # A large fill had better be divided by its hash, although it need not be.
            return modes
        return [mode for mode in modes if not any(_better(other, mode) for other in modes)]

    def _as_place(self, number: int, place: int) -> Place:
        frame = self._frames[number]
        by = () if place < KEYED else tuple(frame.terms[place - KEYED])
        return Place(by, place == EVERYWHERE, frame.natural.equal)

    def _tried(self, frame: _Frame, variant: int, form: Step) -> Iterator[tuple[int, ...]]:
        """Places to try for the frames of a step."""
        reads = frame.reads[variant]
        for wishes in self._wishes(frame, form, reads):
            for filled in _filled(reads, wishes):
                places = [self._wanted(*each) for each in zip(reads, filled, strict=True)]
                known = tuple(place for place in places if place is not None)
                if len(known) == len(reads):
                    yield known
        if not isinstance(form, GatherStep):
            yield (ANY,) * len(reads)
        if len(reads) == 1:
            yield from ((KEYED + n,) for n in range(len(self._frames[reads[0]].terms)))
        elif isinstance(form, ComputeStep) and _joins(form.statement.rel):
            for at, number in enumerate(reads):
                for place in (ANY, *range(KEYED, KEYED + len(self._frames[number].terms))):
                    others = [EVERYWHERE] * len(reads)
                    others[at] = place
                    yield tuple(others)

    def _wanted(self, number: int, wish: Wish) -> int | None:
        if wish is None:
            return ANY
        if isinstance(wish, Place):
            return EVERYWHERE
        known = self._known(self._frames[number], (wish,))
        return next((each for each in known if each >= KEYED), None)


def _filled(reads: Sequence[int], wishes: Wishes) -> Iterator[Wishes]:
    """Wishes, and the same with every scan of a frame where another one is."""
    yield wishes
    if None in wishes and any(wish is not None for wish in wishes):
        known = {n: wish for n, wish in zip(reads, wishes, strict=True) if wish is not None}
        yield tuple(known.get(n) if w is None else w for n, w in zip(reads, wishes, strict=True))


def _as_place(wish: Wish) -> Place:
    if isinstance(wish, Place):
        return wish
    return SPREAD if wish is None else Place((wish,))


def _joins(rel: Rel) -> bool:
    return any(isinstance(each, Join) for each in walk_rel(rel))


def _better(one: Mode, other: Mode) -> bool:
    """Tell if a mode asks for no more than another and gives no less, or precedes its equal."""
    return (
        one is not other
        and all(a.place in (ANY, b.place) for a, b in zip(one.slots, other.slots, strict=True))
        and all(
            b.place != EVERYWHERE or a.place == b.place
            for a, b in zip(one.slots, other.slots, strict=True)
        )
        and set(other.gives) <= set(one.gives)
    )
