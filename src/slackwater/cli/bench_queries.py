"""The queries that benchmarks measure."""

from __future__ import annotations

from pathlib import Path

from slackwater.errors import CatalogError
from slackwater.workloads.corpus import CorpusQuery, load_corpus


def open_corpus(folder: Path) -> tuple[CorpusQuery, ...]:
    """The corpus in a folder; a missing folder is said to be missing, not to be empty."""
    if not folder.is_dir():
        raise CatalogError(
            "there is no folder of queries",
            where=str(folder),
            hint="Run the benchmark in a checkout of Slackwater, or name a folder: --queries DIR.",
        )
    return load_corpus(folder)
