"""Writes the program of one run: what every view and every piece of state needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Project, Recompute, Scan
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.base import settled
from slackwater.compiler.lowering.table import LOWERINGS
from slackwater.compiler.lowering.whole_state import Whole, rows_after
from slackwater.compiler.run_tasks import RunTasks
from slackwater.compiler.stored_forms import (
    found_fields,
    storage_field,
    stored_fields,
    stored_value,
    value_of,
)
from slackwater.compiler.tasks import Action, RunFacts, ViewTask
from slackwater.errors import InvariantError
from slackwater.expr.build import number
from slackwater.plan.arrangements import Arrangement, Role
from slackwater.plan.frames import (
    HASH,
    MATCHES,
    NEW,
    OLD,
    WEIGHT,
    Frame,
    Fresh,
    positions,
    relation_fields,
)
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    Origin,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
    Step,
)
from slackwater.plan.statements import Statement
from slackwater.plan.view_plan import RECOMPUTE, Alternative, KeptState, OperatorPlan
from slackwater.plan.weighted import read_changes, repeated
from slackwater.types import BIGINT, ArrayType, Field, StructType
from slackwater.types.storage import needs_encoding


@dataclass(slots=True)
class _Frames:
    """The steps written so far and the names of their frames."""

    steps: list[Step] = field(default_factory=list)
    made: dict[str, Step] = field(default_factory=dict)
    """Those of them that belong to a relation, by the name of their frame."""
    numbers: dict[str, int] = field(default_factory=dict)
    unstable: set[str] = field(default_factory=set)
    """Frames that might come out differently if they were computed twice."""


class ProgramWriter:
    """The builder that rules speak to: frames by relation, steps in order."""

    def __init__(self, tasks: RunTasks):
        """Nothing is written yet."""
        self._tasks = tasks
        self._frames = _Frames()
        self._deltas: dict[str, Frame | None] = {}
        self._rows: dict[str, Frame] = {}
        self._appended: set[str] = set()

    def program(self) -> Program:
        """What has been written, and which frames must be computed once only."""
        program = Program(tuple(self._frames.steps))
        shared = frozenset(name for name, uses in program.uses().items() if uses > 1)
        unstable = frozenset(self._frames.unstable)
        return Program(program.steps, shared | unstable, unstable)

    def delta(self, rel: Rel) -> Frame | None:
        """The frame with a relation's changes; written the first time it is asked for."""
        key = fingerprint(rel)
        if key not in self._deltas:
            plan = self._tasks.plans[key]
            changes = LOWERINGS[plan.method].delta(rel, self) if self.touched(rel) else None
            if changes is not None and plan.chosen.unstable:
                self._frames.unstable.add(changes.name)
            self._deltas[key] = changes
        return self._deltas[key]

    def rows(self, rel: Rel) -> Frame:
        """The frame with all rows of a relation.

        What might come out differently if it were computed again is taken from state, where it
        is: later changes take away what that holds, to the last bit.
        """
        key = fingerprint(rel)
        if key not in self._rows:
            plan = self._tasks.plans[key]
            kept = self._kept(plan) if plan.chosen.unstable else None
            if kept is not None:
                self._rows[key] = self._rows_kept(rel, kept, self.delta(rel))
            else:
                self._rows[key] = LOWERINGS[plan.method].rows(rel, self)
            if plan.chosen.unstable:
                self._frames.unstable.add(self._rows[key].name)
        return self._rows[key]

    def _kept(self, plan: OperatorPlan) -> Arrangement | None:
        """Where a relation's own rows are, unless this run works them out anew."""
        if plan.method == RECOMPUTE and self.touched(plan.rel):
            return None
        owner = fingerprint(plan.rel)
        kept = (each.arrangement for each in plan.chosen.state)
        own = (each for each in kept if each.owner == owner and _holds_rows(each))
        return next((each for each in own if self._tasks.stays(each)), None)

    def _rows_kept(self, rel: Rel, kept: Arrangement, changes: Frame | None) -> Frame:
        """The rows that are kept, with the changes of this run."""
        weighted = self.state_rows(rel, "kept", kept)
        if changes is not None:
            weighted = rows_after(rel, "kept_", Whole(rel, kept, weighted, changes), self)
        fresh = Fresh(rel)
        rows = repeated(read_changes(rel, weighted, fresh), fresh)
        return self.compute(rel, "rows", rows, positions(rel))

    def touched(self, rel: Rel) -> bool:
        """Whether a source below the relation has changes."""
        return self._tasks.touched(rel)

    def behind(self, scan: Scan) -> Rel | None:
        """What the changes of a view come from; none if it is computed anew and compared."""
        return self._tasks.behind(scan)

    def scan_delta(self, scan: Scan) -> Frame | None:
        """Pending changes of a source, or what a view's own statements found."""
        view = self._tasks.views.get(scan.source)
        if view is not None:
            return self.view_delta(view)
        if scan.source not in self._tasks.facts.changed:
            return None
        fields = (*relation_fields(scan), _WEIGHT)
        return self._add(scan, "changes", fields, lambda name: SourceChangesStep(name, scan.source))

    def scan_rows(self, scan: Scan) -> Frame:
        """All rows of a source or a view."""
        view = self._tasks.views.get(scan.source)
        if view is None:
            fields = relation_fields(scan)
            return self._add(scan, "rows", fields, lambda name: SourceRowsStep(name, scan.source))
        if self._tasks.stays(view.plan.answer):
            return self._rows_kept(scan, view.plan.answer, self._answer_delta(view))
        return self.rows(view.rel)

    def view_delta(self, view: ViewTask) -> Frame | None:
        """The changes of a view's stored answer."""
        if view.plan.answer.id in self._tasks.replaced:
            key = "answer " + fingerprint(view.rel)
            if key not in self._deltas:
                self._deltas[key] = LOWERINGS[RECOMPUTE].delta(view.rel, self)
            return self._deltas[key]
        return self.delta(view.rel)

    def fragment_rows(self, rel: Recompute) -> Frame:
        """All rows of a part that Spark runs itself, over whole tables."""
        tables = tuple((name, *self._table(name)) for name in rel.sources)

        def make(name: str) -> Step:
            return FragmentStep(name, rel.fragment, len(rel.columns), tables)

        return self._add(rel, "rows", relation_fields(rel), make)

    def _table(self, name: str) -> tuple[str, tuple[str, ...]]:
        view = self._tasks.views.get(name)
        if view is not None:
            return self.rows(view.plan.read.rel).name, view.columns
        columns = self._tasks.facts.sources[name]
        frame = f"table_{len(self._frames.steps)}"
        self._frames.steps.append(SourceRowsStep(frame, name))
        return frame, columns

    def chosen(self, rel: Rel) -> Alternative:
        """The way in which a relation is kept, as its view's plan has it."""
        return self._tasks.plan(rel).chosen

    def compute(self, rel: Rel, part: str, tree: Rel, names: tuple[str, ...]) -> Frame:
        """A frame made by a statement."""
        statement = Statement(tree, names)
        return self._add(rel, part, statement.fields, lambda name: ComputeStep(name, statement))

    def look_up(self, rel: Rel, part: str, frame: Frame, arrangement: Arrangement) -> Frame:
        """The frame's rows and the state rows they hit."""
        probe = self._encoded(rel, part, frame)
        carried = tuple(each for each in frame.fields if each.name != HASH)
        fields = (*carried, *found_fields(arrangement))
        found = self._add(rel, part, fields, lambda name: LookUpStep(name, probe.name, arrangement))
        return self._decoded(rel, part, found)

    def look_up_nested(self, rel: Rel, part: str, frame: Frame, arrangement: Arrangement) -> Frame:
        """The frame's rows, each with the array of state rows of equal hash."""
        probe = self._encoded(rel, part, frame)
        row = StructType(found_fields(arrangement))
        carried = tuple(each for each in frame.fields if each.name != HASH)
        found = self._add(
            rel,
            part,
            (*carried, Field(MATCHES, ArrayType(row, False), False)),
            lambda name: LookUpStep(name, probe.name, arrangement, nested=True),
        )
        return self._decoded(rel, part, found)

    def gather(self, rel: Rel, part: str, frame: Frame, arrangement: Arrangement) -> Frame:
        """All rows under the hashes of the frame, with weights before and after."""
        marked = self._encoded(rel, part, frame)
        weights = (Field(OLD, BIGINT, False), Field(NEW, BIGINT, False))
        fields = (Field(HASH, BIGINT, False), *stored_fields(arrangement), *weights)
        found = self._add(
            rel, part, fields, lambda name: GatherStep(name, marked.name, arrangement)
        )
        return self._decoded(rel, part, found)

    def state_rows(
        self, rel: Rel, part: str, arrangement: Arrangement, beside: Frame | None = None
    ) -> Frame:
        """What an arrangement held before this run; may be empty if the frame `beside` is."""
        other = None if beside is None else beside.name
        fields = (*stored_fields(arrangement), _WEIGHT)
        found = self._add(rel, part, fields, lambda name: StateRowsStep(name, arrangement, other))
        return self._decoded(rel, part, found)

    def append(self, arrangement: Arrangement, frame: Frame) -> None:
        """Add changes to an arrangement that exists."""
        self._keep(arrangement, frame, fill=False)

    def write_view(self, task: ViewTask) -> None:
        """Everything a view needs in this run: its inner state, then its answer."""
        if task.action is Action.SKIP:
            return
        for state in task.plan.inner_state:
            self._write_state(state, replace=task.action is Action.REBUILD)
        if task.action is Action.FILL:
            self._write_state(KeptState(task.plan.answer, task.rel), replace=False)
        elif (changes := self.view_delta(task)) is not None:
            self.append(task.plan.answer, changes)

    def _write_state(self, state: KeptState, *, replace: bool) -> None:
        arrangement = state.arrangement
        if arrangement.id in self._appended:
            return
        answered = self._tasks.answers.get(arrangement.id)
        anew = replace and answered is None and arrangement.id in self._tasks.replaced
        if arrangement.id not in self._tasks.facts.stored or anew:
            self._fill(state)
            return
        if answered is not None:
            # What is appended to an answer is its change feed: only what changed may go there.
            changes = self._answer_delta(answered)
        else:
            changes = settled(state.owner, self) if state.settled else self.delta(state.owner)
        if changes is not None and _holds_rows(arrangement):
            self.append(arrangement, changes)

    def _answer_delta(self, view: ViewTask) -> Frame | None:
        return None if view.action is Action.SKIP else self.view_delta(view)

    def _fill(self, state: KeptState) -> None:
        if not _holds_rows(state.arrangement):
            method = self._tasks.plan(state.owner).method
            frame = LOWERINGS[method].state_rows(state.owner, self)
        else:
            frame = self.rows(state.owner)
        self._keep(state.arrangement, frame, fill=True)

    def _keep(self, arrangement: Arrangement, frame: Frame, *, fill: bool) -> None:
        """Write a frame to an arrangement under its hashes; rows without a weight count once."""
        if arrangement.id in self._appended:
            return
        self._appended.add(arrangement.id)
        fresh = Fresh()
        columns = fresh.scan(frame, arrangement.columns).columns
        weighted = any(each.name == WEIGHT for each in frame.fields)
        weights = fresh.scan(frame, (WEIGHT,)).columns if weighted else ()
        weight = weights[0].ref() if weights else number(1)
        values = (arrangement.hash_of(columns), *map(stored_value, columns), weight)
        hashed = Project(Scan(frame.name, (*columns, *weights)), fresh.outputs(values))
        name = f"{arrangement.id}_rows"
        statement = Statement(hashed, (HASH, *arrangement.columns, WEIGHT))
        origins = [Origin(arrangement.id, f"{part}_{fill}") for part in ("hashed", "written")]
        rows = ComputeStep(name, statement, origin=origins[0])
        written = AppendStep(arrangement.id, name, arrangement, fill, origin=origins[1])
        self._frames.steps += (rows, written)

    def _add(
        self, rel: Rel, part: str, fields: tuple[Field, ...], make: Callable[[str], Step]
    ) -> Frame:
        """The frame of a relation's part; a step makes it the first time."""
        owner = fingerprint(rel)
        number = self._frames.numbers.setdefault(owner, len(self._frames.numbers) + 1)
        name = f"{type(rel).__name__.lower()}{number}_{part}"
        step = replace(make(name), origin=Origin(owner, part))
        known = self._frames.made.setdefault(name, step)
        if known is step:
            self._frames.steps.append(step)
        elif (type(known), known.reads) != (type(step), step.reads):
            # Columns may differ: relations that are the same may number theirs differently.
            raise InvariantError(f"two frames are called {name}")
        return Frame(name, fields)

    def _encoded(self, rel: Rel, part: str, frame: Frame) -> Frame:
        """The frame with values as state stores them; itself if none needs another form."""
        if not any(needs_encoding(each.dtype) for each in frame.fields):
            return frame
        fresh = Fresh()
        rows = fresh.scan(frame)
        stored = Project(rows, fresh.outputs(map(stored_value, rows.columns)))
        return self.compute(rel, f"{part}_stored", stored, tuple(c.name for c in rows.columns))

    def _decoded(self, rel: Rel, part: str, frame: Frame) -> Frame:
        """The frame with values as Spark computes with them."""
        if not any(needs_encoding(each.dtype) for each in frame.fields):
            return frame
        fresh = Fresh()
        stored = Frame(frame.name, tuple(map(storage_field, frame.fields)))
        rows = fresh.scan(stored)
        pairs = zip(rows.columns, frame.fields, strict=True)
        values = fresh.outputs(value_of(column, field) for column, field in pairs)
        names = tuple(column.name for column in rows.columns)
        return self.compute(rel, f"{part}_read", Project(rows, values), names)


_WEIGHT = Field(WEIGHT, BIGINT, False)


def _holds_rows(arrangement: Arrangement) -> bool:
    return arrangement.role is Role.CONTENTS


def write_program(run: RunFacts, tasks: tuple[ViewTask, ...]) -> Program:
    """The program that brings every view of a run up to date."""
    writer = ProgramWriter(RunTasks.of(run, tasks))
    for task in tasks:
        writer.write_view(task)
    return writer.program()
