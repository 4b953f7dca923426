"""The program `slackwater`. It is kept small, so that it can be interrupted from the start."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from slackwater.cli.exit_codes import INTERRUPTED


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    try:
        # Loading Spark's libraries takes a second, in which an interrupt must end quietly too.
        from slackwater.cli.app import run_app  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    run_app(argv)
