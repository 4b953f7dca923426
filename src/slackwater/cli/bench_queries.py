"""The queries that benchmarks measure."""

from __future__ import annotations

from pathlib import Path

from slackwater.errors import CatalogError
from slackwater.workloads.corpus import CorpusQuery, load_corpus

_TPCH = Path("tests/oracle/queries/tpch")


def open_corpus(folder: Path) -> tuple[CorpusQuery, ...]:
    """The corpus in a folder; a missing folder is said to be missing, not to be empty."""
    if not folder.is_dir():
        raise CatalogError(
            "there is no folder of queries",
            where=str(folder),
            hint="Run the benchmark in a checkout of Slackwater, or name a folder: --queries DIR.",
        )
    return load_corpus(folder)


def choose_tpch(only: str) -> tuple[CorpusQuery, ...]:
    """The TPC-H queries with the given names, such as `q01,q03`; all of them for an empty text."""
    corpus = open_corpus(_TPCH)
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    known = {query.name: query for query in corpus}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise CatalogError(
            f"there is no query {', '.join(unknown)}",
            hint=f"Choose among {', '.join(known)}.",
        )
    return tuple(known[name] for name in wanted) or corpus
