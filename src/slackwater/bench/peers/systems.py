"""The systems that are compared, how each is used, and what it does not guarantee."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class System:
    """A system as it is measured here."""

    name: str
    lacks: tuple[str, ...]
    """The guarantees that its answers here lack: of durability, exactly-once and distribution."""
    used: str
    """The way in which it gets the changes, and the place of its answers."""
    lacking: str
    """The meaning of what it lacks."""


SYSTEMS = {
    each.name: each
    for each in (
        System(
            "ours",
            (),
            "ingests both tables and refreshes; answers are committed to disk",
            "Each ingest and each refresh is one durable commit. One process writes at a time; "
            "if it dies, nobody goes on until it is started again. Runs this small stay on the "
            "driver: only larger ones are distributed by Spark.",
        ),
        System(
            "pathway",
            ("durability", "exactly-once", "distribution"),
            "gets rows through a Python connector, one commit a change; answers are in memory",
            "Without persistence, as here, state and answers end with the process. With it, the "
            "free version delivers at least once after a failure; exactly-once is the "
            "enterprise edition's. Several machines need a licence key.",
        ),
        System(
            "duckdb",
            ("distribution",),
            "changes tables in its file and recomputes, all in one transaction",
            "Changes and answers are one durable transaction of one process on one machine. "
            "Everything is computed again.",
        ),
        System(
            "spark",
            ("durability", "exactly-once"),
            "keeps the history in memory, merges changes while reading and recomputes; answers "
            "are in memory",
            "What is in memory ends with the application, and without a table format no commit "
            "spans two tables or three answers. Everything is computed again.",
        ),
    )
}
