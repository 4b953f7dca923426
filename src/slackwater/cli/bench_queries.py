"""The queries that benchmarks measure, and where they put what they measure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from slackwater.config import load_settings
from slackwater.errors import CatalogError
from slackwater.workloads.corpus import CorpusQuery, load_corpus

ALL = "all"
TPCH_QUERIES = Path("tests/oracle/queries/tpch")


def open_corpus(folder: Path) -> tuple[CorpusQuery, ...]:
    """The corpus in a folder; a missing folder is said to be missing, not to be empty."""
    if not folder.is_dir():
        raise CatalogError(
            "there is no folder of queries",
            where=str(folder),
            hint="Run the benchmark in a checkout of Slackwater, or name a folder: --queries DIR.",
        )
    return load_corpus(folder)


def choose_tpch(folder: Path, only: str) -> tuple[CorpusQuery, ...]:
    """The queries of a folder with the given names, such as `q01,q03`, or `all`."""
    corpus = open_corpus(folder)
    if only.strip() == ALL:
        return corpus
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    known = {query.name: query for query in corpus}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise CatalogError(
            f"there is no query {', '.join(unknown)}",
            hint=f"Choose among {', '.join(known)}.",
        )
    return tuple(known[name] for name in wanted) or corpus


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the block; beside the cache, since it may grow large."""
    cache = load_settings().cache_dir
    cache.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="slackwater-", dir=cache) as folder:
        yield Path(folder)
