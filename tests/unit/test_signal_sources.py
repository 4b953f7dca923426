from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import SignalError
from slackwater.signals.pipeline import advance, batch

from .signal_tables import readings, rows, signal, uniform


def refusal(made: Any, table: pa.Table) -> str:
    with pytest.raises(SignalError) as found:
        rows(made, table)
    return str(found.value)


def test_events_come_out_by_group_and_time() -> None:
    table = readings([("b", 3, 1.0), ("a", 5, 2.0), ("b", 1, 3.0)])
    assert sorted(rows(signal(), table)) == [
        ("a", 5, 6, 2.0),
        ("b", 1, 2, 3.0),
        ("b", 3, 4, 1.0),
    ]


def test_overlapping_events_are_refused_with_group_and_times() -> None:
    table = readings([("a", 0, 1.0), ("b", 10, 1.0), ("b", 14, 2.0)])
    text = refusal(signal(lasts=5), table)
    assert "two events of readings overlap: [10, 15) and [14, 19)" in text
    assert "at: sensor = 'b'" in text
    assert "hint: " in text


def test_an_overlap_with_an_event_of_an_earlier_run_is_refused() -> None:
    pipeline = signal(lasts=5).pipeline
    first = advance(pipeline, {"readings": readings([("a", 10, 1.0)])})
    with pytest.raises(SignalError, match=r"\[10, 15\) and \[12, 17\)") as found:
        advance(pipeline, {"readings": readings([("a", 12, 1.0)])}, first.after(None))
    assert "sensor = 'a'" in str(found.value)


def test_events_that_touch_do_not_overlap() -> None:
    assert len(rows(signal(lasts=5), readings([("a", 0, 1.0), ("a", 5, 2.0)]))) == 2


def test_two_events_at_one_time_overlap() -> None:
    text = refusal(signal(), readings([("a", 3, 1.0), ("a", 3, 1.0)]))
    assert "[3, 4) and [3, 4)" in text


def test_a_refused_run_leaves_the_state_as_it_was() -> None:
    pipeline = signal(lateness=10).pipeline
    state = advance(pipeline, {"readings": readings([("a", 10, 1.0)])}).after(None)
    with pytest.raises(SignalError):
        advance(pipeline, {"readings": readings([("a", 10, 2.0)])}, state)
    again = advance(pipeline, {"readings": readings([("a", 30, 2.0)])}, state)
    assert again.rows["at"].to_pylist() == [10]


def test_events_wait_until_one_comes_that_is_later_by_the_lateness() -> None:
    pipeline = signal(lateness=10).pipeline
    first = advance(pipeline, {"readings": readings([("a", 0, 1.0), ("a", 7, 2.0)])})
    assert first.rows.num_rows == 0
    table = readings([("a", 4, 3.0), ("a", 15, 4.0)])
    second = advance(pipeline, {"readings": table}, first.after(None))
    assert second.rows["at"].to_pylist() == [0, 4]


def test_a_late_event_is_refused_or_dropped() -> None:
    first, late = readings([("a", 20, 1.0)]), readings([("a", 10, 2.0), ("b", 1, 1.0)])
    strict = signal(lateness=10).pipeline
    state = advance(strict, {"readings": first}).after(None)
    with pytest.raises(SignalError, match="at 10 is late: events before 11 are final"):
        advance(strict, {"readings": late}, state)
    lenient = signal(lateness=10, late="drop").pipeline
    run = advance(lenient, {"readings": late}, advance(lenient, {"readings": first}).after(None))
    assert run.late == 1
    kept = advance(lenient, {"readings": late.slice(0, 0)}, run.after(None), closing=True)
    assert sorted(kept.rows["at"].to_pylist()) == [1, 20]


def test_groups_have_clocks_of_their_own() -> None:
    pipeline = signal().pipeline
    state = advance(pipeline, {"readings": readings([("a", 1000, 1.0)])}).after(None)
    run = advance(pipeline, {"readings": readings([("b", 1, 1.0)])}, state)
    assert run.rows["at"].to_pylist() == [1]
    assert run.touched["sensor"].unique().to_pylist() == ["b"]


@pytest.mark.parametrize(
    ("missing", "expected"), [("drop", [1.0]), ("zero", [0.0, 1.0]), ("keep", [math.nan, 1.0])]
)
def test_missing_values_follow_the_policy(missing: str, expected: list[float]) -> None:
    for gap in (None, math.nan):
        found = rows(signal(missing=missing), readings([("a", 0, gap), ("a", 5, 1.0)]))
        assert [row[-1] for row in found] == pytest.approx(expected, nan_ok=True)


def test_missing_values_can_be_an_error() -> None:
    text = refusal(signal(missing="error"), readings([("b", 7, None)]))
    assert "at 7 has no value" in text
    assert "sensor = 'b'" in text


def test_all_missing_is_an_empty_signal() -> None:
    assert rows(signal().sample(1).fir([1.0]), readings([("a", 0, None), ("b", 1, None)])) == []


def test_samples_must_lie_on_beats() -> None:
    text = refusal(uniform(5), readings([("a", 5, 1.0), ("a", 12, 1.0)]))
    assert "at 12 lies on no beat every 5" in text


def test_an_event_ends_after_it_starts() -> None:
    made = sw.signal("readings", time="at", value="v", until="end")
    table = pa.table({"at": [5], "end": [5], "v": [1.0]})
    assert "ends at 5, before it has lived" in refusal(made, table)


def test_events_need_a_time() -> None:
    table = pa.table({"sensor": ["a"], "at": pa.array([None], pa.int64()), "v": [1.0]})
    assert "events without a time" in refusal(signal(), table)


def test_timestamps_come_out_as_they_went_in() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
    times = [start + timedelta(seconds=each) for each in (0, 20)]
    table = pa.table(
        {"sensor": ["a"] * 2, "at": pa.array(times, pa.timestamp("us")), "v": [1.0, 3.0]}
    )
    made = signal(unit="us").sample(timedelta(seconds=10), interpolate="linear")
    found = batch(made.pipeline, {"readings": table})
    assert found.schema.field("at").type == pa.timestamp("us")
    assert found["v"].to_pylist() == [1.0, 2.0, 3.0]
    assert found["at"].to_pylist()[1] == start + timedelta(seconds=10)


def test_timestamps_need_a_unit_and_numbers_none() -> None:
    table = pa.table({"sensor": ["a"], "at": pa.array([1], pa.timestamp("us")), "v": [1.0]})
    assert "Give unit=" in refusal(signal(), table)
    assert "Give unit=" in refusal(signal(unit="us"), readings([("a", 1, 1.0)]))


def test_relations_and_columns_must_be_there() -> None:
    with pytest.raises(SignalError, match="reads 'readings', which is not there"):
        batch(signal().pipeline, {"others": readings([])})
    with pytest.raises(SignalError, match="readings has no column 'v'"):
        batch(signal().pipeline, {"readings": readings([]).drop_columns(["v"])})


def test_signals_without_groups_and_with_several_keys() -> None:
    table = pa.table({"at": [2, 1], "v": [1.0, 2.0], "x": ["p", "p"], "y": [None, 1]})
    alone = sw.signal("readings", time="at", value="v", period=1)
    assert rows(alone, table) == [(1, 2.0), (2, 1.0)]
    keyed = sw.signal("readings", time="at", value="v", by=["x", "y"], period=1)
    assert sorted(rows(keyed, table), key=str) == [("p", 1, 1, 2.0), ("p", None, 2, 1.0)]
    overlap = pa.concat_tables([table, table])
    assert "x = 'p', y = None" in refusal(keyed, overlap.slice(0, 3).take([0, 2]))


def test_empty_relations_give_empty_results_with_all_columns() -> None:
    made = uniform().window(4).fft().merge("sum")
    found = batch(made.pipeline, {"readings": readings([])})
    assert found.num_rows == 0
    assert found.column_names == ["sensor", "at", "v"]


def test_keys_may_be_dictionaries() -> None:
    table = readings([("b", 3, 1.0), ("a", 5, 2.0), ("b", 1, 3.0)])
    coded = table.set_column(0, "sensor", table["sensor"].dictionary_encode())
    assert sorted(rows(uniform(), coded)) == [("a", 5, 2.0), ("b", 1, 3.0), ("b", 3, 1.0)]
