"""A program: the ordered steps of one run. Each step makes a named frame of rows, or keeps one.

Frames have columns k0, k1, ... and, where they are changes, the weight `_w`. Steps read
frames by name; the scans of statements name them as tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.plan.arrangements import Arrangement
from slackwater.plan.statements import Statement


@dataclass(frozen=True, slots=True)
class Origin:
    """The operator that a step belongs to, by its fingerprint, and the step's part in it."""

    operator: str
    part: str


@dataclass(frozen=True, slots=True)
class BaseStep:
    """The common fields of steps; `name` is the frame one makes."""

    name: str
    origin: Origin | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def reads(self) -> tuple[str, ...]:
        """The frames it needs."""
        return ()

    @property
    def is_stored(self) -> bool:
        """Tell if its rows are just what is stored somewhere."""
        return False


@dataclass(frozen=True, slots=True)
class ComputeStep(BaseStep):
    """A statement over other frames; `parts` are statements that only it reads, inputs first."""

    statement: Statement
    parts: tuple[tuple[str, Statement], ...] = ()
    reads: tuple[str, ...] = field(init=False, compare=False, repr=False)
    """The frames it names, but for its own parts."""

    def __post_init__(self) -> None:
        """Find what it reads."""
        own = {name for name, _ in self.parts}
        statements = (*(each for _, each in self.parts), self.statement)
        names = (name for each in statements for name in each.reads if name not in own)
        object.__setattr__(self, "reads", tuple(dict.fromkeys(names)))

    @property
    def needs(self) -> Mapping[str, frozenset[str]]:
        """The columns it needs of every frame it reads."""
        found: dict[str, frozenset[str]] = {}
        for statement in (*(each for _, each in self.parts), self.statement):
            for name, columns in statement.needs.items():
                found[name] = found.get(name, frozenset()) | columns
        return {name: found[name] for name in self.reads}


@dataclass(frozen=True, slots=True)
class SourceChangesStep(BaseStep):
    """The net changes of a source since the views last read it: k0, ..., _w."""

    source: str

    @property
    def is_stored(self) -> bool:
        """It computes nothing."""
        return True


@dataclass(frozen=True, slots=True)
class SourceRowsStep(BaseStep):
    """All rows of a source as of this run, each as often as it counts: k0, ..."""

    source: str

    @property
    def is_stored(self) -> bool:
        """It computes nothing."""
        return True


@dataclass(frozen=True, slots=True)
class StateRowsStep(BaseStep):
    """The rows an arrangement held before this run: k0, ..., _w."""

    arrangement: Arrangement
    beside: str | None = None
    """If this frame is empty, the state need not be read."""

    @property
    def is_stored(self) -> bool:
        """It computes nothing."""
        return True


@dataclass(frozen=True, slots=True)
class LookUpStep(BaseStep):
    """Each row of the input with each state row of equal hash: its columns, s0, ..., _sw.

    `nested` gives one row per input row instead, with an array `_matches` of state rows.
    """

    input: str
    arrangement: Arrangement
    nested: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The rows that look up."""
        return (self.input,)


@dataclass(frozen=True, slots=True)
class GatherStep(BaseStep):
    """Every row under an affected hash with its weight before and after: _h, k0, ..., _old, _new.

    The input has the columns _h, k0, ..., _w; weight 0 marks a hash as affected.
    """

    input: str
    arrangement: Arrangement

    @property
    def reads(self) -> tuple[str, ...]:
        """The changes and marks."""
        return (self.input,)


@dataclass(frozen=True, slots=True)
class FragmentStep(BaseStep):
    """A part of the query that Spark runs itself, over whole tables: k0, ..."""

    fragment: str
    width: int
    tables: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Per table: its name, the frame with its rows, and its column names."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The frames of its tables."""
        return tuple(frame for _, frame, _ in self.tables)


@dataclass(frozen=True, slots=True)
class AppendStep(BaseStep):
    """Adds changes to an arrangement, or fills it: the input has _h, k0, ..., _w.

    `fill` says that the input is all there is: what was stored before goes.
    """

    input: str
    arrangement: Arrangement
    fill: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The rows to keep."""
        return (self.input,)


Step = (
    ComputeStep
    | SourceChangesStep
    | SourceRowsStep
    | StateRowsStep
    | LookUpStep
    | GatherStep
    | FragmentStep
    | AppendStep
)
"""Every kind of step; each dispatch over steps ends in `assert_never`."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Program:
    """The steps of one run in an order in which they can be taken.

    A program is itself only: what is prepared for it is found by its identity.
    """

    steps: tuple[Step, ...]
    once: frozenset[str] = frozenset()
    """Frames to compute only once however many steps read them."""
    unstable: frozenset[str] = frozenset()
    """Those of them that would come out differently if they were computed twice after all."""

    @property
    def appends(self) -> tuple[AppendStep, ...]:
        """The steps that change state."""
        return tuple(step for step in self.steps if isinstance(step, AppendStep))

    def uses(self) -> dict[str, int]:
        """The number of steps that read each frame, be it made here or given."""
        counts = {step.name: 0 for step in self.steps}
        for step in self.steps:
            for name in step.reads:
                counts[name] = counts.get(name, 0) + 1
        return counts

    def parts(self) -> tuple[Program, ...]:
        """The program in parts that have no computed frame in common, in their order.

        What a source or an arrangement holds may be read by several.
        """
        owner: dict[str, int] = {}
        groups: dict[int, list[str]] = {}
        by_name = {_own_name(step): step for step in self.steps}
        for number, step in enumerate(self.steps):
            if step.is_stored:
                continue
            joined = {owner[name] for name in step.reads if name in owner}
            members = [_own_name(step)]
            for each in joined:
                members += groups.pop(each)
            groups[number] = members
            owner.update(dict.fromkeys(members, number))
        found = []
        for members in groups.values():
            wanted = set(members)
            wanted.update(name for member in members for name in by_name[member].reads)
            steps = tuple(step for step in self.steps if _own_name(step) in wanted)
            found.append(Program(steps, self.once & wanted, self.unstable & wanted))
        return tuple(found)


def merged(parts: tuple[Program, ...]) -> Program:
    """Parts as one program again; what several of them read is read once."""
    steps = {_own_name(step): step for part in parts for step in part.steps}
    once = frozenset(name for part in parts for name in part.once)
    unstable = frozenset(name for part in parts for name in part.unstable)
    return Program(tuple(steps.values()), once, unstable)


def _own_name(step: Step) -> str:
    """A name that only this step has: appends are called like the state they change."""
    return f"+{step.name}" if isinstance(step, AppendStep) else step.name
