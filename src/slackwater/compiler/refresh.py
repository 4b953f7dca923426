"""Writes the program of one run: what every view and every piece of state needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Aggregate, Recompute, Scan
from slackwater.algebra.rel import Rel
from slackwater.compiler.tasks import Action, RunFacts, ViewTask, read_names
from slackwater.errors import InvariantError
from slackwater.optimizer.choose import RECOMPUTE, Chooser
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.base import Need, positions, repeated, settled
from slackwater.optimizer.rules.im1.aggregate_sums import AdjustSums
from slackwater.optimizer.rules.keys import whole_row
from slackwater.optimizer.rules.whole_state import Whole, rows_after
from slackwater.plan.arrangements import Arrangement, Role, hash_sql
from slackwater.plan.program import (
    AppendStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    Program,
    SourceChangesStep,
    SourceRowsStep,
    SqlStep,
    StateRowsStep,
    Step,
)
from slackwater.state.storage_types import decode_sql, encode_sql
from slackwater.types import DataType


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

    def __init__(self, run: RunFacts, tasks: tuple[ViewTask, ...]):
        """Remember what the run finds and which views it serves."""
        self._run = run
        self._chooser = Chooser.under(run.facts)
        self._views = {task.name: task for task in tasks}
        self._answers = {whole_row(task.rel).id: task for task in tasks}
        self._frames = _Frames()
        self._deltas: dict[str, str | None] = {}
        self._rows: dict[str, str] = {}
        self._appended: set[str] = set()
        kept = [task for task in tasks if task.action in (Action.INCREMENTAL, Action.SKIP)]
        anew = [task for task in tasks if task.action in (Action.REBUILD, Action.RECOMPUTE)]
        # What another view relies on cannot be made anew: it would differ in some last bit.
        self._replaced = self._state_of(anew, touched=True) - self._state_of(kept)

    @property
    def facts(self) -> Facts:
        """What is known of sources and settings."""
        return self._run.facts

    def program(self) -> Program:
        """What has been written, and which frames must be computed once only."""
        program = Program(tuple(self._frames.steps))
        shared = frozenset(name for name, uses in program.uses().items() if uses > 1)
        unstable = frozenset(self._frames.unstable)
        return Program(program.steps, shared | unstable, unstable)

    def delta(self, rel: Rel) -> str | None:
        """The frame with a relation's changes; written the first time it is asked for."""
        key = fingerprint(rel)
        if key not in self._deltas:
            rule = self._chooser.choice(rel).rule
            changes = rule.delta(rel, self) if self.touched(rel) else None
            if changes is not None and rule.unstable(rel):
                self._frames.unstable.add(changes)
            self._deltas[key] = changes
        return self._deltas[key]

    def rows(self, rel: Rel) -> str:
        """The frame with all rows of a relation.

        What might come out differently if it were computed again is taken from state, where it
        is: later changes take away what that holds, to the last bit.
        """
        key = fingerprint(rel)
        if key not in self._rows:
            rule = self._chooser.choice(rel).rule
            kept = self._kept(rel) if rule.unstable(rel) else None
            if kept is not None:
                self._rows[key] = self._rows_kept(rel, kept, self.delta(rel))
            else:
                self._rows[key] = rule.rows(rel, self)
            if rule.unstable(rel):
                self._frames.unstable.add(self._rows[key])
        return self._rows[key]

    def _kept(self, rel: Rel) -> Arrangement | None:
        """Where a relation's own rows are, unless this run works them out anew."""
        choice = self._chooser.choice(rel)
        if choice.rule is RECOMPUTE and self.touched(rel):
            return None
        needs = (need.arrangement for need in self._chooser.needs(rel))
        own = (each for each in needs if each.owner == fingerprint(rel) and _holds_rows(each))
        return next((each for each in own if self._stays(each)), None)

    def _stays(self, arrangement: Arrangement) -> bool:
        return arrangement.id in self._run.stored and arrangement.id not in self._replaced

    def _rows_kept(self, rel: Rel, kept: Arrangement, changes: str | None) -> str:
        """The rows that are kept, with the changes of this run."""
        weighted = self.state_rows(rel, "kept", kept)
        if changes is not None:
            weighted = rows_after(rel, "kept_", Whole(rel, kept, weighted, changes), self)
        return self.sql(rel, "rows", repeated(positions(rel), weighted), (weighted,))

    def touched(self, rel: Rel) -> bool:
        """Whether a source below the relation has changes."""
        return any(self._source_touched(name) for name in read_names(rel))

    def behind(self, scan: Scan) -> Rel | None:
        """What the changes of a view come from; none if it is computed anew and compared."""
        view = self._views.get(scan.source)
        if view is None or whole_row(view.rel).id in self._replaced:
            return None
        return view.rel

    def _source_touched(self, name: str) -> bool:
        view = self._views.get(name)
        return name in self._run.changed if view is None else self.touched(view.rel)

    def scan_delta(self, scan: Scan) -> str | None:
        """Pending changes of a source, or what a view's own statements found."""
        view = self._views.get(scan.source)
        if view is not None:
            return self.view_delta(view)
        if scan.source not in self._run.changed:
            return None
        return self._add(scan, "changes", lambda name: SourceChangesStep(name, scan.source))

    def scan_rows(self, scan: Scan) -> str:
        """All rows of a source or a view."""
        view = self._views.get(scan.source)
        if view is None:
            return self._add(scan, "rows", lambda name: SourceRowsStep(name, scan.source))
        answer = whole_row(view.rel)
        if self._stays(answer):
            return self._rows_kept(scan, answer, self._answer_delta(view))
        return self.rows(view.rel)

    def view_delta(self, view: ViewTask) -> str | None:
        """The changes of a view's stored answer."""
        if whole_row(view.rel).id in self._replaced:
            key = "answer " + fingerprint(view.rel)
            if key not in self._deltas:
                self._deltas[key] = RECOMPUTE.delta(view.rel, self)
            return self._deltas[key]
        return self.delta(view.rel)

    def fragment_rows(self, rel: Recompute) -> str:
        """All rows of a part that Spark runs itself, over whole tables."""
        tables = tuple((name, *self._table(name)) for name in rel.sources)

        def make(name: str) -> Step:
            return FragmentStep(name, rel.fragment, len(rel.columns), tables)

        return self._add(rel, "rows", make)

    def _table(self, name: str) -> tuple[str, tuple[str, ...]]:
        view = self._views.get(name)
        if view is not None:
            return self.rows(view.answer), view.columns
        columns = self._run.sources[name]
        frame = f"table_{len(self._frames.steps)}"
        self._frames.steps.append(SourceRowsStep(frame, name))
        return frame, columns

    def sql(self, rel: Rel, part: str, text: str, reads: tuple[str, ...]) -> str:
        """A frame made by a statement."""
        return self._add(rel, part, lambda name: SqlStep(name, text, reads))

    def look_up(
        self,
        rel: Rel,
        part: str,
        frame: str,
        arrangement: Arrangement,
        carried: tuple[DataType, ...] = (),
    ) -> str:
        """The frame's rows, with columns of the `carried` types, and the state rows they hit."""
        probe = self._encoded(rel, part, frame, carried, ("_h", "_w") if carried else ("_h",))
        found = self._add(rel, part, lambda name: LookUpStep(name, probe, arrangement))
        extra = ("_w", "_sw") if carried else ("_sw",)
        types = {f"k{n}": dtype for n, dtype in enumerate(carried)}
        types |= {f"s{n}": dtype for n, dtype in enumerate(arrangement.types)}
        return self._decoded(rel, part, found, types, extra)

    def look_up_nested(self, rel: Rel, part: str, frame: str, arrangement: Arrangement) -> str:
        """The frame's rows, each with the array of state rows of equal hash."""
        probe = self._encoded(rel, part, frame, arrangement.types, ("_h",))
        found = self._add(rel, part, lambda name: LookUpStep(name, probe, arrangement, nested=True))
        if not any(map(_is_encoded, arrangement.types)):
            return found
        fields = "".join(
            f"'s{n}', {decode_sql(dtype, f'm.s{n}')}, " for n, dtype in enumerate(arrangement.types)
        )
        matches = f"transform(_matches, m -> named_struct({fields}'_sw', m._sw)) AS _matches"
        types = {f"k{n}": dtype for n, dtype in enumerate(arrangement.types)}
        return self._decoded(rel, part, found, types, (matches,))

    def gather(self, rel: Rel, part: str, frame: str, arrangement: Arrangement) -> str:
        """All rows under the hashes of the frame, with weights before and after."""
        marked = self._encoded(rel, part, frame, arrangement.types, ("_h", "_w"))
        found = self._add(rel, part, lambda name: GatherStep(name, marked, arrangement))
        return self._decoded(rel, part, found, _stored_types(arrangement), ("_h", "_old", "_new"))

    def state_rows(
        self, rel: Rel, part: str, arrangement: Arrangement, beside: str | None = None
    ) -> str:
        """What an arrangement held before this run; may be empty if the frame `beside` is."""
        found = self._add(rel, part, lambda name: StateRowsStep(name, arrangement, beside))
        return self._decoded(rel, part, found, _stored_types(arrangement), ("_w",))

    def append(self, arrangement: Arrangement, frame: str) -> None:
        """Add changes to an arrangement that exists."""
        self._keep(arrangement, frame, "_w", fill=False)

    def write_view(self, task: ViewTask) -> None:
        """Everything a view needs in this run: its inner state, then its answer."""
        answer = whole_row(task.rel)
        if task.action is Action.SKIP:
            return
        if not task.answer_only:
            for need in self.inner_needs(task.rel):
                self._write_need(need, replace=task.action is Action.REBUILD)
        if task.action is Action.FILL:
            self._write_need(Need(answer, task.rel), replace=False)
        elif (changes := self.view_delta(task)) is not None:
            self.append(answer, changes)

    def _state_of(self, tasks: Sequence[ViewTask], *, touched: bool = False) -> frozenset[str]:
        """The state that is kept for views, their answers included; or what of it has changes."""
        needs = [Need(whole_row(task.rel), task.rel) for task in tasks]
        for task in tasks:
            needs += () if task.answer_only else self.inner_needs(task.rel)
        return frozenset(
            need.arrangement.id for need in needs if not touched or self.touched(need.owner)
        )

    def inner_needs(self, rel: Rel) -> tuple[Need, ...]:
        """All state below a view's answer, each piece once, inputs first."""
        found: dict[str, Need] = {}
        for each in self._chooser.kept_operators(rel):
            for need in self._chooser.needs(each):
                found.setdefault(need.arrangement.id, need)
        return tuple(found.values())

    def _write_need(self, need: Need, *, replace: bool) -> None:
        arrangement = need.arrangement
        if arrangement.id in self._appended:
            return
        answered = self._answers.get(arrangement.id)
        anew = replace and answered is None and arrangement.id in self._replaced
        if arrangement.id not in self._run.stored or anew:
            self._fill(need)
            return
        if answered is not None:
            # What is appended to an answer is its change feed: only what changed may go there.
            changes = self._answer_delta(answered)
        else:
            changes = settled(need.owner, self) if need.settled else self.delta(need.owner)
        if changes is not None and arrangement.role is Role.CONTENTS:
            self.append(arrangement, changes)

    def _answer_delta(self, view: ViewTask) -> str | None:
        return None if view.action is Action.SKIP else self.view_delta(view)

    def _fill(self, need: Need) -> None:
        if need.arrangement.role is Role.ACCUMULATORS:
            frame = self._group_rows(need.owner)
        else:
            frame = self.rows(need.owner)
        self._keep(need.arrangement, frame, "CAST(1 AS BIGINT)", fill=True)

    def _group_rows(self, rel: Rel) -> str:
        rule = self._chooser.choice(rel).rule
        if not isinstance(rule, AdjustSums) or not isinstance(rel, Aggregate):
            raise InvariantError(f"{type(rel).__name__} keeps no groups")
        return rule.state_rows(rel, self)

    def _keep(self, arrangement: Arrangement, frame: str, weight: str, *, fill: bool) -> None:
        if arrangement.id in self._appended:
            return
        self._appended.add(arrangement.id)
        encoded = [
            f"{encode_sql(dtype, name)} AS {name}" if _is_encoded(dtype) else name
            for name, dtype in zip(arrangement.columns, arrangement.types, strict=True)
        ]
        columns = ", ".join([*encoded, weight if weight == "_w" else f"{weight} AS _w"])
        hashed = f"{arrangement.id}_rows"
        text = f"SELECT {hash_sql(arrangement.key)} AS _h, {columns} FROM {frame}"
        self._frames.steps.append(SqlStep(hashed, text, (frame,)))
        self._frames.steps.append(AppendStep(arrangement.id, hashed, arrangement, fill))

    def _add(self, rel: Rel, part: str, make: Callable[[str], Step]) -> str:
        """The frame of a relation's part; a step makes it the first time."""
        owner = fingerprint(rel)
        number = self._frames.numbers.setdefault(owner, len(self._frames.numbers) + 1)
        name = f"{type(rel).__name__.lower()}{number}_{part}"
        step = make(name)
        known = self._frames.made.setdefault(name, step)
        if known is step:
            self._frames.steps.append(step)
        elif (type(known), known.reads) != (type(step), step.reads):
            # Texts may differ: relations that are the same may number their columns differently.
            raise InvariantError(f"two frames are called {name}")
        return name

    def _encoded(
        self, rel: Rel, part: str, frame: str, types: tuple[DataType, ...], extra: tuple[str, ...]
    ) -> str:
        """The frame with values as state stores them; itself if none needs another form."""
        if not any(map(_is_encoded, types)):
            return frame
        texts = [f"{encode_sql(dtype, f'k{n}')} AS k{n}" for n, dtype in enumerate(types)]
        text = f"SELECT {', '.join([*extra[:1], *texts, *extra[1:]])} FROM {frame}"
        return self.sql(rel, f"{part}_stored", text, (frame,))

    def _decoded(
        self, rel: Rel, part: str, frame: str, types: Mapping[str, DataType], extra: tuple[str, ...]
    ) -> str:
        """The frame with values as Spark computes with them."""
        if not any(map(_is_encoded, types.values())):
            return frame
        texts = [f"{decode_sql(dtype, name)} AS {name}" for name, dtype in types.items()]
        text = f"SELECT {', '.join([*texts, *extra])} FROM {frame}"
        return self.sql(rel, f"{part}_read", text, (frame,))


def _is_encoded(dtype: DataType) -> bool:
    return encode_sql(dtype, "x") != "x"


def _holds_rows(arrangement: Arrangement) -> bool:
    return arrangement.role is Role.CONTENTS


def _stored_types(arrangement: Arrangement) -> Mapping[str, DataType]:
    return dict(zip(arrangement.columns, arrangement.types, strict=True))


def write_program(run: RunFacts, tasks: tuple[ViewTask, ...]) -> Program:
    """The program that brings every view of a run up to date."""
    writer = ProgramWriter(run, tasks)
    for task in tasks:
        writer.write_view(task)
    return writer.program()
