"""Change feeds as Spark and Delta write them: rows that say in a column what became of them."""

from __future__ import annotations

from types import MappingProxyType

CHANGE_TYPE = "_change_type"

CHANGE_WEIGHTS = MappingProxyType(
    {"insert": 1, "update_postimage": 1, "update_preimage": -1, "delete": -1}
)
"""What each change type adds to or takes from a table; an update is one of each."""

IGNORED_COLUMNS = frozenset({"_commit_version", "_commit_timestamp"})
"""Columns of a feed that say when a change happened; the offset of the batch says so to us."""
