"""The rules that rows of a batch must keep: each once, as Arrow and as Spark find who breaks it.

Rows in memory are judged by Arrow, which only clears them: where it finds a fault, or cannot be
sure to judge as Spark does, Spark looks at the rows and tells which are at fault. So Arrow's form
of a rule flags the very rows that Spark's flags, or `is_exact` says that all are in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column

from slackwater.catalog.source_spec import SourceSpec
from slackwater.sources.batch_layout import BatchOp, Layout
from slackwater.sources.batches import Batch
from slackwater.sources.change_feed import CHANGE_TYPE, CHANGE_WEIGHTS
from slackwater.sources.conversions import Conversion, column_at
from slackwater.sources.inner_nulls import (
    forbids_null_inside,
    null_inside_in_arrow,
    null_inside_in_spark,
    places_never_null,
)
from slackwater.sources.row_weights import weight_in_spark, weights_in_arrow
from slackwater.types import BIGINT, INTEGER, SMALLINT, TINYINT, DataType, ddl, is_floating


@dataclass(frozen=True, slots=True)
class Marks:
    """What says of rows whether they come or go, and whether any may go."""

    layout: Layout
    append_only: bool


Subject = TypeVar("Subject", Marks, Conversion)


@dataclass(frozen=True, slots=True)
class RowRule(Generic[Subject]):
    """Something no row may do: whom it concerns, the message, and who breaks it in both forms."""

    name: str
    what: str
    hint: str
    concerns: Callable[[Subject], bool]
    in_arrow: Callable[[Subject, pa.Table], pa.ChunkedArray]
    """True of the rows that break it; never NULL."""
    in_spark: Callable[[Subject], Column]
    """The same; NULL counts as false."""
    is_exact: Callable[[Subject], bool] = lambda _: True
    """Whether Arrow's form flags just what Spark's does; if not, all rows are in doubt."""


# The forms ----------------------------------------------------------------------------------


def _weights(marks: Marks, table: pa.Table) -> pa.ChunkedArray:
    return weights_in_arrow(marks.layout, table)


def _weight(marks: Marks) -> Column:
    return weight_in_spark(marks.layout)


def _no_weight(marks: Marks, table: pa.Table) -> pa.ChunkedArray:
    return pc.fill_null(pc.equal(_weights(marks, table), 0), True)


def _takes_away(marks: Marks, table: pa.Table) -> pa.ChunkedArray:
    return pc.fill_null(pc.less(_weights(marks, table), 0), False)


def _is_null(column: Conversion, table: pa.Table) -> pa.ChunkedArray:
    return pc.is_null(table.column(column.at))


_BITS: Mapping[DataType, int] = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}


def _beyond(column: Conversion, table: pa.Table) -> pa.ChunkedArray:
    """True of whole numbers that have no place in a narrower type."""
    most, values = 1 << (_BITS[column.declared] - 1), table.column(column.at)
    outside = pc.or_(pc.less(values, -most), pc.greater_equal(values, most))
    return pc.fill_null(outside, False)


def _damaged(column: Conversion) -> Column:
    """True of values that would come out different."""
    source, becomes = column_at(column.at), column.where_it_converts()
    fails = source.isNotNull() & becomes.isNull()
    if is_floating(column.declared):
        # Rounding is what a user asks for who declares a floating column.
        return fails
    return fails | ~becomes.try_cast(ddl(column.given)).eqNullSafe(source)


# The table ----------------------------------------------------------------------------------

MARK_RULES: tuple[RowRule[Marks], ...] = (
    RowRule(
        name="change types are known",
        what=f"{CHANGE_TYPE} is not a type of change",
        hint=f"The types are {', '.join(CHANGE_WEIGHTS)}.",
        concerns=lambda marks: marks.layout.change_type_at is not None,
        in_arrow=lambda marks, table: pc.is_null(_weights(marks, table)),
        in_spark=lambda marks: _weight(marks).isNull(),
    ),
    RowRule(
        name="weights count",
        what="a weight is NULL or 0",
        hint="Write 1 for an inserted row and -1 for a deleted one; leave out what did not change.",
        concerns=lambda marks: marks.layout.weight_at is not None,
        in_arrow=_no_weight,
        in_spark=lambda marks: _weight(marks).isNull() | (_weight(marks) == 0),
    ),
    RowRule(
        name="append-only sources lose nothing",
        what="the source is append-only and the batch deletes rows",
        hint="Leave the deletions out, or create the source without append_only.",
        concerns=lambda marks: marks.append_only and marks.layout.op is BatchOp.CHANGES,
        in_arrow=_takes_away,
        in_spark=lambda marks: _weight(marks) < 0,
    ),
)
COLUMN_RULES: tuple[RowRule[Conversion], ...] = (
    RowRule(
        name="values fit their types",
        what="column {column} has {given} values that do not fit {declared}",
        hint="Round or cut the values yourself, or declare {column} {given}.",
        concerns=lambda column: not column.lossless,
        in_arrow=_beyond,
        in_spark=_damaged,
        is_exact=lambda column: column.is_arrows,
    ),
    RowRule(
        name="keys are complete",
        what="key column {column} is NULL",
        hint="Give every row a complete key.",
        concerns=lambda column: column.in_key,
        in_arrow=_is_null,
        in_spark=lambda column: column_at(column.at).isNull(),
    ),
    RowRule(
        name="NOT NULL is kept",
        what="column {column} is NULL, and the source declares it NOT NULL",
        hint="Fill the column in, or declare it nullable.",
        concerns=lambda column: not column.field.nullable and not column.in_key,
        in_arrow=_is_null,
        in_spark=lambda column: column_at(column.at).isNull(),
    ),
    RowRule(
        name="NOT NULL is kept inside of values",
        what="column {column} holds NULL where its type does not allow it",
        hint="Never NULL are {never_null}.",
        concerns=lambda column: forbids_null_inside(column.declared),
        in_arrow=lambda column, table: null_inside_in_arrow(
            table.column(column.at), column.declared
        ),
        in_spark=lambda column: null_inside_in_spark(column.where_it_converts(), column.declared),
        is_exact=lambda column: column.as_it_is,
    ),
)
"""Most telling first: a row is blamed for one rule only, column by column."""


# Rules and what they are about --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AppliedRule(Generic[Subject]):
    """A rule about the marks or a column of a batch."""

    rule: RowRule[Subject]
    subject: Subject

    @property
    def what(self) -> str:
        """What is wrong with rows that break it."""
        return self.rule.what.format_map(_words(self.subject))

    @property
    def hint(self) -> str:
        """What to do about them."""
        return self.rule.hint.format_map(_words(self.subject))

    @property
    def is_exact(self) -> bool:
        """Whether Arrow's form flags just what Spark's does."""
        return self.rule.is_exact(self.subject)

    def in_arrow(self, table: pa.Table) -> pa.ChunkedArray:
        """True of the rows that break it."""
        return self.rule.in_arrow(self.subject, table)

    def in_spark(self) -> Column:
        """The same; NULL counts as false."""
        return self.rule.in_spark(self.subject)

    def may_be_broken(self, table: pa.Table) -> bool:
        """Whether Arrow finds a row at fault, or cannot be sure of any."""
        if not table.num_rows:
            return False
        return not self.is_exact or bool(pc.any(self.in_arrow(table)).as_py())


AnyRule = AppliedRule[Marks] | AppliedRule[Conversion]


def rules_of(batch: Batch, spec: SourceSpec) -> tuple[AnyRule, ...]:
    """The rules for the rows of a batch; what a row breaks first is what it is blamed for."""
    marks = Marks(batch.layout, spec.append_only)
    return (*_applied(MARK_RULES, marks), *_about_columns(batch.conversions))


def _about_columns(columns: tuple[Conversion, ...]) -> Iterator[AppliedRule[Conversion]]:
    for column in columns:
        yield from _applied(COLUMN_RULES, column)


def _applied(
    rules: tuple[RowRule[Subject], ...], subject: Subject
) -> Iterator[AppliedRule[Subject]]:
    return (AppliedRule(rule, subject) for rule in rules if rule.concerns(subject))


def _words(subject: Marks | Conversion) -> Mapping[str, str]:
    """What a message may name."""
    if isinstance(subject, Marks):
        return {}
    return {
        "column": subject.name,
        "given": subject.given.sql(),
        "declared": subject.declared.sql(),
        "never_null": ", ".join(places_never_null(subject.name, subject.declared)),
    }
