"""Pipelines as values, and their state as rows."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from slackwater.errors import SignalError
from slackwater.signals.pipeline import Pipeline, advance
from slackwater.signals.state_table import state_schema

from .signal_tables import one_sensor, readings, signal, uniform


def smooth() -> Pipeline:
    level = signal(lateness=5).sample(10, interpolate="linear", within=60)
    return (level - level.fir([0.5, 0.5])).window(4, 2).fft().inverse_fft().merge("sum").pipeline


def test_pipelines_compare_hash_and_travel() -> None:
    assert smooth() == smooth()
    assert hash(smooth()) == hash(smooth())
    assert smooth() != signal().pipeline
    assert pickle.loads(pickle.dumps(smooth())) == smooth()


def test_pipelines_print_one_operator_a_line() -> None:
    assert str(smooth()).splitlines() == [
        "Window 4 every 2, break at gaps | fft | inverse fft | merge by sum",
        "  Select v = (left_v - right_v)",
        "    TemporalJoin",
        "      Sample every 10, linear within 60",
        "        Source readings by sensor [v]; lateness 5, late error, missing drop",
        "      Fir [0.5, 0.5], zeros in gaps up to 1024",
        "        Sample every 10, linear within 60",
        "          Source readings by sensor [v]; lateness 5, late error, missing drop",
    ]


def test_equal_subtrees_are_one_operator() -> None:
    names = [type(each).__name__ for each in smooth().operators]
    assert names == ["Source", "Sample", "Fir", "TemporalJoin", "Select", "Window"]


def test_state_rows_have_the_documented_layout() -> None:
    pipeline = uniform().fir([1.0, 2.0, 3.0]).pipeline
    state = advance(pipeline, {"readings": one_sensor([5.0, 6.0, 7.0])}).after(None)
    assert state.schema == state_schema([pa.field("sensor", pa.string())])
    assert state.schema.metadata == {b"layout": b"1"}
    rows = {(row["_operator"], row["_part"]): row for row in state.to_pylist()}
    assert sorted(rows) == [(0, 0), (1, 0), (1, 1)]
    assert rows[0, 0]["_numbers"] == [2, 2, 3]
    assert rows[1, 0]["_numbers"] == [2]
    assert rows[1, 1]["_values"] == [6.0, 7.0]


def test_state_of_another_layout_is_refused() -> None:
    pipeline = uniform().pipeline
    state = advance(pipeline, {"readings": one_sensor([1.0])}).after(None)
    with pytest.raises(SignalError, match="layout 9, and this version reads 1"):
        advance(
            pipeline,
            {"readings": one_sensor([1.0], first=1)},
            state.replace_schema_metadata({"layout": "9"}),
        )


def test_a_run_replaces_the_rows_of_its_groups_only() -> None:
    pipeline = uniform().fir([1.0, 1.0]).pipeline
    both = readings([("a", 0, 1.0), ("b", 0, 2.0)])
    first = advance(pipeline, {"readings": both}).after(None)
    run = advance(pipeline, {"readings": readings([("b", 1, 5.0)])}, first)
    assert set(run.touched["sensor"].to_pylist()) == {"b"}
    after = run.after(first)
    tails = {
        r["sensor"]: r["_values"]
        for r in after.to_pylist()
        if (r["_operator"], r["_part"]) == (1, 1)
    }
    assert tails == {"a": [1.0], "b": [5.0]}
    needed = first.filter(pa.compute.equal(first["sensor"], "b"))
    assert advance(pipeline, {"readings": readings([("b", 1, 5.0)])}, needed).rows == run.rows


def test_closing_tells_without_changing_anything() -> None:
    pipeline = signal(lateness=10).pipeline
    state = advance(pipeline, {"readings": readings([("a", 5, 1.0)])}).after(None)
    nothing = {"readings": readings([])}
    for _ in range(2):
        assert advance(pipeline, nothing, state, closing=True).rows["at"].to_pylist() == [5]
    assert advance(pipeline, nothing, state).rows.num_rows == 0
