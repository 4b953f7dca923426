"""What a pipeline means, in plain loops over the events of one group at a time.

It reads the fields of operators and nothing else of theirs: no kernel, no state, no schema.
An event is (start, end, values), values a tuple of numbers or arrays.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.signal

from slackwater.signals.aggregate import Aggregate
from slackwater.signals.custom_filter import CustomFilter
from slackwater.signals.downsample import Downsample
from slackwater.signals.fir import Fir
from slackwater.signals.functional import Functional
from slackwater.signals.iir import Iir
from slackwater.signals.interpolation import Fill, Hold, Linear, Parabola, Step
from slackwater.signals.missing_samples import Break
from slackwater.signals.operator import Operator
from slackwater.signals.sample import Sample
from slackwater.signals.select import Select
from slackwater.signals.shift import Shift
from slackwater.signals.shorten import Shorten
from slackwater.signals.source import Source
from slackwater.signals.stages.correlation import (
    AutoCorrelation,
    CrossCorrelation,
    FieldCorrelation,
)
from slackwater.signals.stages.custom_stage import CustomStage
from slackwater.signals.stages.elementwise import MapElements, Product
from slackwater.signals.stages.fft import Fft, InverseFft, SlidingFft
from slackwater.signals.stages.incremental import CustomIncremental
from slackwater.signals.stages.summary import Summary
from slackwater.signals.stages.taper import Taper
from slackwater.signals.temporal_join import TemporalJoin
from slackwater.signals.where import Where
from slackwater.signals.window import Window

from .oracle_formulas import number

Event = tuple[int, int, dict[str, Any]]
Value = Callable[[int, dict[str, Any]], dict[str, Any]]


class Line:
    """The signal of one group: its events, and their values as functions of time."""

    def __init__(self, events: list[Event], value: Value | None = None) -> None:
        self.events = events
        self.value = value or (lambda _time, payload: payload)


def evaluate(root: Operator, relations: Mapping[str, list[Event]]) -> list[Event]:
    """The events of a pipeline over one group, in order of time."""
    return sorted(_line(root, relations).events, key=lambda event: event[0])


def _line(node: Operator, relations: Mapping[str, list[Event]]) -> Line:
    if isinstance(node, Source):
        return Line(sorted(_present(node, relations.get(node.relation, []))))
    lines = [_line(each, relations) for each in node.inputs]
    return _OPERATORS[type(node)](node, *lines)


def _present(node: Source, events: list[Event]) -> list[Event]:
    def missing(payload: dict[str, Any]) -> bool:
        return any(cmath.isnan(each) for each in payload.values())

    if node.policy.missing.value == "drop":
        return [event for event in events if not missing(event[2])]
    if node.policy.missing.value == "zero":
        return [
            (start, end, {k: 0.0 if cmath.isnan(v) else v for k, v in payload.items()})
            for start, end, payload in events
        ]
    return events


# Events -------------------------------------------------------------------------------------


def _where(node: Where, line: Line) -> Line:
    return Line([each for each in line.events if number(node.condition, each[2], each[0])])


def _select(node: Select, line: Line) -> Line:
    def chosen(time: int, payload: dict[str, Any]) -> dict[str, Any]:
        before = line.value(time, payload)
        return {name: number(formula, before, time) for name, formula in node.outputs}

    if node.input.schema.functions:
        return Line(line.events, chosen)
    return Line([(start, end, chosen(start, payload)) for start, end, payload in line.events])


def _functional(node: Functional, line: Line) -> Line:
    return Line(
        line.events,
        lambda time, payload: {
            name: number(formula, payload, time) for name, formula in node.functions
        },
    )


def _shift(node: Shift, line: Line) -> Line:
    events = [(start + node.by, end + node.by, payload) for start, end, payload in line.events]
    return Line(events, lambda time, payload: line.value(time - node.by, payload))


def _shorten(node: Shorten, line: Line) -> Line:
    events = [(start, min(end, start + node.ticks), payload) for start, end, payload in line.events]
    return Line(events, line.value)


def _join(_node: TemporalJoin, left: Line, right: Line) -> Line:
    pairs: list[Event] = []
    for a, b, one in left.events:
        for c, d, other in right.events:
            if max(a, c) < min(b, d):
                pairs.append((max(a, c), min(b, d), {"left": one, "right": other}))

    def both(time: int, pair: dict[str, Any]) -> dict[str, Any]:
        one, other = left.value(time, pair["left"]), right.value(time, pair["right"])
        return {
            **{f"left_{name}": value for name, value in one.items()},
            **{f"right_{name}": value for name, value in other.items()},
        }

    if _node.left.schema.functions or _node.right.schema.functions:
        return Line(pairs, both)
    return Line([(start, end, both(start, pair)) for start, end, pair in pairs])


# Samples ------------------------------------------------------------------------------------


def _sample(node: Sample, line: Line) -> Line:
    period, offset = node.grid.period, node.grid.offset
    points: list[tuple[int, dict[str, Any]]] = []
    for start, end, payload in sorted(line.events, key=lambda event: event[0]):
        inner = [t for t in range(start + 1, end - 1) if (t - offset) % period == 0]
        points += [(t, line.value(t, payload)) for t in dict.fromkeys([start, *inner, end - 1])]
    found = {time: values for time, values in points if (time - offset) % period == 0}
    if node.interpolation is not None:
        for at, (time, values) in enumerate(points):
            after = points[at + 1][0] if at + 1 < len(points) else None
            window = node.interpolation.window
            if isinstance(node.interpolation, Fill | Hold):
                assert window is not None
                last = time + window if after is None else min(time + window, after - 1)
                for t in _beats(time + 1, last, period, offset):
                    fill = getattr(node.interpolation, "value", None)
                    found[t] = {k: v if fill is None else fill for k, v in values.items()}
            elif after is not None:
                reads = points[max(at + 2 - node.interpolation.points, 0) : at + 2]
                whole = len(reads) == node.interpolation.points
                if whole and (window is None or after - reads[0][0] <= window):
                    for t in _beats(time + 1, after - 1, period, offset):
                        found[t] = {
                            name: _between(node, t, [(a, v[name]) for a, v in reads])
                            for name in values
                        }
    return Line([(t, t + 1, found[t]) for t in sorted(found)])


def _beats(first: int, last: int, period: int, offset: int) -> list[int]:
    return [t for t in range(first, last + 1) if (t - offset) % period == 0]


def _between(node: Sample, t: int, points: list[tuple[int, Any]]) -> Any:
    policy = node.interpolation
    if isinstance(policy, Step):
        return points[0][1]
    if isinstance(policy, Linear | Parabola):
        total: Any = 0
        for a, value in points:
            weight = 1.0
            for b, _ in points:
                if b != a:
                    weight *= (t - b) / (a - b)
            total += weight * value
        return total
    origin = points[-2][0]
    return policy.function(  # type: ignore[union-attr]
        np.array([float(t - origin)]),
        np.array([[float(a - origin) for a, _ in points]]),
        np.array([[value for _, value in points]]),
    )[0]


def _downsample(node: Downsample, line: Line) -> Line:
    grid = node.input.schema.grid
    assert grid is not None
    return Line([e for e in line.events if (e[0] - grid.offset) // grid.period % node.factor == 0])


# Windows ------------------------------------------------------------------------------------


class Dense:
    """A stretch: its first beat, and the values of each field without holes."""

    def __init__(self, first: int, columns: dict[str, list[Any]], padding: int) -> None:
        self.first = first - padding
        self.columns = {name: [0.0] * padding + values for name, values in columns.items()}
        self.last = self.first + len(next(iter(self.columns.values()))) - 1

    def window(self, end: int, size: int) -> dict[str, Any] | None:
        at = end - size + 1 - self.first
        if at < 0 or end > self.last:
            return None
        return {name: np.array(values[at : at + size]) for name, values in self.columns.items()}


def _stretches(node: Any, line: Line, padding: int) -> list[Dense]:
    grid = node.input.schema.grid
    limit = 0 if isinstance(node.missing, Break) else node.missing.limit
    found: list[Dense] = []
    columns: dict[str, list[Any]] = {}
    first = last = None
    for time, _, payload in line.events:
        beat = (time - grid.offset) // grid.period
        if last is None or beat - last - 1 > limit:
            if first is not None:
                found.append(Dense(first, columns, padding))
            first, columns = beat, {name: [] for name in payload}
        else:
            for values in columns.values():
                values.extend([0.0] * (beat - last - 1))
        for name, value in payload.items():
            columns[name].append(value)
        last = beat
    if first is not None:
        found.append(Dense(first, columns, padding))
    return found


def _windows(node: Any, line: Line, size: int, hop: int) -> list[tuple[int, dict[str, Any]]]:
    """The last beat of each window, and its numbers."""
    padding = 0 if isinstance(node.missing, Break) else size - 1
    found = []
    for dense in _stretches(node, line, padding):
        for end in range(dense.first, dense.last + 1):
            rows = dense.window(end, size)
            if (end + 1) % hop == 0 and rows is not None:
                found.append((end, rows))
    return found


def _at(node: Any, beats: list[tuple[int, dict[str, Any]]]) -> Line:
    grid = node.input.schema.grid
    times = [(beat * grid.period + grid.offset, values) for beat, values in beats]
    return Line([(time, time + 1, values) for time, values in times])


def _fir(node: Fir, line: Line) -> Line:
    taps = np.array(node.taps)
    rows = _windows(node, line, len(taps), 1)
    return _at(
        node, [(end, {k: (x[::-1] * taps).sum() for k, x in each.items()}) for end, each in rows]
    )


def _iir(node: Iir, line: Line) -> Line:
    found = []
    for dense in _stretches(node, line, 0):
        filtered = {
            name: scipy.signal.lfilter(node.forward, node.backward, np.array(values))
            for name, values in dense.columns.items()
        }
        for at in range(dense.last - dense.first + 1):
            found.append((dense.first + at, {k: values[at] for k, values in filtered.items()}))
    return _at(node, found)


def _custom_filter(node: CustomFilter, line: Line) -> Line:
    found = []
    padding = 0 if isinstance(node.missing, Break) else node.forward - 1
    for dense in _stretches(node, line, padding):
        results: dict[str, list[Any]] = {name: [0.0] * node.backward for name in dense.columns}
        for end in range(dense.first, dense.last + 1):
            rows = dense.window(end, node.forward)
            if rows is None:
                continue
            for name, values in results.items():
                back = np.array(values[len(values) - node.backward :])
                values.append(node.function(rows[name][None], back[None])[0])
            found.append((end, {name: values[-1] for name, values in results.items()}))
    return _at(node, found)


_AGGREGATES: dict[str, Callable[[Any], Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "min": np.min,
    "max": np.max,
    "energy": lambda x: (np.abs(x) ** 2).sum(),
    "power": lambda x: (np.abs(x) ** 2).mean(),
    "rms": lambda x: np.sqrt((np.abs(x) ** 2).mean()),
    "deviation": np.std,
}


def _aggregate(node: Aggregate, line: Line) -> Line:
    function = node.function
    rows = _windows(node, line, node.size, node.hop)
    by_row = (lambda x: function(x[None])[0]) if callable(function) else _AGGREGATES[node.name]
    return _at(node, [(end, {k: by_row(x) for k, x in each.items()}) for end, each in rows])


def _stage(stage: Any, x: Any) -> Any:
    if isinstance(stage, Fft | SlidingFft):
        return np.fft.fft(x)
    if isinstance(stage, InverseFft):
        return np.fft.ifft(x)
    if isinstance(stage, Taper):
        shape = stage.shape.value if stage.beta is None else (stage.shape.value, stage.beta)
        return x * scipy.signal.get_window(shape, len(x))
    if isinstance(stage, AutoCorrelation):
        return np.correlate(x, x, "full")
    if isinstance(stage, CrossCorrelation):
        return np.correlate(x, np.array(stage.vector), "full")
    if isinstance(stage, Product):
        return x * np.array(stage.vector)
    if isinstance(stage, MapElements):
        return np.array([number(stage.formula, {"x": each}, 0) for each in x])
    if isinstance(stage, Summary):
        return _AGGREGATES[stage.function.value](x)
    if isinstance(stage, CustomIncremental):
        return stage.recompute(x[None])[0]
    assert isinstance(stage, CustomStage)
    return stage.function(x[None])[0]


def _window(node: Window, line: Line) -> Line:
    windows = _windows(node, line, node.size, node.hop)
    found = [(end, _through(node.stages, rows)) for end, rows in windows]
    return _at(node, found if node.merge is None else _merged(node.merge.value, found))


def _through(stages: Any, rows: dict[str, Any]) -> dict[str, Any]:
    for stage in stages:
        if isinstance(stage, FieldCorrelation):
            rows = {stage.name: np.correlate(rows[stage.left], rows[stage.right], "full")}
        else:
            rows = {name: _stage(stage, x) for name, x in rows.items()}
    return rows


def _merged(merge: str, found: list[tuple[int, Any]]) -> list[tuple[int, dict[str, Any]]]:
    beats: dict[int, dict[str, list[Any]]] = {}
    for end, rows in found:
        for name, x in rows.items():
            for at, value in enumerate(x):
                place = beats.setdefault(end - len(x) + 1 + at, {})
                place.setdefault(name, []).append(value)
    return [
        (beat, {name: _AGGREGATES[merge](np.array(values)) for name, values in beats[beat].items()})
        for beat in sorted(beats)
    ]


_OPERATORS: dict[type[Operator], Callable[..., Line]] = {
    Where: _where,
    Select: _select,
    Functional: _functional,
    Shift: _shift,
    Shorten: _shorten,
    TemporalJoin: _join,
    Sample: _sample,
    Downsample: _downsample,
    Fir: _fir,
    Iir: _iir,
    CustomFilter: _custom_filter,
    Aggregate: _aggregate,
    Window: _window,
}
