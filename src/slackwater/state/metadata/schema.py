"""The tables of the metadata, as the newest migration leaves them.

A fact is never overwritten: its row says which commit made it (`created`) and which ended it
(`removed`, empty while it lives). The state at commit c is every row with created <= c and
removed empty or > c. An index on `removed` finds the living without touching the ended.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcTime(TypeDecorator[datetime]):
    """A moment as microseconds since 1970: both databases keep it exactly, in order."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """A moment with its time zone, as a number."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """The number as a moment in UTC."""
        return None if value is None else _EPOCH + value * _MICROSECOND


TABLES = MetaData()


def _number() -> Column[int]:
    # SQLite numbers rows by itself only if the type is spelled INTEGER.
    kind = BigInteger().with_variant(Integer, "sqlite")
    return Column("number", kind, primary_key=True, autoincrement=True)


def _lifetime() -> tuple[Column[int], Column[int]]:
    return Column("created", BigInteger, nullable=False), Column("removed", BigInteger)


migrations = Table(
    "migrations",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("applied_at", UtcTime, nullable=False),
)

# One row. The commit is the update of its `version`; that also keeps two commits apart.
head = Table(
    "head",
    TABLES,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("identity", Text, nullable=False),
    Column("claimed", Boolean, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("retained_from", BigInteger, nullable=False),
)

commits = Table(
    "commits",
    TABLES,
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("committed_at", UtcTime, nullable=False),
    Column("token", Text, nullable=False),
)

sources = Table(
    "sources",
    TABLES,
    _number(),
    Column("name", Text, nullable=False),
    Column("definition", Text, nullable=False),
    Column("arrangement", Text, nullable=False),
    *_lifetime(),
)

views = Table(
    "views",
    TABLES,
    _number(),
    Column("name", Text, nullable=False),
    Column("definition", Text, nullable=False),
    Column("arrangement", Text, nullable=False),
    *_lifetime(),
)

# How a view is kept; the history says when and why that was planned anew.
plans = Table(
    "plans",
    TABLES,
    _number(),
    Column("view", Text, nullable=False),
    Column("plan", Text, nullable=False),
    *_lifetime(),
)

# An id may come back after it was dropped; segments belong to the row, not to the id.
arrangements = Table(
    "arrangements",
    TABLES,
    _number(),
    Column("id", Text, nullable=False),
    Column("definition", Text, nullable=False),
    *_lifetime(),
)

segments = Table(
    "segments",
    TABLES,
    _number(),
    Column("arrangement", BigInteger, ForeignKey("arrangements.number"), nullable=False),
    Column("path", Text, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("byte_count", BigInteger, nullable=False),
    Column("first_hash", BigInteger, nullable=False),
    Column("last_hash", BigInteger, nullable=False),
    Column("negative", Boolean, nullable=False),
    Column("heavy", Boolean, nullable=False),
    Column("level", Integer, nullable=False),
    Column("source_offset", BigInteger),
    *_lifetime(),
)

source_offsets = Table(
    "source_offsets",
    TABLES,
    _number(),
    Column("source", Text, nullable=False),
    Column("source_offset", BigInteger, nullable=False),
    *_lifetime(),
)

progress = Table(
    "progress",
    TABLES,
    _number(),
    Column("view", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("source_offset", BigInteger, nullable=False),
    *_lifetime(),
)

batches = Table(
    "batches",
    TABLES,
    _number(),
    Column("source", Text, nullable=False),
    Column("source_offset", BigInteger, nullable=False),
    Column("commit_version", BigInteger, nullable=False),
    Column("inserted", BigInteger, nullable=False),
    Column("deleted", BigInteger, nullable=False),
    Column("byte_count", BigInteger, nullable=False),
)

runs = Table(
    "runs",
    TABLES,
    _number(),
    Column("commit_version", BigInteger, nullable=False),
    Column("view", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("details", Text, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("seconds", Double, nullable=False),
)

# Statistics, which may be lost: one row for each step of an operator, of its last run.
observations = Table(
    "observations",
    TABLES,
    Column("operator", Text, primary_key=True),
    Column("part", Text, primary_key=True),
    Column("engine", Text, primary_key=True),
    Column("rows_in", Double, nullable=False),
    Column("rows_out", Double, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("commit_version", BigInteger, nullable=False),
)

# When the answer of a view is needed: one of the three, as its user says it.
goals = Table(
    "goals",
    TABLES,
    _number(),
    Column("view", Text, nullable=False),
    Column("slack", Text),
    Column("final_work", Double),
    Column("fresh", Boolean, nullable=False),
    *_lifetime(),
)

# The Spark settings that decide what SQL means in this home.
pinned_settings = Table(
    "pinned_settings",
    TABLES,
    _number(),
    Column("name", Text, nullable=False),
    Column("value", Text, nullable=False),
    *_lifetime(),
)

# Sources that have had a row taken away.
lossy_sources = Table(
    "lossy_sources", TABLES, _number(), Column("source", Text, nullable=False), *_lifetime()
)

# Views that are filled but read no source, so that they have no progress to tell it.
filled_views = Table(
    "filled_views", TABLES, _number(), Column("view", Text, nullable=False), *_lifetime()
)

# At most one living row: running sums of the widest decimals have not fitted their type.
outgrown_sums = Table("outgrown_sums", TABLES, _number(), *_lifetime())

# How far connectors have come: what was committed with the batches of a source, by item (such as
# a file). Only the newest is kept, and none of a source that is gone.
positions = Table(
    "positions",
    TABLES,
    Column("source", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
