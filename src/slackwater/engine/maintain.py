"""Keeps state small: merges segments, forgets old commits, deletes what nobody needs."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from slackwater.engine.home import Catalog, Home
from slackwater.engine.run import seen_offset
from slackwater.faults import reach
from slackwater.state.merge import merge_segments
from slackwater.state.metadata.collect import Removed, Retention, collect_garbage, sweep_orphans
from slackwater.state.metadata.records import NewSegment, SegmentRecord, Transaction

_MERGED_AT = 8
"""So many groups of segments of similar size make a merge worth its while."""
_SIMILAR = 4
"""A group joins a merge if it is at most so many times what is merged already."""
_ROWS_PER_FILE = 500_000
_COLLECT_EVERY = 16

_Choose = Callable[[list[list[SegmentRecord]]], list[SegmentRecord]]


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a compaction did."""

    merged: int
    """Files that went into larger ones."""
    written: int
    collected: Removed


class Maintenance:
    """Compaction and collection on one home."""

    def __init__(self, home: Home, retention: Retention):
        """Old commits stay readable as far as `retention` says."""
        self._home = home
        self._retention = retention
        self._collected = home.store.head().version

    def tidy(self) -> None:
        """What every run does afterwards: merge where many small segments have gathered."""
        merged, _ = self._merge(_worth_merging)
        if merged:
            collect_garbage(self._home.store, self._home.folder, self._retention)
        newest = self._home.store.head().version
        if newest >= self._collected + _COLLECT_EVERY:
            self._collected = newest
            self._collect()

    def compact(self) -> Compaction:
        """Merge everything that can be merged, and delete what nobody needs."""
        merged, written = self._merge(_everything)
        return Compaction(merged, written, self._collect())

    def recover(self) -> Removed:
        """Delete what a process that died before its commit has left behind."""
        return sweep_orphans(self._home.store, self._home.folder)

    def _collect(self) -> Removed:
        """Delete what no retained commit names, and what failed runs have left behind."""
        collected = collect_garbage(self._home.store, self._home.folder, self._retention)
        swept = sweep_orphans(self._home.store, self._home.folder)
        return Removed((*collected.files, *swept.files), collected.bytes + swept.bytes)

    def _merge(self, choose: _Choose) -> tuple[int, int]:
        catalog = self._home.catalog()
        removed: list[SegmentRecord] = []
        added: list[NewSegment] = []
        stem = f"{catalog.state.commit + 1:08d}-{uuid.uuid4().hex[:8]}"
        for arrangement in catalog.state.arrangements:
            chosen = choose(_groups(_mergeable(catalog, arrangement)))
            if not chosen:
                continue
            if not removed:
                reach("compact.before")
            files = [each.file for each in chosen]
            bits = (sum(file.rows for file in files) // _ROWS_PER_FILE).bit_length()
            made = merge_segments(
                self._home.folder, files, f"state/{arrangement}", f"{stem}-merged", bits
            )
            removed += chosen
            added += [NewSegment(arrangement, file, level=1) for file in made]
        if not removed:
            return 0, 0
        reach("compact.written")
        transaction = Transaction(
            "compact",
            add_segments=tuple(added),
            remove_segments=tuple(each.id for each in removed),
        )
        self._home.store.commit(transaction, catalog.state.commit)
        return len(removed), len(added)


def _mergeable(catalog: Catalog, arrangement: str) -> list[SegmentRecord]:
    """Segments that may become one: of a source, only batches that every view has taken in."""
    segments = catalog.segments(arrangement)
    owner = next(
        (name for name, each in catalog.state.sources.items() if each.arrangement == arrangement),
        None,
    )
    if owner is None:
        return list(segments)
    seen = seen_offset(catalog, owner)
    return [each for each in segments if (each.offset or 0) <= seen]


def _groups(segments: Iterable[SegmentRecord]) -> list[list[SegmentRecord]]:
    """Segments that one commit made, which lie side by side, smallest group first."""
    groups: dict[int, list[SegmentRecord]] = {}
    for each in segments:
        groups.setdefault(each.created, []).append(each)
    return sorted(groups.values(), key=_rows)


def _rows(group: list[SegmentRecord]) -> int:
    return sum(each.file.rows for each in group)


def _worth_merging(groups: list[list[SegmentRecord]]) -> list[SegmentRecord]:
    """Groups of similar size, so that a row is merged a logarithmic number of times."""
    chosen: list[list[SegmentRecord]] = []
    total = 0
    for group in groups:
        if chosen and _rows(group) > _SIMILAR * max(total, 1_000):
            break
        chosen.append(group)
        total += _rows(group)
    if len(chosen) < _MERGED_AT:
        return []
    return [each for group in chosen for each in group]


def _everything(groups: list[list[SegmentRecord]]) -> list[SegmentRecord]:
    """All groups, unless there is only one and nothing to gain."""
    if len(groups) < 2:
        return []
    return [each for group in groups for each in group]
