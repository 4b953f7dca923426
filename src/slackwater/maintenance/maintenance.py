"""Keeps state small: merges segments, forgets old commits, deletes files no longer needed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.home import Home
from slackwater.catalog.logs import NOTHING_READ
from slackwater.events import MergeCommitted, MergeStarted
from slackwater.faults import reach
from slackwater.maintenance.merging import Merge, Merged, Merger
from slackwater.state.metadata.collect import Removed, Retention, collect_garbage, sweep_orphans
from slackwater.state.metadata.records import NewSegment, SegmentRecord, Transaction

_MERGED_AT = 8
"""So many groups of segments of similar size make a merge worth its while."""
_PILED_UP = 4 * _MERGED_AT
"""Refreshes wait for merges once so many groups of segments wait to be merged."""
_SIMILAR = 4
"""A group joins a merge if it is at most so many times what is merged already."""
_COLLECT_EVERY = 16

_Choose = Callable[[list[list[SegmentRecord]]], list[SegmentRecord]]


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of a compaction."""

    merged: int
    """Files that went into larger ones."""
    written: int
    collected: Removed
    failed: tuple[str, ...] = ()
    """Reasons why merges in the background had failed; this compaction has made up for them."""


class Maintenance:
    """Compaction and collection on one home.

    Merging is left to a thread of its own. Its files are adopted, that is committed, by the
    thread that calls, between one piece of work and the next.
    """

    def __init__(self, home: Home, retention: Retention):
        """Old commits stay readable as far as `retention` says."""
        self._home = home
        self._retention = retention
        self._collected = home.store.head().version
        self._merger = Merger(home.folder)
        self._failures: list[str] = []

    def tidy(self) -> None:
        """Commit finished merges and start new ones; every run ends with this."""
        if self._merger.finished:
            self._finish()
        chosen = self._choose(_worth_merging)
        if self._merger.merges and any(_group_count(each) >= _PILED_UP for each in chosen):
            self._finish()
            chosen = self._choose(_worth_merging)
        if chosen and not self._merger.merges:
            reach("compact.before")
            self._merger.start(chosen)
            segments = sum(len(each.segments) for each in chosen)
            self._home.events.tell(MergeStarted(len(chosen), segments))
        newest = self._home.store.head().version
        if newest >= self._collected + _COLLECT_EVERY:
            self._collected = newest
            self._collect()

    def compact(self) -> Compaction:
        """Merge everything that can be merged, and delete what is no longer needed."""
        before = self._adopt(self._merger.take())
        chosen = self._choose(_everything)
        if chosen:
            reach("compact.before")
        now = self._adopt(self._merged_at_once(chosen))
        merged, written = (sum(each) for each in zip(before, now, strict=True))
        return Compaction(merged, written, self._collect(), self.take_failures())

    def take_failures(self) -> tuple[str, ...]:
        """Return why merges in the background have failed; each failure is told once."""
        failures, self._failures = tuple(self._failures), []
        return failures

    def close(self) -> None:
        """Wait for merges under way, and commit them."""
        try:
            self._finish()
        except BaseException:  # Whoever does not want to wait interrupts.
            self.abandon()
            raise

    def abandon(self) -> None:
        """Give up what is under way; the segments stay as they are."""
        self._merger.stop()

    def recover(self) -> Removed:
        """Delete what a process that died before its commit has left behind."""
        return sweep_orphans(self._home.store, self._home.folder)

    def _collect(self) -> Removed:
        """Delete what no retained commit names, and what failed runs have left behind."""
        store, folder = self._home.writer, self._home.folder
        collected = collect_garbage(store, folder, self._retention)
        swept = sweep_orphans(store, folder, spared=[each.stem for each in self._merger.merges])
        return Removed((*collected.files, *swept.files), collected.bytes + swept.bytes)

    def _choose(self, choose: _Choose) -> tuple[Merge, ...]:
        """Choose the segments to merge, except those being merged."""
        catalog = self._home.catalog()
        taken = {segment for merge in self._merger.merges for segment in merge.segments}
        merges = []
        for arrangement in catalog.state.arrangements:
            free = [each for each in _mergeable(catalog, arrangement) if each not in taken]
            chosen = choose(_groups(free))
            if chosen:
                stem = f"{catalog.state.commit + 1:08d}-{uuid.uuid4().hex[:8]}"
                merges.append(Merge(arrangement, tuple(chosen), stem))
        return tuple(merges)

    def _merged_at_once(self, merges: tuple[Merge, ...]) -> list[Merged]:
        """Merge while the caller waits; a merge that fails leaves nothing behind."""
        folder = self._home.folder
        try:
            return [Merged(each, tuple(each.write(folder))) for each in merges]
        except BaseException:
            for each in merges:
                each.discard(folder)
            raise

    def _finish(self) -> None:
        """Wait for merges under way, commit them and delete what is no longer needed."""
        merged, _ = self._adopt(self._merger.take())
        if merged:
            collect_garbage(self._home.writer, self._home.folder, self._retention)

    def _adopt(self, merged: Sequence[Merged]) -> tuple[int, int]:
        """Commit what is merged; how many segments went, and how many came.

        What was dropped or filled anew since it was chosen is left alone. That may also be why
        a merge has failed: files that it had yet to open were deleted.
        """
        if not merged:
            return 0, 0
        catalog = self._home.catalog()
        adopted: list[Merged] = []
        for each in merged:
            if not set(each.merge.segments) <= set(catalog.segments(each.merge.arrangement)):
                each.merge.discard(self._home.folder)
            elif each.problem is not None:
                self._failures.append(f"merging files of the state failed: {each.problem}")
            else:
                adopted.append(each)
        if not adopted:
            return 0, 0
        reach("compact.written")
        transaction = Transaction(
            "compact",
            add_segments=tuple(
                NewSegment(each.merge.arrangement, file, level=1)
                for each in adopted
                for file in each.files
            ),
            remove_segments=tuple(
                segment.id for each in adopted for segment in each.merge.segments
            ),
        )
        self._home.commit(transaction, after=catalog.state.commit)
        gone, come = len(transaction.remove_segments), len(transaction.add_segments)
        self._home.events.tell(MergeCommitted(gone, come))
        return gone, come


def _mergeable(catalog: Catalog, arrangement: str) -> list[SegmentRecord]:
    """Segments that may become one: of a source, only batches that every view has taken in.

    Without such a view there is none to tell apart: the first one takes in all there is.
    """
    segments = catalog.segments(arrangement)
    owner = next(
        (name for name, each in catalog.state.sources.items() if each.arrangement == arrangement),
        None,
    )
    if owner is None:
        return list(segments)
    read = catalog.logs.last_cursor(owner)
    if read == NOTHING_READ:
        return list(segments)
    return [each for each in segments if (each.offset or 0) <= read]


def _groups(segments: Iterable[SegmentRecord]) -> list[list[SegmentRecord]]:
    """Segments that one commit made, which lie side by side, smallest group first."""
    groups: dict[int, list[SegmentRecord]] = {}
    for each in segments:
        groups.setdefault(each.created, []).append(each)
    return sorted(groups.values(), key=_rows)


def _rows(group: list[SegmentRecord]) -> int:
    return sum(each.file.rows for each in group)


def _group_count(merge: Merge) -> int:
    return len({each.created for each in merge.segments})


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
