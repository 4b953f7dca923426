"""Opens homes with physical forms that `open` does not offer, for tests and benchmarks."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.api.session import Session, open_with
from slackwater.config import load_settings
from slackwater.engine.options import Options
from slackwater.plan.forms import Forms, read_look_ups
from slackwater.plan.prices import read_prices
from slackwater.state.metadata.collect import Retention


def open_forced(  # noqa: PLR0913 - options by keyword, each with a default
    home: str | Path,
    spark: SparkSession | None = None,
    *,
    driver_rows: int | None = None,
    look_ups: str = "auto",
    partitions: int | None = None,
    retention: Retention | None = None,
) -> Session:
    """Open a home whose runs take the forms that are insisted on.

    Up to `driver_rows` changed rows are worked on by the driver and more in Spark; None is by
    price. Spark finds stored rows by `index` or by `scan`, where `look_ups` is not `auto`, and
    divides its runs into so many `partitions`; by `scan` it takes each step as a statement of its
    own.
    """
    prices = read_prices(load_settings().prices)
    forms = Forms(driver_rows, read_look_ups(look_ups), partitions, prices)
    return open_with(home, spark, Options(retention=retention or Retention(), forms=forms))
