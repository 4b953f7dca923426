"""Spark's daemon for Python workers, with the kernel in memory and without a last stack trace.

Workers are forked from it. What they import is imported here, once for all of them: half a second
each.

Spark closes the connection to a worker as soon as it has all the rows it wants. The worker then
finds nobody to tell that it is done, and Spark's daemon prints a stack trace about it to whatever
terminal the program runs in. Spark starts this as `python -m`, with the module of the worker.
"""

from __future__ import annotations

import socket

from pyspark import daemon

from slackwater.executors.spark import block_task

_work = daemon.worker
_GIVEN_UP = 1
PRELOADED = (block_task,)
"""Modules that nearly every worker needs."""


def work_quietly(sock: socket.socket, authenticated: bool) -> int:
    """Run Spark's own loop over the tasks of a worker; end quietly if Spark has hung up."""
    try:
        return _work(sock, authenticated)
    except BrokenPipeError:
        return _GIVEN_UP


if __name__ == "__main__":
    daemon.worker = work_quietly
    daemon.manager()
