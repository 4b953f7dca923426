"""A database turned into a stream of changes: loads, inserts, updates, deletes, undos.

Any tables with keys will do. After every batch all foreign keys hold; nothing is deleted
that is not there; the same seed gives the same stream. Dimensions tend to arrive before
the facts that need them, and the children of a parent with few children arrive with it, as
the lines of an order do. Deleted rows sometimes return, so that groups vanish and reappear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
import pyarrow as pa

from slackwater.workloads.bags import apply_changes, negate
from slackwater.workloads.database import ChangeBatch, RandomDatabase, Saved
from slackwater.workloads.table_keys import TableKeys

__all__ = ["BatchKind", "ChangeBatch", "ChangeSpec", "apply_changes", "change_stream"]


class BatchKind(Enum):
    """The kinds of batches of the stream."""

    LOAD = auto()
    CHANGE = auto()
    EMPTY = auto()
    UNDO = auto()


@dataclass(frozen=True, slots=True)
class ChangeSpec:
    """The shape of a stream.

    The first batch loads `initial_share` of all rows. The others together make about as many
    changes as rows are left: `delete_share` of them deletes, `update_share` updates, the rest
    inserts. So a stream of updates alone has `update_share=1.0`. `include_empty` and
    `include_undo` turn about a fifth of the batches, at least one, into empty ones and into
    ones that exactly undo the batch before.
    """

    seed: int
    batches: int
    delete_share: float
    update_share: float
    initial_share: float = 0.5
    include_empty: bool = False
    include_undo: bool = False

    def __post_init__(self) -> None:
        """Refuse shares that are none, and streams too short for what they shall contain."""
        shares = (self.delete_share, self.update_share, self.initial_share)
        if not all(0 <= share <= 1 for share in shares) or sum(shares[:2]) > 1:
            raise ValueError(f"shares must lie between 0 and 1 and fit together: {self}")
        least = 1 + self.include_empty + 2 * self.include_undo
        if self.batches < least:
            raise ValueError(f"such a stream needs at least {least} batches: {self}")

    def kinds(self) -> list[BatchKind]:
        """The kind of every batch, in order."""
        rng = np.random.default_rng([self.seed, 1])
        kinds = [BatchKind.CHANGE] * self.batches
        if self.initial_share > 0:
            kinds[0] = BatchKind.LOAD
        some = max(1, (self.batches - 1) // 5)
        if self.include_undo:
            _place(BatchKind.UNDO, some, kinds, rng)
        if self.include_empty:
            _place(BatchKind.EMPTY, some, kinds, rng)
        return kinds

    def quotas(self, rows: float) -> tuple[float, float, float]:
        """The numbers of inserts, deletes and updates that make up `rows` changes."""
        inserts = 1 - self.delete_share - self.update_share
        return inserts * rows, self.delete_share * rows, self.update_share * rows


def change_stream(
    tables: Mapping[str, pa.Table], keys: Mapping[str, TableKeys], spec: ChangeSpec
) -> Iterator[ChangeBatch]:
    """Yield `spec.batches` batches that build up and change the given tables from nothing.

    Weights are +1 and -1; an update is one of each. Foreign keys to tables that are not given
    are left as they are.
    """
    database = RandomDatabase(tables, keys, spec.seed)
    changes = len(database) * (1 - spec.initial_share)
    kinds = spec.kinds()
    saved: Saved = []
    batch: ChangeBatch = {}
    for number, kind in enumerate(kinds, start=1):
        if kind is BatchKind.EMPTY:
            batch = {}
        elif kind is BatchKind.UNDO:
            database.restore(saved)
            batch = {name: negate(change) for name, change in batch.items()}
        elif kind is BatchKind.LOAD:
            batch = database.load(spec.initial_share)
        else:
            saved = database.save() if spec.include_undo else []
            progress = kinds[:number].count(BatchKind.CHANGE) / kinds.count(BatchKind.CHANGE)
            batch = database.change(spec.quotas(changes * progress), progress)
        yield batch


def _place(kind: BatchKind, some: int, kinds: list[BatchKind], rng: np.random.Generator) -> None:
    """Turn `some` changes into another kind; the batch before an undo stays a change."""
    for number in rng.permutation(np.arange(1, len(kinds))):
        if kinds.count(kind) == some:
            return
        follower = kinds[number + 1 : number + 2]
        alone = kinds[number] is BatchKind.CHANGE and BatchKind.UNDO not in follower
        if alone and (kind is BatchKind.EMPTY or kinds[number - 1] is BatchKind.CHANGE):
            kinds[number] = kind
