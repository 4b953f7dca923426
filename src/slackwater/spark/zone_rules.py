"""The rules of a session's time zone, as the Java that Spark runs in has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

_DAY = 86_400
_CYCLE_YEARS = 400
"""The years after which the calendar and its weekdays repeat."""


@dataclass(frozen=True, slots=True)
class Transition:
    """An instant, in seconds since 1970, at which the offset changes."""

    second: int
    offset: int
    """The offset from then on."""


@dataclass(frozen=True, slots=True)
class ZoneRules:
    """Offsets from UTC in seconds: one for all times, or those between transitions."""

    offset: int
    """The offset before the first transition."""
    transitions: tuple[Transition, ...] = ()
    repeats_from: int | None = None
    """The second from which on a cycle of the calendar is like the one before it."""


def read_zone_rules(session: SparkSession) -> ZoneRules:
    """The rules that hold in a session."""
    jvm: Any = session._jvm
    name = str(session.conf.get("spark.sql.session.timeZone"))
    rules = jvm.org.apache.spark.sql.catalyst.util.DateTimeUtils.getZoneId(name).getRules()
    offset = rules.getOffset(jvm.java.time.Instant.MIN).getTotalSeconds()
    known = [
        Transition(each.toEpochSecond(), each.getOffsetAfter().getTotalSeconds())
        for each in rules.getTransitions()
    ]
    lasting = [
        (rule, rule.getOffsetAfter().getTotalSeconds()) for rule in rules.getTransitionRules()
    ]
    if not lasting:
        return ZoneRules(offset, tuple(known))
    last = rules.getTransitions()[len(known) - 1].getDateTimeBefore().getYear()
    years = range(last + 1, last + _CYCLE_YEARS + 2)
    later = [
        Transition(rule.createTransition(year).toEpochSecond(), after)
        for year in years
        for rule, after in lasting
    ]
    # By then all transitions that the first days of a cycle may have are behind.
    repeats = jvm.java.time.LocalDate.of(years[-1], 1, 3).toEpochDay() * _DAY
    return ZoneRules(offset, tuple(known + later), repeats)
