"""Settings that decide what SQL means: a home keeps, or pins, those that it was made with."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import SparkSession

from slackwater.catalog.catalog import plain_setting

PINNED_SETTINGS = (
    "spark.sql.ansi.enabled",
    "spark.sql.session.timeZone",
    "spark.sql.caseSensitive",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.timestampType",
    "spark.sql.mapKeyDedupPolicy",
)
_PINNED_IF_SET = "spark.sql.legacy."
"""Settings that each decide something of it, and have their defaults unless somebody sets them."""


def settings_to_pin(spark: SparkSession, pinned: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session that a home has still to pin.

    A home of a version that pinned fewer of them keeps the others as they are now.
    """
    if pinned.keys() >= set(PINNED_SETTINGS):
        return {}
    now = {key: str(spark.conf.get(key)) for key in (*PINNED_SETTINGS, *_legacy_set(spark))}
    return {key: plain_setting(now[key]) for key in now.keys() - pinned.keys()}


def apply_pinned_settings(session: SparkSession, pinned: Mapping[str, str]) -> None:
    """Give a session of ours the settings that the queries of a home run under."""
    if pinned.keys() >= set(PINNED_SETTINGS):
        for key in _legacy_set(session):
            session.conf.unset(key)
    for key, value in pinned.items():
        session.conf.set(key, value)


def _legacy_set(spark: SparkSession) -> list[str]:
    """The settings for older behaviour that somebody has set, and a session can change."""
    names = (name for name in spark.conf.getAll if name.startswith(_PINNED_IF_SET))
    return sorted(name for name in names if spark.conf.isModifiable(name))
