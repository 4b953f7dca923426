"""Parser settings for generated SQL, kept apart from the user's session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.frontend.sql.fragments import run_text
from slackwater.frontend.sql.sessions import clone_session, rebind

_RULES = {
    # A constant that holds ${...} has had its variables replaced already.
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    # What we and Spark print as TIMESTAMP is an instant.
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}


def expect_printed(session: SparkSession) -> None:
    """Have a session of ours read statements that we print."""
    for key, value in _RULES.items():
        session.conf.set(key, value)


def printed_session(session: SparkSession) -> SparkSession:
    """A clone for statements that we print, with the views of the session."""
    clone = clone_session(session)
    expect_printed(clone)
    return clone


@contextmanager
def reading_as(session: SparkSession) -> Iterator[None]:
    """Have types in text mean what they mean in a session, whichever has been used last."""
    jvm: Any = session._jvm
    sessions = jvm.org.apache.spark.sql.classic.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def run_user_text(
    session: SparkSession, user: SparkSession, sql: str, tables: Mapping[str, DataFrame]
) -> DataFrame:
    """A query's own text over these tables, read as `user` reads it, as a frame of `session`."""
    apart = clone_session(session)
    for key in _RULES:
        apart.conf.set(key, str(user.conf.get(key)))
    return rebind(run_text(apart, sql, tables), session)
