"""The values of event columns: skewed keys, measures, texts and nested values."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Random = np.random.Generator

COUNTRIES: Final = pa.array([f"{a}{b}" for a in "ABCDE" for b in "KLMNOPQRST"])
PLATFORMS: Final = pa.array(["android", "ios", "web"])
KINDS: Final = pa.array(["view", "search", "cart", "purchase", "refund"])
KIND_SHARES: Final = (0.5, 0.2, 0.15, 0.1, 0.05)
SEGMENTS: Final = pa.array(["bronze", "silver", "gold", "trade"])

_WORDS: Final = (
    *("late", "parcel", "Arrived", "in", "good", "order", "the", "label", "was", "torn", "but"),
    *("Support", "answered", "within", "a", "day", "please", "call", "back", "about", "invoice"),
)
_TAGS: Final = ("sale", "new", "gift", "b2b", "bulk", "eco", "mobile", "beta", "return", "vip")
_SECTIONS: Final = ("shop", "blog", "help", "Account", "search")
_SYSTEMS: Final = pa.array(["Android", "iOS", "Windows", "macOS", "Linux"])
_DISTINCT: Final = 20_000
"""Texts are drawn from so many, of which most are different."""
_LISTS: Final = 2_000
_PALETTES: Final = 7
"""The seed of these; it is the same for all logs."""


def skewed(rng: Random, count: int, distinct: int, exponent: float) -> Integers:
    """Numbers below `distinct` of which the n-th is about n^-exponent as frequent as the first."""
    uniform = rng.random(count)
    if exponent == 1.0:
        ranks = np.power(float(distinct + 1), uniform) - 1
    else:
        ranks = distinct * np.power(uniform, 1 / (1 - exponent))
    return np.minimum(ranks.astype(np.int64), distinct - 1)


def cents(amounts: Integers) -> pa.Array:
    """Amounts of money, given in hundredths."""
    whole = pa.array(amounts).cast(pa.decimal128(19, 0))
    hundredth = pa.scalar(Decimal("0.01"), pa.decimal128(3, 2))
    return pc.multiply(whole, hundredth).cast(pa.decimal128(12, 2))


def measures(rng: Random, quantity: Integers) -> dict[str, pa.Array]:
    """Floating-point measures: some are NULL, some a million times as large or as small."""
    count = len(quantity)
    magnitude = rng.choice([1.0, 1e6, 1e-6], count, p=[0.998, 0.001, 0.001])
    amount = rng.lognormal(3.0, 1.5, count) * magnitude
    latency = rng.gamma(2.0, 40.0, count) + 5.0 * quantity
    score = rng.normal(50.0, 15.0, count).astype(np.float32)
    return {
        "amount": pa.array(amount, mask=rng.random(count) < 0.05),
        "latency": pa.array(latency),
        "score": pa.array(score, mask=rng.random(count) < 0.02),
        "ok": pa.array(rng.random(count) < 0.97, mask=rng.random(count) < 0.01),
    }


def texts(rng: Random, count: int) -> dict[str, pa.Array]:
    """Paths, notes of which some are missing, and JSON documents."""
    drawn = {name: _draw(rng, count, each) for name, each in _distinct_texts().items()}
    missing = pa.array(rng.random(count) < 0.1)
    return drawn | {"note": pc.if_else(missing, None, drawn["note"])}


def nested(rng: Random, count: int) -> dict[str, pa.Array]:
    """Lists, some of them empty, and a record."""
    device = [
        _SYSTEMS.take(pa.array(rng.integers(0, len(_SYSTEMS), count))),
        pa.array(rng.integers(1, 20, count).astype(np.int32)),
        pa.array(rng.choice([320.0, 390.5, 768.0, 1280.0, 1920.0], count)),
    ]
    return {
        **{name: _draw(rng, count, each) for name, each in _distinct_lists().items()},
        "device": pa.StructArray.from_arrays(device, ["os", "version", "width"]),
    }


def settings(rng: Random, count: int) -> pa.Array:
    """Maps from text to text."""
    themes, languages = rng.integers(0, 3, count).tolist(), rng.integers(0, 8, count).tolist()
    pairs = [
        [("language", f"l{language}"), ("theme", f"t{theme}")]
        for theme, language in zip(themes, languages, strict=True)
    ]
    return pa.array(pairs, pa.map_(pa.string(), pa.string()))


@cache
def _distinct_texts() -> dict[str, pa.Array]:
    fixed = np.random.default_rng(_PALETTES)
    # One by one, `choice` takes seconds for all of them.
    words = np.array(_WORDS)[fixed.integers(0, len(_WORDS), (_DISTINCT, 8))].tolist()
    lengths = fixed.integers(2, 9, _DISTINCT).tolist()
    notes = [" ".join(each[:length]) for each, length in zip(words, lengths, strict=True)]
    return {
        "path": pa.array([_path(fixed) for _ in range(_DISTINCT)]),
        "note": pa.array(notes),
        "payload": pa.array([_document(fixed) for _ in range(_DISTINCT)]),
    }


@cache
def _distinct_lists() -> dict[str, pa.Array]:
    fixed = np.random.default_rng(_PALETTES + 1)
    tags = [list(fixed.choice(_TAGS, fixed.integers(0, 5), replace=False)) for _ in range(_LISTS)]
    codes = [fixed.integers(0, 100, fixed.integers(0, 6)).tolist() for _ in range(_LISTS)]
    return {
        "tags": pa.array(tags, pa.list_(pa.string())),
        "codes": pa.array(codes, pa.list_(pa.int32())),
    }


def _draw(rng: Random, count: int, palette: pa.Array) -> pa.Array:
    return palette.take(pa.array(rng.integers(0, len(palette), count)))


def _path(fixed: Random) -> str:
    section = _SECTIONS[int(fixed.integers(0, len(_SECTIONS)))]
    return f"/{section}/item-{fixed.integers(0, 500)}?ref=r{fixed.integers(0, 40)}"


def _document(fixed: Random) -> str:
    content: dict[str, Any] = {
        "campaign": f"c{fixed.integers(0, 30)}",
        "position": int(fixed.integers(0, 100)),
        "dwell": round(float(fixed.gamma(2.0, 10.0)), 3),
        "page": {"lang": f"l{fixed.integers(0, 8)}", "ab": "AB"[int(fixed.integers(0, 2))]},
    }
    return json.dumps(content)
