"""Statistics of the steps of operators: what their last runs observed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from slackwater.plan.observations import Observed
from slackwater.plan.program import Origin
from slackwater.state.metadata.errors import MetadataError
from slackwater.state.metadata.metadata_reader import MetadataReader
from slackwater.state.metadata.records import ObservationRecord
from slackwater.state.metadata.store import MetadataStore


class Observations:
    """The last run of every step, read once and then kept up to date."""

    def __init__(self, reader: MetadataReader):
        """Nothing is read yet."""
        self._reader = reader
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

    def note(
        self, writer: MetadataStore, commit: int, engine: str, made: Mapping[Origin, Observed]
    ) -> None:
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
            writer.note_observations(commit, [_record(*each, engine) for each in new.items()])

    def _read(self) -> dict[tuple[Origin, str], Observed]:
        if self._known is None:
            self._known = {}
            for each in self._reader.observations():
                origin = Origin(each.operator, each.part)
                found = Observed(each.rows_in, each.rows_out, each.seconds)
                self._known[origin, each.engine] = self._last[origin] = found
        return self._known


def _record(origin: Origin, each: Observed, engine: str) -> ObservationRecord:
    return ObservationRecord(
        origin.operator, origin.part, engine, each.rows_in, each.rows_out, each.seconds
    )
