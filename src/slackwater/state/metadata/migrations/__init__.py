"""The layouts the metadata has had: each migration makes the next one out of the last.

A migration never changes once it is released, so it spells out its own SQL and knows nothing
of `schema.py`. Every layout has a fixture in tests/fixtures/metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, insert, inspect, select, text

from slackwater.faults import reach
from slackwater.state.metadata import schema
from slackwater.state.metadata.errors import NewerLayoutError
from slackwater.state.metadata.migrations import (
    first_layout,
    plans_and_observations,
    settings_as_tables,
)

# Any number will do, as long as every version of Slackwater takes the same.
_ADVISORY_KEY: Final = 0x51ACC


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a layout to the next."""

    number: int
    name: str
    apply: Callable[[Connection], None]


def _first_layout(connection: Connection) -> None:
    first_layout.apply(connection, identity=uuid4().hex)


MIGRATIONS: Final[tuple[Migration, ...]] = (
    Migration(1, "first layout", _first_layout),
    Migration(2, "plans and observations", plans_and_observations.apply),
    Migration(3, "settings as tables", settings_as_tables.apply),
)


def is_current(connection: Connection) -> bool:
    """Tell if nothing needs to be done, which is nearly always and found out without a lock."""
    return layout_of(connection) == MIGRATIONS[-1].number


def migrate(connection: Connection, steps: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the database to the newest layout, inside the caller's transaction."""
    if connection.dialect.name == "postgresql":
        # Two processes that open a new home at once must not both make the tables.
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_KEY})"))
    schema.migrations.create(connection, checkfirst=True)
    done = layout_of(connection)
    if done > steps[-1].number:
        raise NewerLayoutError(
            f"the metadata has layout {done}; this Slackwater knows layouts up to "
            f"{steps[-1].number}",
            where=connection.engine.url.render_as_string(hide_password=True),
            hint="Upgrade Slackwater: the home was last written by a newer version.",
        )
    for step in steps[done:]:
        step.apply(connection)
        applied = insert(schema.migrations).values(
            number=step.number, name=step.name, applied_at=datetime.now(UTC)
        )
        connection.execute(applied)
        reach("migrate.inside")


def layout_of(connection: Connection) -> int:
    """The number of the last migration that was applied; 0 for an empty database."""
    if not inspect(connection).has_table(schema.migrations.name):
        return 0
    numbers = connection.scalars(select(schema.migrations.c.number)).all()
    return max(numbers, default=0)
