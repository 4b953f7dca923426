"""Explanations of a view as values; `str` writes each for a reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeAlias

from slackwater.explain.cost_text import run_lines, view_lines
from slackwater.explain.status import HistoryRow
from slackwater.plan.view_plan import RECOMPUTE, Refusal


@dataclass(frozen=True, slots=True)
class StoredSize:
    """The size of a piece of state; `filled` is false until a run has written it."""

    rows: int
    bytes: int
    filled: bool = True

    def __str__(self) -> str:
        """For a reader."""
        return f"{self.rows} rows, {amount(self.bytes)}" if self.filled else "not filled yet"


@dataclass(frozen=True, slots=True)
class SeenRows:
    """The rows that a step of an operator read and made when it last ran."""

    part: str
    rows_in: float
    rows_out: float

    def __str__(self) -> str:
        """For a reader."""
        return f"{self.part} {self.rows_in:,.0f} to {self.rows_out:,.0f}"


@dataclass(frozen=True, slots=True)
class ExplainedState:
    """A piece of state: the arrangement's name, what it holds by which key, and how much."""

    arrangement: str
    text: str
    size: StoredSize | None = None

    def __str__(self) -> str:
        """For a reader."""
        return self.text if self.size is None else f"{self.text}: {self.size}"


@dataclass(frozen=True, slots=True)
class ExplainedOperator:
    """An operator of a view's plan, and how it is kept."""

    operator: str
    method: str
    how: str = ""
    """A sentence about the method."""
    linear: bool = False
    """True if its changes follow from those of its inputs alone."""
    recomputes: str | None = None
    """The reason why it reads all rows, if it does."""
    keeps: tuple[ExplainedState, ...] = ()
    refused: tuple[Refusal, ...] = ()
    seen: tuple[SeenRows, ...] = ()
    inputs: tuple[ExplainedOperator, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanExplanation:
    """The plan of a view: how every operator is kept, under the names of the query's columns."""

    kind: ClassVar[str] = "plan"

    view: str
    policy: str
    notes: tuple[str, ...]
    when_read: tuple[str, ...]
    """Operators at the root that are applied when the view is read."""
    answer: ExplainedState
    answer_only: bool
    root: ExplainedOperator

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """An indented tree, the operator that gives the answer first."""
        lines = [f"view {self.view}: refresh={self.policy}"]
        lines += (f"note: {note}" for note in self.notes)
        lines += (f"when read: {finish}" for finish in self.when_read)
        lines += plan_lines(self.answer, self.root, answer_only=self.answer_only)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WhyExplanation:
    """Per operator: by which rule it is kept, what that stores, or why it is recomputed."""

    kind: ClassVar[str] = "why"

    view: str
    policy: str
    recomputed_as_declared: bool
    """True if the policy has the whole query recomputed."""
    when_read: tuple[str, ...]
    answer: ExplainedState
    predicted_bytes: int
    root: ExplainedOperator

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """An indented tree, the operator that gives the answer first."""
        lines = [f"view {self.view}: refresh={self.policy}"]
        if self.recomputed_as_declared:
            lines.append("every change: the whole query is recomputed, as the policy says")
        for depth, finish in enumerate(self.when_read):
            lines.append(f"{'  ' * depth}{finish}: applied when the view is read, needs no state")
        lines += _why_lines(self.root, len(self.when_read))
        lines.append(f"answer: {self.answer}")
        lines.append(f"state in all: about {amount(self.predicted_bytes)} predicted")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """A step of a program: its kind, such as `look_up`, its frame, and the frames it reads."""

    kind: str
    name: str
    reads: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ProgramExplanation:
    """The steps of a run in which every source of the view has changed."""

    kind: ClassVar[str] = "program"

    view: str
    steps: tuple[ExplainedStep, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """One step after the other."""
        return "\n".join(step.text for step in self.steps)


@dataclass(frozen=True, slots=True)
class CostExplanation:
    """The last run's action, its alternatives and its cost; None if no run was."""

    kind: ClassVar[str] = "cost"

    view: str
    run: HistoryRow | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"view": self.view, "run": None if self.run is None else self.run.as_dict()}

    def __str__(self) -> str:
        """The view, then the run, which is one for all views."""
        if self.run is None:
            return f"view {self.view} has not been refreshed yet"
        return "\n".join([*view_lines(self.run), *run_lines(self.run.metrics)])


Explanation: TypeAlias = PlanExplanation | WhyExplanation | ProgramExplanation | CostExplanation


def plan_lines(
    answer: ExplainedState, root: ExplainedOperator, *, answer_only: bool
) -> Iterator[str]:
    """The answer and below it the operators, with how each is kept."""
    yield f"answer: {answer}"
    if answer_only:
        yield "nothing else is kept: every change has the whole query computed anew"
    yield from _operator_lines(root, 0, kept=not answer_only)


def _operator_lines(plan: ExplainedOperator, depth: int, *, kept: bool) -> Iterator[str]:
    indent = "  " * depth
    linear = f"  -- {plan.how}" if kept and plan.linear else ""
    yield f"{indent}{plan.operator}{linear}"
    if kept:
        for line in _how_lines(plan):
            yield f"{indent}    {line}"
    below = kept and plan.method != RECOMPUTE
    for each in plan.inputs:
        yield from _operator_lines(each, depth + 1, kept=below)


def _how_lines(plan: ExplainedOperator) -> Iterator[str]:
    if plan.how and not plan.linear:
        yield f"{plan.method}: {plan.how}"
    if plan.recomputes is not None:
        yield f"reads all rows: {plan.recomputes}"
    for state in plan.keeps:
        yield f"keeps {state}"
    for refused in plan.refused:
        yield f"not {refused.method}: {refused.reason}"
    if plan.seen:
        yield f"rows seen: {', '.join(map(str, plan.seen))}"


def _why_lines(plan: ExplainedOperator, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield f"{indent}{plan.operator}"
    if plan.method == RECOMPUTE:
        yield f"{indent}  = recomputed: {plan.recomputes}"
    elif plan.recomputes is not None:
        yield f"{indent}  = recomputed by rule {plan.method}: {plan.recomputes}"
    else:
        yield f"{indent}  = incremental by rule {plan.method}"
    for refused in plan.refused:
        yield f"{indent}    not {refused.method}: {refused.reason}"
    for state in plan.keeps:
        yield f"{indent}    keeps {state}"
    if plan.method != RECOMPUTE:
        for each in plan.inputs:
            yield from _why_lines(each, depth + 1)


def amount(size: int) -> str:
    """A number of bytes for a reader.

    >>> amount(9_999), amount(10_000), amount(123_456_789)
    ('9999 bytes', '10 KB', '123 MB')
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 10_000 or unit == "GB":
            return f"{size} {unit}"
        size //= 1000
    return f"{size} GB"
