"""Seconds that pieces of work take on an installation; `slackwater calibrate` measures them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from slackwater.errors import SetupError

DRIVER, SPARK = "driver", "spark"
"""The names of the engines."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Seconds per piece of work in one place."""

    start: float
    """A run, whatever it does; in Spark, a job."""
    step: float
    """A statement, whatever its rows; in Spark, planning it and running its stage."""
    row: float
    """A row that a statement reads."""
    byte: float
    """A byte of stored rows that is read from one end to the other."""
    file: float
    """A file in which keys are looked up."""
    key: float
    """A key that is looked up."""
    match: float
    """A row that is found under a key."""
    write: float
    """A row of state that is written."""
    engine: str = ""
    """The place's name, under which runs note what they observe."""

    def with_cores(self, times: float) -> Rates:
        """The rates where so many times as many cores share the rows."""
        each = {
            name: getattr(self, name) / times for name in ("row", "byte", "key", "match", "write")
        }
        return replace(self, **each)


@dataclass(frozen=True, slots=True)
class Prices:
    """Rates on the driver, and in Spark with so many cores."""

    driver: Rates = field(
        default=Rates(
            start=0.0,
            step=0.003,
            row=2e-8,
            byte=1e-10,
            file=6e-4,
            key=6e-7,
            match=6e-8,
            write=1.4e-7,
            engine=DRIVER,
        )
    )
    spark: Rates = field(
        default=Rates(
            start=0.1,
            step=0.1,
            row=1.6e-8,
            byte=3e-9,
            file=1e-3,
            key=1.7e-6,
            match=1.6e-7,
            write=9e-7,
            engine=SPARK,
        )
    )
    cores: int = 2
    stage: float = 0.06
    """Seconds of each stage of a job in which tasks take blocks of a program."""
    moved: float = 1e-8
    """Seconds of a byte that goes from one block to the next, on all cores."""

    def in_tasks(self, cores: int) -> Rates:
        """The driver's rates where tasks on so many cores do its work side by side.

        Statements use all cores on the driver too.
        """
        shared = self.driver.with_cores(cores)
        row = self.driver.row * self.cores / cores
        return replace(shared, start=self.spark.start, row=row, engine=SPARK)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        content = asdict(self)
        for place in (DRIVER, SPARK):
            del content[place]["engine"]
        return content


def read_prices(path: Path) -> Prices:
    """The prices in a file; the defaults if there is none."""
    if not path.exists():
        return Prices()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        driver, spark = (_rates(found[place], place) for place in (DRIVER, SPARK))
        others = {name: _price(found[name]) for name in ("stage", "moved") if name in found}
        return Prices(driver, spark, int(found["cores"]), **others)
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise SetupError(
            f"these are not prices: {problem}",
            where=str(path),
            hint="Delete the file, or make it anew with `slackwater calibrate`.",
        ) from None


def _rates(found: Mapping[str, object], engine: str) -> Rates:
    return Rates(**{name: _price(value) for name, value in found.items()}, engine=engine)


def _price(value: object) -> float:
    found = float(str(value))
    if not 0 <= found < math.inf:
        raise ValueError("a price is below zero or no number")
    return found


def write_prices(path: Path, prices: Prices) -> None:
    """Keep prices for everything that opens a home from now on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(json.dumps(prices.as_dict(), indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)
