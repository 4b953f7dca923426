"""Records of the metadata, as frozen values: rows, the state at a commit, and a commit's changes.

`definition` and `details` are JSON that only the writer of the row understands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, get_args
from typing import Literal as OneOf

from slackwater.errors import InvariantError
from slackwater.state.segments import SegmentFile

CommitKind = OneOf[
    "ingest", "run", "compact", "create_source", "create_view", "drop_view", "drop_source"
]
KINDS: Final[tuple[str, ...]] = get_args(CommitKind)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source; `created` is the commit that made it and is set by the store."""

    name: str
    definition: str
    arrangement: str
    created: int = 0


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """A view; `created` is the commit that made it and is set by the store."""

    name: str
    definition: str
    arrangement: str
    created: int = 0


@dataclass(frozen=True, slots=True)
class ArrangementRecord:
    """An arrangement; `created` is the commit that made it and is set by the store."""

    id: str
    definition: str
    created: int = 0


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """A segment file of an arrangement, live from commit `created` until `removed`."""

    id: int
    arrangement: str
    file: SegmentFile
    level: int
    offset: int | None
    created: int
    removed: int | None


@dataclass(frozen=True, slots=True)
class NewSegment:
    """A segment file that a commit adds to an arrangement."""

    arrangement: str
    file: SegmentFile
    level: int = 0
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One ingested batch of a source; `commit` is set by the store."""

    source: str
    offset: int
    commit: int = 0
    inserted: int = 0
    deleted: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class ProgressRecord:
    """The progress of a view through a source."""

    view: str
    source: str
    offset: int


@dataclass(frozen=True, slots=True)
class GoalRecord:
    """The goal of a view: exactly one of the three is stated."""

    view: str
    slack: str | None = None
    final_work: float | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class PositionRecord:
    """The position of a connector in one item of a source, such as a file it has read."""

    source: str
    item: str
    value: str


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: versions are 1, 2, 3 and so on without gaps; 0 is the empty home."""

    version: int
    kind: str
    time: datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The result of a run for one view; `commit` is set by the store."""

    commit: int
    view: str
    action: str
    reason: str
    details: str
    started: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class ObservationRecord:
    """The last run of one step of an operator on an engine."""

    operator: str
    part: str
    engine: str
    rows_in: float
    rows_out: float
    seconds: float


@dataclass(frozen=True, slots=True)
class CatalogState:
    """Everything that is live at one commit."""

    commit: int
    sources: Mapping[str, SourceRecord]
    views: Mapping[str, ViewRecord]
    arrangements: Mapping[str, ArrangementRecord]
    segments: Mapping[str, tuple[SegmentRecord, ...]]
    """The segments of each arrangement in the order of their making; live ones have an entry."""
    plans: Mapping[str, str]
    """The plan of each view. A view that no run has planned yet may have no entry."""
    progress: Mapping[tuple[str, str], int]
    """The last offset the view has consumed, by view and source."""
    offsets: Mapping[str, int]
    """The last offset of each source. A source without batches has no entry."""
    goals: Mapping[str, GoalRecord]
    """The goal of each view. A view without a goal has no entry."""
    pinned: Mapping[str, str]
    """The Spark settings that decide what SQL means, by name."""
    lossy: frozenset[str]
    """Sources that have had a row taken away."""
    filled: frozenset[str]
    """Views that read no source, and are filled."""
    sums_outgrown: bool
    """True once a running sum of the widest decimals has not fitted its type."""

    def files(self, arrangement: str) -> tuple[SegmentFile, ...]:
        """The files of one arrangement."""
        return tuple(segment.file for segment in self.segments.get(arrangement, ()))


@dataclass(frozen=True, slots=True)
class Transaction:
    """All that one commit changes. What is dropped goes first, then what is added comes.

    Dropping an arrangement removes its segments. Dropping a source or a view removes its
    progress and what else is known of it: offsets, losses, positions, its plan and its goal.
    """

    kind: CommitKind
    add_sources: tuple[SourceRecord, ...] = ()
    drop_sources: tuple[str, ...] = ()
    add_views: tuple[ViewRecord, ...] = ()
    drop_views: tuple[str, ...] = ()
    plans: Mapping[str, str] = field(default_factory=dict)
    """The plan of each view from now on."""
    add_arrangements: tuple[ArrangementRecord, ...] = ()
    drop_arrangements: tuple[str, ...] = ()
    add_segments: tuple[NewSegment, ...] = ()
    remove_segments: tuple[int, ...] = ()
    batches: tuple[BatchRecord, ...] = ()
    progress: tuple[ProgressRecord, ...] = ()
    drop_progress: tuple[str, ...] = ()
    """Views that forget how far they have come; they stay views."""
    runs: tuple[RunRecord, ...] = ()
    goals: tuple[GoalRecord, ...] = ()
    """Goals of views that have none yet."""
    positions: tuple[PositionRecord, ...] = ()
    """Positions of connectors from now on; other items of a source stay as they are."""
    pinned: Mapping[str, str] = field(default_factory=dict)
    """Spark settings to keep, by name."""
    lossy: tuple[str, ...] = ()
    """Sources that had a row taken away."""
    filled: tuple[str, ...] = ()
    """Views that read no source and are filled now."""
    sums_outgrown: bool = False
    """True if a running sum of the widest decimals did not fit its type."""

    def __post_init__(self) -> None:
        """Refuse a kind that `history` could not explain."""
        if self.kind not in KINDS:
            raise InvariantError(f"{self.kind!r} is not a kind of commit")
