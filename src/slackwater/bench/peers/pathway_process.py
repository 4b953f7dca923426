"""Pathway's part: one stream of changes to both tables, three views followed in memory.

A program of its own for an environment that has Pathway and not Slackwater.

Both tables come through one connector. Connectors have clocks of their own, so that with two of
them a change would be visible only when the other one's clock had moved on as well; with one,
a commit is one point in time for both tables, and nothing waits for a timer. Deletions carry the
whole row, which spares Pathway from remembering rows by key.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pathway as pw
import pyarrow as pa
import pyarrow.parquet as pq

_ROWS_PER_PIECE = 50_000
_ROWS_PER_COMMIT = 1_000_000
"""Rows of one commit of the history: Pathway works on one while the next comes, never on all."""
_MOST_WAITING = 100_000
"""Rows on their way to Pathway; each is a Python object, and Python makes them faster."""


class Row(pw.Schema):  # type: ignore[misc]
    """A row of either table; customers leave three columns unused."""

    is_order: bool = pw.column_definition(primary_key=True)
    key: int = pw.column_definition(primary_key=True)
    customer_id: int
    category: int
    label: str
    amount: int


_COLUMNS = ("is_order", "key", "customer_id", "category", "label", "amount")


class Feed(pw.io.python.ConnectorSubject):  # type: ignore[misc]
    """Hands over the history and then, one at a time, the changes."""

    def __init__(self, task: dict[str, Any], answers: Answers):
        """Nothing is read before Pathway starts."""
        super().__init__()
        self._task = task
        self._answers = answers
        self._waiting = 0
        self._commits = 0

    @property
    def _deletions_enabled(self) -> bool:
        return True

    def run(self) -> None:
        """Feed the changes; Pathway calls this in a thread of its own."""
        started = perf_counter()
        for name in self._task["keys"]:
            self._load(name)
        self._answers.wait(self._commit())
        _tell(loaded=perf_counter() - started)
        for number in range(self._task["changes"]):
            started = perf_counter()
            commits = self._change(number)
            fed = perf_counter()
            self._answers.wait(commits)
            _tell(ingest=fed - started, refresh=perf_counter() - started)

    def _load(self, name: str) -> None:
        for piece in pq.ParquetFile(f"{self._task['data']}/{name}.parquet").iter_batches(
            _ROWS_PER_PIECE
        ):
            while self._buffer.qsize() > _MOST_WAITING:
                sleep(0.01)
            for row in _rows(name, piece):
                self.next(**row)
            _tell(rows=piece.num_rows)
            self._waiting += piece.num_rows
            if self._waiting >= _ROWS_PER_COMMIT:
                self._commit()

    def _change(self, number: int) -> int:
        for name in self._task["keys"]:
            rows = pq.read_table(f"{self._task['data']}/changes/{number}/{name}.parquet")
            weights = rows["_w"].to_pylist()
            for weight, row in zip(weights, _rows(name, rows), strict=True):
                if weight > 0:
                    self.next(**row)
                else:
                    self.delete(**row)
            self._waiting += rows.num_rows
        return self._commit()

    def _commit(self) -> int:
        """Commit what waits, if anything does; how many commits there have been."""
        if self._waiting:
            self.commit()
            self._waiting = 0
            self._commits += 1
        return self._commits


class Answers:
    """The rows of all views, and up to which commit they are complete."""

    def __init__(self) -> None:
        """No view yet."""
        self.rows: dict[str, dict[Any, dict[str, Any]]] = {}
        self._commits: dict[str, int] = {}
        self._progress = threading.Condition()

    def follow(self, view: str, table: Any) -> None:
        """Keep the rows of a view."""
        rows = self.rows[view] = {}
        self._commits[view] = 0
        pw.io.subscribe(
            table, on_change=_keeping(rows), on_time_end=lambda time: self._count(view, time)
        )

    def wait(self, commits: int) -> None:
        """Until so many commits have reached every view; each commit changes every view."""
        with self._progress:
            self._progress.wait_for(lambda: min(self._commits.values()) >= commits)

    def _count(self, view: str, _time: int) -> None:
        with self._progress:
            self._commits[view] += 1
            self._progress.notify_all()


def _keeping(rows: dict[Any, dict[str, Any]]) -> Callable[..., None]:
    def keep(key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:  # noqa: ARG001
        if is_addition:
            rows[key] = row
        elif rows.get(key) == row:
            del rows[key]

    return keep


def main() -> None:
    """Load, follow the changes, hand over the answers."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    _tell(version=pw.__version__)
    answers = Answers()
    rows = pw.io.python.read(Feed(task, answers), schema=Row, autocommit_duration_ms=None)
    for view, table in _views(rows).items():
        answers.follow(view, table)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    for view, kept in answers.rows.items():
        table = pa.Table.from_pylist(list(kept.values()))
        pq.write_table(table, f"{task['work']}/{view}.answer.parquet")


def _views(rows: Any) -> dict[str, Any]:
    """The three views, as their SQL says."""
    this, total, count = pw.this, pw.reducers.sum, pw.reducers.count
    o = rows.filter(this.is_order).select(
        this.customer_id, this.category, this.amount, order_id=this.key, status=this.label
    )
    c = rows.filter(~this.is_order).select(customer_id=this.key, region=this.label)
    joined = o.join(c, o.customer_id == c.customer_id).select(c.region, o.category, o.amount)
    left = c.join_left(o, c.customer_id == o.customer_id).select(
        c.customer_id,
        c.region,
        found=pw.if_else(o.order_id.is_none(), 0, 1),
        amount=pw.coalesce(o.amount, 0),
    )
    return {
        "by_category": o.groupby(o.category, o.status).reduce(
            o.category, o.status, orders=count(), amount=total(o.amount)
        ),
        "by_region": joined.groupby(this.region, this.category).reduce(
            this.region, this.category, orders=count(), amount=total(this.amount)
        ),
        "by_customer": left.groupby(this.customer_id, this.region).reduce(
            this.customer_id, this.region, orders=total(this.found), amount=total(this.amount)
        ),
    }


def _rows(name: str, piece: pa.Table | pa.RecordBatch) -> Iterator[dict[str, Any]]:
    columns = [piece[column].to_pylist() for column in piece.schema.names if column != "_w"]
    if name == "orders":
        for key, customer, category, label, amount in zip(*columns, strict=True):
            yield _row(True, key, customer, category, label, amount)
    else:
        for key, label in zip(*columns, strict=True):
            yield _row(False, key, 0, 0, label, 0)


def _row(*values: Any) -> dict[str, Any]:
    return dict(zip(_COLUMNS, values, strict=True))


def _tell(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
