"""What runs observe of the steps of operators, kept between runs and processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from slackwater.plan.costs import Sizes, frame_rows
from slackwater.plan.observations import Observed, q_error
from slackwater.plan.prices import Rates
from slackwater.plan.program import AppendStep, Origin, Program
from slackwater.state.metadata.errors import MetadataError
from slackwater.state.metadata.records import ObservationRecord
from slackwater.state.metadata.store import MetadataStore

FIXED = Origin("run", "fixed")
"""What a run takes beside its steps: planning, committing, waiting for the disk."""


class Observations:
    """The last run of every step, read once and then kept up to date."""

    def __init__(self, store: MetadataStore):
        """Nothing is read yet."""
        self._store = store
        self._known: dict[tuple[Origin, str], Observed] | None = None
        self._last: dict[Origin, Observed] = {}

    def find(self, origin: Origin | None, engine: str | None = None) -> Observed | None:
        """The last run of a step; on any engine, or on one of them."""
        if origin is None:
            return None
        known = self._read()
        return self._last.get(origin) if engine is None else known.get((origin, engine))

    def of_operator(self, operator: str) -> dict[str, Observed]:
        """The last run of every step of an operator, by its part."""
        self._read()
        return {o.part: each for o, each in self._last.items() if o.operator == operator}

    def note(self, commit: int, engine: str, made: Mapping[Origin, Observed]) -> None:
        """Remember a run, as far as it says something new."""
        known = self._read()
        new = {
            origin: each
            for origin, each in made.items()
            if (before := known.get((origin, engine))) is None or not each.is_like(before)
        }
        for origin, each in new.items():
            known[origin, engine] = self._last[origin] = each
        # The run is done, whether or not this can be written.
        with suppress(MetadataError):
            self._store.note_observations(commit, [_record(*each, engine) for each in new.items()])

    def _read(self) -> dict[tuple[Origin, str], Observed]:
        if self._known is None:
            self._known = {}
            for each in self._store.observations():
                origin = Origin(each.operator, each.part)
                found = Observed(each.rows_in, each.rows_out, each.seconds)
                self._known[origin, each.engine] = self._last[origin] = found
        return self._known


def _record(origin: Origin, each: Observed, engine: str) -> ObservationRecord:
    return ObservationRecord(
        origin.operator, origin.part, engine, each.rows_in, each.rows_out, each.seconds
    )


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a program was expected to do: rows of every frame, and seconds in all."""

    rows: Mapping[str, float]
    seconds: float

    @staticmethod
    def of(program: Program, sizes: Sizes, rates: Rates, seconds: Sequence[float]) -> Forecast:
        """The forecast from what is known before the run: the seconds of each step."""
        known = sizes.observed(FIXED, rates.engine)
        fixed = rates.start if known is None else known.seconds
        return Forecast(frame_rows(program, sizes), fixed + sum(seconds))

    def q_errors(self, actual: Mapping[str, Observed]) -> tuple[float, ...]:
        """The factors between expected and actual rows of the frames that were counted."""
        return tuple(
            q_error(rows, actual[name].rows_out)
            for name, rows in self.rows.items()
            if name in actual
        )


@dataclass(frozen=True, slots=True)
class Estimates:
    """How good the forecast of a run was."""

    rows: tuple[float, ...] = ()
    """Factors between expected and actual rows, by frame."""
    predicted_seconds: float = 0.0

    def as_dict(self) -> dict[str, float | None]:
        """For the history."""
        return {
            "rows_q_error": median(self.rows) if self.rows else None,
            "predicted_seconds": self.predicted_seconds,
        }


def by_origin(
    program: Program, actual: Mapping[str, Observed], seconds: float
) -> dict[Origin, Observed]:
    """The observations of a run by the steps of operators that they are about.

    `seconds` are those of the whole run; its fixed part is known if its steps were timed.
    """
    found: dict[Origin, Observed] = {}
    timed = sum(each.seconds for each in actual.values())
    if timed:
        found[FIXED] = Observed(0, 0, max(0.0, seconds - timed))
    for step in program.steps:
        name = f"+{step.name}" if isinstance(step, AppendStep) else step.name
        if step.origin is not None and name in actual:
            found[step.origin] = actual[name]
    return found
