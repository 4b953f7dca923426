"""Summary: one number for each window."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.signals.arrays import Column
from slackwater.signals.schema import Field
from slackwater.signals.stages.stage import Stage, length_of
from slackwater.signals.window_functions import BY_ROW, WindowFunction, result_kind


@dataclass(frozen=True, slots=True)
class Summary(Stage):
    """An aggregate of the numbers a window has become."""

    function: WindowFunction

    def output(self, field: Field) -> Field:
        """One number."""
        length_of(field, "a summary")
        return replace(field, kind=result_kind(self.function, field.kind), size=None)

    def compute(self, rows: Column) -> Column:
        """The aggregate of every row."""
        return BY_ROW[self.function](rows)

    def describe(self) -> str:
        """For a page."""
        return self.function.value
