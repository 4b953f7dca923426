"""Ties a home directory to its metadata, so that neither is ever used with another's.

Files that no commit names are garbage. A database that knows nothing of a home's files would
take them all for garbage; so both carry the same identity, and work stops where they differ.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from slackwater.state.metadata.errors import ForeignHomeError
from slackwater.state.metadata.metadata_reader import MetadataReader
from slackwater.state.metadata.store import MetadataStore

IDENTITY_FILE: Final = "identity"
STATE_FOLDER: Final = "state"


def claim_home(home: Path, store: MetadataStore) -> None:
    """Tie a new home to new metadata; check a tied one. The caller holds the lock."""
    head = store.head()
    if not (home / IDENTITY_FILE).exists() and not head.claimed:
        _refuse_leftovers(home)
        _write_identity(home / IDENTITY_FILE, head.identity)
    require_own(home, store)
    if not head.claimed:
        store.claim()


def require_own(home: Path, store: MetadataReader) -> None:
    """Refuse a home that is tied to other metadata, or to none."""
    path = home / IDENTITY_FILE
    found = path.read_text().strip() if path.exists() else None
    if found == store.head().identity:
        return
    what = "is not a home" if found is None else "belongs to other metadata"
    raise ForeignHomeError(
        f"the directory {what}, and the metadata belongs to another directory",
        where=str(home),
        hint="Check the home's path and the address of its metadata. "
        f"A home that is moved or restored needs its file {IDENTITY_FILE!r} too.",
    )


def _refuse_leftovers(home: Path) -> None:
    """New metadata beside old state: the old metadata is lost or elsewhere."""
    if any(path.is_file() for path in (home / STATE_FOLDER).rglob("*")):
        raise ForeignHomeError(
            "the directory holds state that the metadata does not know",
            where=str(home / STATE_FOLDER),
            hint="Restore the metadata or give its address, or begin in an empty directory.",
        )


def _write_identity(path: Path, identity: str) -> None:
    scratch = path.with_suffix(".new")
    with scratch.open("w") as file:
        file.write(f"{identity}\n")
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
