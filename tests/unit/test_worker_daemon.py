"""A worker that Spark no longer listens to ends without a stack trace."""

from __future__ import annotations

import socket

import pytest

from slackwater.executors.spark import worker_daemon


@pytest.mark.parametrize("given", [0, 3])
def test_the_code_of_a_worker_is_handed_on(monkeypatch: pytest.MonkeyPatch, given: int) -> None:
    monkeypatch.setattr(worker_daemon, "_work", lambda _socket, _authenticated: given)
    with socket.socket() as sock:
        assert worker_daemon.work_quietly(sock, authenticated=True) == given


def test_a_closed_connection_ends_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def hung_up(_socket: socket.socket, _authenticated: bool) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(worker_daemon, "_work", hung_up)
    with socket.socket() as sock:
        assert worker_daemon.work_quietly(sock, authenticated=True) != 0
