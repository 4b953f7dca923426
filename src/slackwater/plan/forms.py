"""The physical forms of steps, and the choice among them: by price, unless one is insisted on."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from slackwater.errors import SetupError
from slackwater.plan.costs import Sizes, frame_rows, look_up_seconds, scan_seconds
from slackwater.plan.prices import Prices, Rates
from slackwater.plan.program import GatherStep, LookUpStep, Program


class Engine(StrEnum):
    """The engines on which batches and runs are worked."""

    AUTO = "auto"
    """Wherever it is cheaper, by the prices of the installation."""
    DRIVER = "driver"
    """In this process, as far as statements mean the same there as in Spark."""
    SPARK = "spark"
    """In Spark jobs, whatever their size."""


def read_engine(text: str) -> Engine:
    """The engine that a user names."""
    try:
        return Engine(text)
    except ValueError:
        known = ", ".join(Engine)
        raise SetupError(f"there is no engine {text!r}", hint=f"Choose one of: {known}.") from None


class LookUps(Enum):
    """The ways in which Spark finds the stored rows of some keys."""

    AUTO = "auto"
    """Whichever is cheaper."""
    INDEX = "index"
    """Search for the keys in the sorted files."""
    SCAN = "scan"
    """Join with all that is stored, by Spark."""


def read_look_ups(text: str) -> LookUps:
    """The way that a user names."""
    try:
        return LookUps(text)
    except ValueError:
        known = ", ".join(each.value for each in LookUps)
        raise SetupError(f"there are no look-ups {text!r}", hint=f"Write one of {known}.") from None


@dataclass(frozen=True, slots=True)
class Forms:
    """The physical forms that are insisted on, and the prices for choosing the rest."""

    driver_rows: int | None = None
    """Up to how many changed rows a batch or run is worked on by the driver; None: by price."""
    look_ups: LookUps = LookUps.AUTO
    partitions: int | None = None
    """Into how many partitions a run in Spark is divided; None: as many as there is work for."""
    prices: Prices = field(default_factory=Prices)

    @staticmethod
    def on(engine: Engine, prices: Prices) -> Forms:
        """The forms of an engine: without one that is insisted on, prices decide."""
        most = {Engine.AUTO: None, Engine.DRIVER: sys.maxsize, Engine.SPARK: 0}
        return Forms(most[engine], prices=prices)


DEFAULT_FORMS = Forms()


def choose_forms(
    program: Program, sizes: Sizes, rates: Rates, look_ups: LookUps = LookUps.AUTO
) -> frozenset[str]:
    """The steps of a run in Spark that scan state instead of searching in it.

    On the driver searching is cheaper even for all keys there are: both sides are sorted, so
    that it turns into a merge.
    """
    steps = [step for step in program.steps if isinstance(step, LookUpStep | GatherStep)]
    if look_ups is LookUps.AUTO:
        rows = frame_rows(program, sizes)
        steps = [step for step in steps if _scan_is_cheaper(step, rows, sizes, rates)]
    return frozenset(step.name for step in steps if look_ups is not LookUps.INDEX)


def _scan_is_cheaper(
    step: LookUpStep | GatherStep, rows: dict[str, float], sizes: Sizes, rates: Rates
) -> bool:
    stored = sizes.arrangement(step.arrangement.id)
    keys, found = rows[step.input], rows[step.name]
    by_index = look_up_seconds(rates, keys, found, stored)
    return scan_seconds(rates, keys, found, stored) < by_index
