from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from slackwater.bench.machine import Machine
from slackwater.bench.peers import measure
from slackwater.bench.peers.answers import difference, read_answers
from slackwater.bench.peers.data import KEYS, DataPlan, write_data
from slackwater.bench.peers.measure import PeersPlan, PeersReport, SystemFigures, measure_peers
from slackwater.bench.peers.watch import Watched, watch
from slackwater.cli.bench_peers import peers_data, read_rows, read_systems, show_peers
from slackwater.errors import CatalogError, SetupError

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))
OURS = SystemFigures(1_000_000, "ours", "on Spark 4.2.1", 9.5, 0.41, 0.1, (0.41,), 1 << 30, 3 << 28)


def report(*figures: SystemFigures) -> PeersReport:
    systems = tuple(dict.fromkeys(each.system for each in figures))
    return PeersReport(PeersPlan((1_000_000,), systems=systems), figures, MACHINE)


def page(*figures: SystemFigures) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show_peers(console, report(*figures))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


# What is asked, and what is printed ------------------------------------------------------------


def test_lists_are_read() -> None:
    assert read_rows("1000, 2000") == (1_000, 2_000)
    assert read_systems("duckdb, ours,duckdb") == ("duckdb", "ours")


@pytest.mark.parametrize("text", ["", "1e6", "1000,", "999"])
def test_wrong_numbers_of_rows_are_refused(text: str) -> None:
    with pytest.raises(CatalogError, match="is not a list of numbers of rows"):
        read_rows(text)


def test_unknown_systems_are_refused() -> None:
    with pytest.raises(CatalogError, match="there is no system flink"):
        read_systems("ours,flink")


def test_the_page_says_what_is_not_guaranteed() -> None:
    duckdb = SystemFigures(1_000_000, "duckdb", "1.5.5", 1.5, 0.2, 0.1, (0.2,), 1 << 29)
    text = page(OURS, duckdb)
    assert "Three views after changes of 10,000 rows" in text
    assert "1,000,000   ours" in text
    assert "0.410      0.100     1.0 GB    768.0 MB   -" in text
    assert "512.0 MB           -   distribution" in text
    assert "1,000,000 rows: the answers of ours, duckdb are equal" in text
    assert "duckdb (1.5.5): changes tables in its file" in text
    assert report(OURS, duckdb).complete


def test_the_page_says_what_was_stopped_and_what_failed() -> None:
    stopped = SystemFigures(1_000_000, "pathway", stopped="stopped after 60 s: 5 of 9 rows")
    assert "pathway, 1,000,000 rows: stopped after 60 s: 5 of 9 rows" in page(OURS, stopped)
    assert "are equal" not in page(OURS, stopped)
    assert report(OURS, stopped).complete
    failed = SystemFigures(1_000_000, "spark", failed="failed: no memory")
    assert "spark, 1,000,000 rows: failed: no memory" in page(OURS, failed)
    assert not report(OURS, failed).complete


def test_json_holds_everything() -> None:
    data = json.loads(json.dumps(peers_data(report(OURS))))
    assert data["complete"] is True
    assert data["systems"]["ours"]["lacks"] == []
    assert data["figures"][0]["refresh"] == 0.41


# The data --------------------------------------------------------------------------------------


def test_changes_delete_only_what_is_there_and_nothing_twice(tmp_path: Path) -> None:
    plan = DataPlan(3_000, 100, 3)
    write_data(tmp_path, plan)
    for name, key in KEYS.items():
        history = {row[key]: row for row in pq.read_table(tmp_path / f"{name}.parquet").to_pylist()}
        touched: set[int] = set()
        for number in range(plan.changes):
            rows = pq.read_table(tmp_path / "changes" / str(number) / f"{name}.parquet").to_pylist()
            for row in rows:
                weight = row.pop("_w")
                assert weight == 1 or history.pop(row[key]) == row
            new = [row for row in rows if row[key] not in history]
            assert touched.isdisjoint(row[key] for row in new)
            touched |= {row[key] for row in new}


def test_the_same_plan_gives_the_same_data(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_data(tmp_path / name, DataPlan(2_000, 100, 2))
    for file in (tmp_path / "one").rglob("*.parquet"):
        twin = tmp_path / "two" / file.relative_to(tmp_path / "one")
        assert pq.read_table(file).equals(pq.read_table(twin))


def test_more_changes_than_rows_are_refused() -> None:
    with pytest.raises(CatalogError, match="are too many"):
        DataPlan(2_000, 1_000, 3)


# Processes -------------------------------------------------------------------------------------


def run(code: str, folder: Path, seconds: float = 60) -> Watched:
    command = [sys.executable, "-c", code]
    return watch(command, os.environ, folder / "stderr", seconds, lambda _: None)


def test_a_process_is_heard_and_its_memory_seen(tmp_path: Path) -> None:
    code = "x = bytearray(80 << 20); print('{\"loaded\": 1}'); import time; time.sleep(0.5)"
    result = run(code, tmp_path)
    assert result.told("loaded") == [1]
    assert result.peak_anonymous > 80 << 20
    assert (result.stopped, result.failed) == ("", "")


def test_a_process_that_takes_too_long_is_stopped_with_its_children(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('{\"child\": %d}' % child.pid, flush=True); time.sleep(60)"
    )
    result = run(code, tmp_path, seconds=3)
    assert result.stopped == "after 3 s"
    (child,) = result.told("child")
    state = Path(f"/proc/{child}/stat")
    # What is killed may take a moment to die.
    deadline = time.monotonic() + 30
    while _lives(state) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(state)


def _lives(state: Path) -> bool:
    try:
        return ") Z " not in state.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    assert run("raise ValueError('no such thing')", tmp_path).failed == "ValueError: no such thing"


def test_duckdb_agrees_with_itself_and_a_missing_system_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Path:
        raise SetupError("no network")

    monkeypatch.setattr(measure, "ensure_environment", refuse)
    plan = PeersPlan((2_000,), 100, 1, ("duckdb", "pathway"))
    found = measure_peers(tmp_path, tmp_path, plan, lambda _: None)
    duckdb, pathway = found.figures
    assert duckdb.refresh is not None
    assert duckdb.failed == ""
    assert pathway.failed == "not measured: no network"
    assert not found.complete
    assert list(tmp_path.iterdir()) == []


def test_answers_differ_in_rows(tmp_path: Path) -> None:
    write_data(tmp_path, DataPlan(2_000, 100, 1))
    one = read_answers({"view": tmp_path / "customers.parquet"})
    other = read_answers({"view": tmp_path / "changes" / "0" / "customers.parquet"})
    assert difference(one, one) == ""
    assert difference(one, other).startswith("view in ")
