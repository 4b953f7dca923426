"""The data behind the corpus, written to disk: each data set is a folder of Parquet tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from slackwater.workloads.adversarial import write_adversarial
from slackwater.workloads.orderbook import write_order_book
from slackwater.workloads.tpch import ensure_tpch

TPCH_SCALE = 0.01
_BOOK_SEED = 1
_BOOK_ORDERS = 400


def write_data_sets(names: Iterable[str], scratch: Path, cache_dir: Path) -> dict[str, Path]:
    """The folders of the data sets a corpus asks for.

    TPC-H comes from the cache; the others take no time to make and go to `scratch`.
    """
    return {name: _WRITERS[name](scratch / name, cache_dir) for name in sorted(set(names))}


def _write_tpch(_target: Path, cache_dir: Path) -> Path:
    return ensure_tpch(TPCH_SCALE, cache_dir)


def _write_adversarial(target: Path, _cache_dir: Path) -> Path:
    write_adversarial(target)
    return target


def _write_finance(target: Path, _cache_dir: Path) -> Path:
    write_order_book(target, seed=_BOOK_SEED, orders=_BOOK_ORDERS)
    return target


_WRITERS: dict[str, Callable[[Path, Path], Path]] = {
    "tpch": _write_tpch,
    "adversarial": _write_adversarial,
    "finance": _write_finance,
}
