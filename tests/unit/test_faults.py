"""Fault points kill when asked to, and never otherwise."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import slackwater
from slackwater.errors import InvariantError, SetupError
from slackwater.faults import POINTS, VARIABLE, reach

REACHED = re.compile(r"""reach\(\s*"([a-z.]+)"\s*\)""")


def test_a_point_does_nothing_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for point in POINTS:
        reach(point)


@pytest.mark.parametrize(("fault", "lines"), [("commit.after", 0), ("commit.after:3", 2)])
def test_the_process_dies_at_the_nth_arrival(fault: str, lines: int) -> None:
    program = (
        "from slackwater.faults import reach\n"
        "for _ in range(5):\n"
        "    reach('commit.before')\n"
        "    reach('commit.after')\n"
        "    print('alive', flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, VARIABLE: fault},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert done.stdout.count("alive") == lines


def test_a_point_must_be_registered() -> None:
    with pytest.raises(InvariantError, match="nowhere"):
        reach("nowhere")


@pytest.mark.parametrize("fault", ["nowhere", "commit.after:0", "commit.after:x", "commit.after:"])
def test_a_fault_that_names_no_point_is_refused(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv(VARIABLE, fault)
    with pytest.raises(SetupError, match=r"commit\.before"):
        reach("commit.before")


def test_every_point_the_code_reaches_is_registered() -> None:
    package = Path(slackwater.__file__).parent
    used = {name for file in package.rglob("*.py") for name in REACHED.findall(file.read_text())}
    assert used <= POINTS.keys()
    assert "commit.inside" in used
