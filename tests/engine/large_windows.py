"""Has every window count as one with large partitions, so that small tables try the rule."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.rel import Rel
from slackwater.catalog.catalog import Catalog
from slackwater.plan.facts import Facts, LargeWindow
from slackwater.planning import large_windows
from slackwater.planning.large_windows import windows_of


def all_large(rels: Iterable[Rel], shift: int) -> Facts:
    """Facts by which the windows of some relations are large."""
    windows = (window for rel in rels for window in windows_of(rel))
    large = frozenset(LargeWindow(fingerprint(each), shift) for each in windows)
    return Facts(large_windows=large)


def count_as_large(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    """Have sessions take all windows for large, with order buckets of so many bits."""

    def every(_home: Path, catalog: Catalog, others: Iterable[Rel] = ()) -> frozenset[LargeWindow]:
        kept = (view.stored for view in catalog.views.values())
        return all_large((*kept, *others), shift).large_windows

    monkeypatch.setattr(large_windows, "large_windows", every)
