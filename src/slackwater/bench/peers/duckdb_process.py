"""DuckDB's part: tables in a file, all three queries anew after each change, in one transaction.

A program of its own that imports nothing of Slackwater, so that its memory is DuckDB's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb


def main() -> None:
    """Load, follow the changes, hand over the answers."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    _tell(version=duckdb.__version__)
    with duckdb.connect(f"{task['work']}/tables.duckdb") as database:
        started = perf_counter()
        for name in task["keys"]:
            file = f"{task['data']}/{name}.parquet"
            database.execute(f"CREATE TABLE {name} AS FROM '{file}'")
            _tell(rows=_count(database, name))
        _compute(database, task)
        _tell(loaded=perf_counter() - started)
        for number in range(task["changes"]):
            _follow(database, task, number)
        for view in task["views"]:
            database.execute(f"COPY {view} TO '{task['work']}/{view}.answer.parquet'")


def _follow(database: duckdb.DuckDBPyConnection, task: dict[str, Any], number: int) -> None:
    started = perf_counter()
    database.execute("BEGIN")
    for name, key in task["keys"].items():
        change = f"'{task['data']}/changes/{number}/{name}.parquet'"
        database.execute(
            f"DELETE FROM {name} WHERE {key} IN (SELECT {key} FROM {change} WHERE _w < 0)"
        )
        database.execute(f"INSERT INTO {name} SELECT * EXCLUDE _w FROM {change} WHERE _w > 0")
    ingested = perf_counter()
    _compute(database, task)
    database.execute("COMMIT")
    _tell(ingest=ingested - started, refresh=perf_counter() - started)


def _compute(database: duckdb.DuckDBPyConnection, task: dict[str, Any]) -> None:
    for view, sql in task["views"].items():
        database.execute(f"CREATE OR REPLACE TABLE {view} AS {sql}")


def _count(database: duckdb.DuckDBPyConnection, name: str) -> int:
    (rows,) = database.execute(f"SELECT count(*) FROM {name}").fetchall()
    return int(rows[0])


def _tell(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
