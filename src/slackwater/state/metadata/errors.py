"""Errors of the metadata, each with its own way out."""

from __future__ import annotations

from slackwater.errors import DataError, SetupError, SlackwaterError


class MetadataError(SlackwaterError):
    """The metadata database failed or does not hold what it should."""

    stage = "state"


class ConflictError(MetadataError):
    """Another process committed first; nothing of this commit was kept."""


class HomeLockedError(MetadataError):
    """Another process writes to this home."""


class ForeignHomeError(MetadataError):
    """The database describes the files of another home directory."""


class RetentionError(DataError):
    """The commit asked for is too old, or not made yet."""


class NewerLayoutError(SetupError):
    """The database was written by a newer Slackwater."""
