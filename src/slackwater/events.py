"""Typed records of what happens in a session, and the listeners they are told to.

A listener is called by the thread that does the work, between one piece of it and the next. One
that raises is logged and called again the next time: what happened has happened.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import TypeAlias

_LOG = logging.getLogger("slackwater.events")


@dataclass(frozen=True, slots=True)
class Progress:
    """The work being done at the moment; `step` of `steps` where a run counts them."""

    work: str
    step: int = 0
    steps: int = 0

    def __str__(self) -> str:
        """One line for a reader.

        >>> print(Progress("look-ups", 2, 7))
        step 2 of 7: look-ups
        """
        return f"step {self.step} of {self.steps}: {self.work}" if self.steps else self.work


@dataclass(frozen=True, slots=True)
class ViewDecided:
    """The action chosen for a view in a run, and why; told before it is done."""

    view: str
    action: str
    reason: str
    changed_rows: int
    """Rows that wait in the sources of the view."""

    def __str__(self) -> str:
        """One line for a reader."""
        return f"view {self.view}: {self.action}, {self.reason}"


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit: `kind` says what was committed, such as `ingest`, `run` or `compact`."""

    version: int
    kind: str

    def __str__(self) -> str:
        """One line for a reader."""
        return f"commit {self.version} ({self.kind})"


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that the owner of a view, or of the home, should know."""

    what: str
    view: str | None = None

    def __str__(self) -> str:
        """One line for a reader."""
        return f"warning: {self.what}"


@dataclass(frozen=True, slots=True)
class MergeStarted:
    """A thread has begun to merge segments of the state."""

    arrangements: int
    segments: int

    def __str__(self) -> str:
        """One line for a reader."""
        return f"merging {self.segments} segments of {self.arrangements} arrangements"


@dataclass(frozen=True, slots=True)
class MergeCommitted:
    """Merged segments have taken the place of those they are the sum of."""

    merged: int
    written: int

    def __str__(self) -> str:
        """One line for a reader."""
        return f"merged {self.merged} segments into {self.written}"


Event: TypeAlias = Progress | ViewDecided | Committed | Warned | MergeStarted | MergeCommitted
Listener: TypeAlias = Callable[[Event], None]
Tell: TypeAlias = Callable[[Progress], None]
"""Hears how far a piece of work is."""


class Subscription:
    """A listener that is called until the subscription is cancelled, or its block ends."""

    def __init__(self, events: Events, listener: Listener, kinds: tuple[type[Event], ...]):
        """Use `Events.subscribe`."""
        self._events = events
        self._listener = listener
        self._kinds = kinds

    def hear(self, event: Event) -> None:
        """Call the listener, if the event is of a kind it asked for."""
        if self._kinds and not isinstance(event, self._kinds):
            return
        try:
            self._listener(event)
        except Exception:
            _LOG.exception("a listener failed on %r", event)

    def cancel(self) -> None:
        """Call the listener no more."""
        self._events.unsubscribe(self)

    def __enter__(self) -> Subscription:
        """The subscription itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel."""
        self.cancel()


class Events:
    """The listeners of a session; without any, telling an event is one comparison."""

    def __init__(self) -> None:
        """Start without listeners."""
        self._subscriptions: tuple[Subscription, ...] = ()
        self._lock = Lock()

    def subscribe(self, listener: Listener, *kinds: type[Event]) -> Subscription:
        """Have a listener called with every event, or with those of some kinds."""
        subscription = Subscription(self, listener, kinds)
        with self._lock:
            self._subscriptions = (*self._subscriptions, subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Take a subscription out; one that is out already stays so."""
        with self._lock:
            self._subscriptions = tuple(s for s in self._subscriptions if s is not subscription)

    @property
    def heard(self) -> bool:
        """Tell if anybody listens: ask it before an event that is costly to make."""
        return bool(self._subscriptions)

    def tell(self, event: Event) -> None:
        """Call the listeners in the order in which they came."""
        for subscription in self._subscriptions:
            subscription.hear(event)

    def progress(self, work: str) -> None:
        """Tell what is being done at the moment."""
        if self._subscriptions:
            self.tell(Progress(work))


def tell_nobody(_progress: Progress) -> None:
    """Ignore progress."""
