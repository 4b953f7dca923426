"""Durations and sizes as people write them."""

from __future__ import annotations

import re

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def parse_duration(text: str) -> float:
    """Seconds of a duration; raises `ValueError` for what is none.

    >>> parse_duration("30s"), parse_duration("1.5 h")
    (30.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)", text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write it as 30s, 10m, 2h or 1d")
    return float(match[1]) * _SECONDS[match[2]]


def parse_bytes(text: str) -> int:
    """Bytes of a size; raises `ValueError` for what is none.

    >>> parse_bytes("4g"), parse_bytes("512 MB")
    (4294967296, 536870912)
    """
    match = re.fullmatch(r"([1-9]\d*)\s*([kmgt]?)i?b?", text.strip(), re.IGNORECASE)
    if match is None:
        raise ValueError(f"{text!r} is not a size; write it as 512m or 4g")
    return int(match[1]) * _BYTES[match[2].lower()]
