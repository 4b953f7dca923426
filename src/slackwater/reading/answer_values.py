"""The first rows of an answer as values that Python and JSON know."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import BinaryType, DecimalType


@dataclass(frozen=True, slots=True)
class Answer:
    """Some rows of a view: as JSON values, or as texts for a reader."""

    view: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    complete: bool


def fetch_answer(view: str, frame: DataFrame, limit: int, *, as_json: bool) -> Answer:
    """The first rows of an answer; Python knows not every type of Spark's, so Spark writes them."""
    columns = tuple((f.name, f.dataType.simpleString().upper()) for f in frame.schema.fields)
    types = [field.dataType for field in frame.schema.fields]
    few = frame.toDF(*(f"c{at}" for at in range(len(types)))).limit(limit + 1)
    if as_json:
        exact = [
            sf.col(f"c{at}").cast("string") if isinstance(dtype, DecimalType) else sf.col(f"c{at}")
            for at, dtype in enumerate(types)
        ]
        values = sf.struct(*(each.alias(f"c{at}") for at, each in enumerate(exact)))
        lines = few.select(sf.to_json(values, {"ignoreNullFields": "false"})).collect()
        rows = [tuple(json.loads(line[0]).values()) for line in lines]
    else:
        texts = [_text(f"c{at}", isinstance(d, BinaryType)) for at, d in enumerate(types)]
        rows = [tuple(row) for row in few.select(*texts).collect()]
    return Answer(view, columns, tuple(rows[:limit]), complete=len(rows) <= limit)


def _text(name: str, binary: bool) -> Column:
    return sf.hex(name) if binary else sf.col(name).cast("string")
