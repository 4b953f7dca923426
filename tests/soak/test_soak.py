"""Law 6 at small size: many refreshes leave no growing pile; and how the figures are shown."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from slackwater.bench.chart import Chart, draw
from slackwater.bench.machine import Machine
from slackwater.bench.memory import descendants, resident
from slackwater.bench.soak import Sample, SoakPlan, SoakReport, measure_soak
from slackwater.cli.bench_soak import charts, show_soak, soak_data

MACHINE = Machine(2, "3.11.9", "4.2.1", (0.5, 0.4, 0.3), (1.5, 0.9, 0.5))
SAMPLE = Sample(10, 50, 2_000_000, 300_000, 150_000_000, 90_000_000, 0, 0, 0.25, 0.5)


def report(*files: int) -> SoakReport:
    samples = [replace(SAMPLE, refresh=10 * n, files=each) for n, each in enumerate(files, 1)]
    return SoakReport(SoakPlan(10 * len(files)), tuple(samples), True, 61.4, MACHINE)


def test_quarters_are_medians_of_the_first_and_last_samples() -> None:
    assert report(1, 2, 3, 50, 50, 50, 50, 50, 50, 7, 9, 8).quarters("files") == (2, 8)
    assert report(3).quarters("files") == (3, 3)


def test_the_page_shows_both_quarters() -> None:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False)
    show_soak(console, report(100, 110, 120, 150))
    assert isinstance(console.file, io.StringIO)
    lines = [" ".join(line.split()) for line in console.file.getvalue().splitlines()]
    assert "files of state 100 150 1.50" in lines
    assert "state, MB 2.00 2.00 1.00" in lines
    assert "Python workers' memory, MB 0.00 0.00 -" in lines
    assert "61 s in all; every view was exact in the end" in lines


def test_json_holds_everything() -> None:
    data = json.loads(json.dumps(soak_data(report(100, 150))))
    assert data["summary"]["files"] == {"first_quarter": 100, "last_quarter": 150}
    assert data["samples"][1]["files"] == 150
    assert data["machine"]["cores"] == 2


def test_the_plot_is_an_image_with_a_line_for_each_figure() -> None:
    drawn = ElementTree.fromstring(draw(charts(report(100, 150))))
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))) == 8


def test_a_line_begins_at_zero_and_fills_its_chart() -> None:
    text = draw([Chart("a < b", [(0, 0), (50, 3), (100, 4)])])
    assert "a &lt; b" in text
    assert 'points="58.0,142.0 221.0,61.0 384.0,34.0"' in text


def test_memory_of_processes() -> None:
    assert resident(os.getpid()) > 1_000_000
    assert resident(1 << 30) == 0
    assert os.getpid() in descendants(os.getppid())


def test_a_short_soak(spark: SparkSession, tmp_path: Path) -> None:
    seen: list[Sample] = []
    found = measure_soak(spark, tmp_path / "home", SoakPlan(36, 12, retained=2), seen.append)
    assert found.exact
    assert [each.refresh for each in seen] == [12, 24, 36]
    assert found.samples == tuple(seen)
    # Without merges and collection every refresh would add some.
    assert seen[-1].files < 1.4 * seen[1].files


@pytest.mark.deep
def test_a_long_soak(spark: SparkSession, tmp_path: Path) -> None:
    found = measure_soak(spark, tmp_path / "home", SoakPlan(400), lambda _sample: None)
    assert found.exact
    for figure in ("files", "state_bytes", "metadata_bytes", "workers_bytes"):
        first, last = found.quarters(figure)
        assert last <= 1.25 * first, figure
