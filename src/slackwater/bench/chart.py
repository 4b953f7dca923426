"""Draws figures as small line charts in one SVG file, with nothing but text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_COLUMNS = 2
_WIDTH, _HEIGHT = 400, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 34, 28
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}"
    ".title{font-weight:600}.tick{fill:#777;font-size:11px}"
    "line{stroke:#ddd}polyline{fill:none;stroke:#0b62a4;stroke-width:1.5}"
)


@dataclass(frozen=True, slots=True)
class Chart:
    """One line: a value for each place on the horizontal axis."""

    title: str
    points: Sequence[tuple[float, float]]


def draw(charts: Sequence[Chart]) -> str:
    """All charts side by side, as an SVG document; every vertical axis begins at zero."""
    rows = -(-len(charts) // _COLUMNS)
    width, height = _COLUMNS * _WIDTH, rows * _HEIGHT
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, chart in enumerate(charts):
        row, column = divmod(number, _COLUMNS)
        parts.append(f'<g transform="translate({column * _WIDTH},{row * _HEIGHT})">')
        parts += _panel(chart)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _panel(chart: Chart) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    top_value = nice_ceiling(max((y for _, y in chart.points), default=0.0))
    last = max((x for x, _ in chart.points), default=0.0) or 1.0

    def across(x: float) -> float:
        return _LEFT + (right - _LEFT) * x / last

    def down(y: float) -> float:
        return bottom - (bottom - _TOP) * y / top_value

    parts = [f'<text class="title" x="{_LEFT}" y="20">{escape(chart.title)}</text>']
    for value in (0.0, top_value / 2, top_value):
        y = down(value)
        parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_tick(_LEFT - 6, y + 4, value, "end"))
    for value in (0.0, last / 2, last):
        parts.append(_tick(across(value), bottom + 16, value, "middle"))
    line = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in chart.points)
    return [*parts, f'<polyline points="{line}"/>']


def _tick(x: float, y: float, value: float, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="tick" {place}>{value:,.6g}</text>'


def nice_ceiling(value: float) -> float:
    """The next number that is easy to read on an axis.

    >>> nice_ceiling(0.37), nice_ceiling(173), nice_ceiling(0)
    (0.4, 200.0, 1.0)
    """
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    step = next(step for step in (1, 2, 4, 5, 6, 8, 10) if value <= step * unit * (1 + 1e-9))
    return round(step * unit, 12)
