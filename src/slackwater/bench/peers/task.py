"""The orders that the process of a system is given, and its reports.

A process gets the path of a task as JSON and prints one JSON object a line: `version`, `rows`
loaded so far, `loaded` in how many seconds, and `ingest` and `refresh` of each change. In the
end it writes its answers. Processes that run without Slackwater speak the same without this module.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True, slots=True)
class Task:
    """Folders as text, and the views by name."""

    data: str
    """Holds a Parquet file for each table, and for each table of each change."""
    work: str
    """Empty, and for this process alone."""
    views: Mapping[str, str]
    keys: Mapping[str, str]
    """The key column of each table."""
    changes: int

    def write(self) -> Path:
        """Write the task where its process finds it."""
        path = Path(self.work) / "task.json"
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")
        return path

    def table(self, name: str) -> Path:
        """The file with the history of a table."""
        return Path(self.data) / f"{name}.parquet"

    def change(self, number: int, name: str) -> Path:
        """The file with what a change does to a table: its columns and a weight `_w`."""
        return Path(self.data) / "changes" / str(number) / f"{name}.parquet"

    def answer(self, view: str) -> Path:
        """The file for the answer of a view."""
        return Path(self.work) / f"{view}.answer.parquet"


def task_of_this_process() -> Task:
    """The task that the command line names."""
    return Task(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))


def tell(**facts: object) -> None:
    """Tell whoever started this process."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def write_answer(task: Task, view: str, rows: pa.Table) -> None:
    """Hand over the answer of a view."""
    pq.write_table(rows, task.answer(view))
