"""Options with which a home is opened."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.events import Events
from slackwater.plan.forms import DEFAULT_FORMS, Forms
from slackwater.state.metadata.collect import Retention


@dataclass(frozen=True, slots=True)
class Options:
    """Options with which a home is opened."""

    metadata: str | None = None
    """The address of a database for the catalog; by default a file in the home."""
    retention: Retention = field(default_factory=Retention)
    """The commits that stay readable."""
    events: Events = field(default_factory=Events)
    """Told what happens."""
    read_only: bool = False
    """Only reads, beside a process that may be writing."""
    forms: Forms = DEFAULT_FORMS
    """The engine and the prices for batches and runs."""
