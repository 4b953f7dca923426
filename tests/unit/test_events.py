"""Events reach those who asked for them, and nobody who listens can spoil what happens."""

from __future__ import annotations

import logging

import pytest

from slackwater.events import Committed, Event, Events, MergeStarted, Progress, ViewDecided, Warned

COMMIT = Committed(3, "run")


def test_listeners_are_called_in_the_order_in_which_they_came() -> None:
    events, heard = Events(), list[tuple[int, Event]]()
    events.subscribe(lambda event: heard.append((1, event)))
    events.subscribe(lambda event: heard.append((2, event)))
    events.tell(COMMIT)
    events.progress("reading")
    assert heard == [(1, COMMIT), (2, COMMIT), (1, Progress("reading")), (2, Progress("reading"))]


def test_a_listener_may_ask_for_kinds() -> None:
    events, heard = Events(), list[Event]()
    events.subscribe(heard.append, Committed, Warned)
    for event in (COMMIT, Progress("x"), Warned("y"), MergeStarted(1, 8)):
        events.tell(event)
    assert heard == [COMMIT, Warned("y")]


def test_a_subscription_ends() -> None:
    events, heard = Events(), list[Event]()
    subscription = events.subscribe(heard.append)
    with events.subscribe(heard.append):
        events.tell(COMMIT)
    assert len(heard) == 2
    subscription.cancel()
    subscription.cancel()
    events.tell(COMMIT)
    assert len(heard) == 2
    assert not events.heard


def test_a_listener_may_cancel_while_it_is_called() -> None:
    events, heard = Events(), list[Event]()

    def once(event: Event) -> None:
        heard.append(event)
        subscription.cancel()

    subscription = events.subscribe(once)
    events.subscribe(heard.append)
    events.tell(COMMIT)
    events.tell(COMMIT)
    assert len(heard) == 3


def test_a_listener_that_fails_is_logged_and_others_are_called(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events, heard = Events(), list[Event]()

    def failing(_event: Event) -> None:
        raise RuntimeError("the screen is gone")

    events.subscribe(failing)
    events.subscribe(heard.append)
    with caplog.at_level(logging.ERROR, "slackwater.events"):
        events.tell(COMMIT)
    assert heard == [COMMIT]
    assert "the screen is gone" in caplog.text


def test_an_interrupt_ends_the_work() -> None:
    events = Events()

    def interrupted(_event: Event) -> None:
        raise KeyboardInterrupt

    events.subscribe(interrupted)
    with pytest.raises(KeyboardInterrupt):
        events.progress("x")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Progress("look-ups"), "look-ups"),
        (ViewDecided("v", "skipped", "nothing new", 0), "view v: skipped, nothing new"),
        (COMMIT, "commit 3 (run)"),
        (Warned("it grows", "v"), "warning: it grows"),
        (MergeStarted(2, 16), "merging 16 segments of 2 arrangements"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_events_are_written_for_readers(event: Event, text: str) -> None:
    assert str(event) == text
