"""The law of signals: one batch equals any division into runs, and a plain oracle.

Divisions are compared bit by bit: every kernel computes a result from the same numbers in the same
order, whatever else its run holds. The oracle computes differently, and is compared to nine digits.
"""

from __future__ import annotations

import io
import os
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from slackwater.signals.operator import Operator
from slackwater.signals.pipeline import Pipeline, advance, batch

from .signals.data import SCHEMA, History, Row, histories, table
from .signals.oracle import evaluate
from .signals.pipelines import NAMED, Case, cases

_EXAMPLES = int(os.environ.get("SLACKWATER_EXAMPLES", "0"))
_PATIENT: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "print_blob": True,
}


@settings(max_examples=_EXAMPLES or 150, derandomize=not _EXAMPLES, **_PATIENT)
@given(st.data())
def test_batch_equals_runs_and_oracle(data: st.DataObject) -> None:
    check(data)


@pytest.mark.deep
@settings(max_examples=_EXAMPLES or 5_000, **_PATIENT)
@given(st.data())
def test_batch_equals_runs_and_oracle_at_length(data: st.DataObject) -> None:
    check(data)


@pytest.mark.parametrize("name", NAMED)
@settings(max_examples=_EXAMPLES or 12, derandomize=not _EXAMPLES, **_PATIENT)
@given(data=st.data())
def test_each_kernel_gives_the_same_bits_in_runs(name: str, data: st.DataObject) -> None:
    check_case(Case(NAMED[name], {"readings": 5}, 20), data, longest=120)


def check(data: st.DataObject) -> None:
    check_case(data.draw(cases(), label="pipeline"), data)


def check_case(case: Case, data: st.DataObject, longest: int = 24) -> None:
    runs = data.draw(st.integers(1, 5), label="runs")
    given_rows = {
        name: data.draw(histories(period, case.lateness, runs, longest), label=name)
        for name, period in case.periods.items()
    }
    pipeline = case.signal.pipeline
    event(type(pipeline.root).__name__)
    whole = {name: table(history.rows) for name, history in given_rows.items()}
    expected = batch(pipeline, whole)
    final, rest = in_runs(pipeline, given_rows, runs)
    assert_same(pa.concat_tables([final, rest]), expected)
    assert_same(final, advance(pipeline, whole).rows)
    assert_close(expected, oracle_rows(case, given_rows))


def in_runs(
    pipeline: Pipeline, given_rows: dict[str, History], runs: int
) -> tuple[pa.Table, pa.Table]:
    """What runs give, and what closing adds; the state is written and read between them."""
    state, found = None, []
    for number in range(runs):
        part = {name: table(each.runs[number]) for name, each in given_rows.items()}
        run = advance(pipeline, part, state)
        assert run.late == 0
        found.append(run.rows)
        state = reread(run.after(state))
    nothing = {name: SCHEMA.empty_table() for name in given_rows}
    return pa.concat_tables(found), advance(pipeline, nothing, state, closing=True).rows


def reread(state: pa.Table) -> pa.Table:
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, state.schema) as writer:
        writer.write_table(state)
    return pa.ipc.open_file(buffer.getvalue()).read_all()


def ordered(rows: pa.Table) -> tuple[list[tuple[Any, ...]], np.ndarray[Any, Any]]:
    """Groups and times in order, and the numbers of every row beside them."""
    rows = rows.sort_by([("sensor", "ascending"), ("at", "ascending")])
    times = [name for name in rows.column_names if name in ("sensor", "at", "at_end")]
    places = list(zip(*(rows[name].to_pylist() for name in times), strict=True))
    values = [name for name in rows.column_names if name not in times]
    columns = [[flat(each) for each in rows[name].to_pylist()] for name in values]
    numbers = [list(chain.from_iterable(row)) for row in zip(*columns, strict=True)]
    return places, np.array(numbers, dtype=np.float64)


def flat(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [value["re"], value["im"]]
    if isinstance(value, list):
        return [number for each in value for number in flat(each)]
    return [value]


def assert_same(actual: pa.Table, expected: pa.Table) -> None:
    assert actual.schema == expected.schema
    (places, numbers), (other_places, other_numbers) = ordered(actual), ordered(expected)
    assert places == other_places
    assert np.array_equal(numbers, other_numbers, equal_nan=True)


def assert_close(actual: pa.Table, expected: list[tuple[Any, ...]]) -> None:
    places, numbers = ordered(actual)
    assert places == [each[:-1] for each in expected]
    others = np.array([each[-1] for each in expected], dtype=np.float64)
    scale = max(1.0, float(np.nanmax(np.abs(others), initial=0.0)))
    np.testing.assert_allclose(numbers, others, rtol=1e-9, atol=1e-9 * scale)


def oracle_rows(case: Case, given_rows: dict[str, History]) -> list[tuple[Any, ...]]:
    root = case.signal.operator
    sensors = sorted({row[0] for each in given_rows.values() for row in each.rows})
    found: list[tuple[Any, ...]] = []
    for sensor in sensors:
        relations = {
            name: [event_of(root, name, row) for row in each.rows if row[0] == sensor]
            for name, each in given_rows.items()
        }
        sampled = root.schema.grid is not None
        for start, end, payload in evaluate(root, relations):
            place = (sensor, start) if sampled else (sensor, start, end)
            numbers = [
                number
                for field in root.schema.fields
                for number in as_doubles(payload[field.name], field.kind.value == "complex")
            ]
            found.append((*place, numbers))
    return found


def as_doubles(value: Any, is_complex: bool) -> list[float]:
    array = np.atleast_1d(value)
    if not is_complex:
        assert not np.iscomplexobj(array) or not np.any(array.imag)
        return [float(each) for each in array.real]
    return [part for each in array for part in (complex(each).real, complex(each).imag)]


def event_of(root: Operator, name: str, row: Row) -> tuple[int, int, dict[str, Any]]:
    source = next(each for each in Pipeline(root).sources if each.relation == name)
    numbers = {"v": row[3], "w": row[4]}
    payload = {
        field.name: numbers[columns[0]] if len(columns) == 1 else complex(row[3], row[4])
        for field, columns in source.payload
    }
    return row[1], row[2], payload
