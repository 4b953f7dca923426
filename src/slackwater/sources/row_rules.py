"""The rules that each row of a batch must keep, as conditions for Spark to evaluate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from slackwater.catalog.source_spec import SourceSpec
from slackwater.sources.batch_layout import BatchOp
from slackwater.sources.batches import Batch
from slackwater.sources.change_feed import CHANGE_TYPE, CHANGE_WEIGHTS
from slackwater.sources.conversions import Conversion, column_at


@dataclass(frozen=True, slots=True)
class Rule:
    """Something no row may do: a condition that is true of the rows that do, and the message."""

    broken: Column
    what: str
    hint: str


def row_rules(batch: Batch, spec: SourceSpec) -> tuple[Rule, ...]:
    """The rules for the rows of a batch, most telling first: a row is blamed for one only."""
    return (*_mark_rules(batch, spec), *_value_rules(batch, spec))


def key_rule(op: BatchOp) -> tuple[str, str]:
    """What is wrong, and what to do, where the rows of one key are more than one."""
    if op is BatchOp.UPSERT:
        return "the upsert has more than one row for a key", "Keep the last row of each key."
    if op in (BatchOp.DELETE, BatchOp.DELETE_KEYS):
        return "the batch deletes a key more than once", "Name each key once."
    return (
        "the changes of a key add up to more than one row",
        "A key holds one row: delete the old one in the same batch, or use op='upsert'.",
    )


def null_inside_possible(dtype: DataType) -> bool:
    """Whether the type forbids NULL anywhere inside its values."""
    if isinstance(dtype, ArrayType):
        return not dtype.containsNull or null_inside_possible(dtype.elementType)
    if isinstance(dtype, MapType):
        return (
            not dtype.valueContainsNull
            or null_inside_possible(dtype.keyType)
            or null_inside_possible(dtype.valueType)
        )
    if isinstance(dtype, StructType):
        return any(not each.nullable or null_inside_possible(each.dataType) for each in dtype)
    return False


def null_inside(value: Column, dtype: DataType) -> Column | None:
    """True of values that hold NULL where their type forbids it; None if it forbids it nowhere."""
    if isinstance(dtype, ArrayType):
        return _in_elements(value, dtype.elementType, nullable=dtype.containsNull)
    if isinstance(dtype, MapType):
        nullable = dtype.valueContainsNull
        return _either(
            _in_elements(sf.map_keys(value), dtype.keyType, nullable=True),
            _in_elements(sf.map_values(value), dtype.valueType, nullable=nullable),
        )
    if isinstance(dtype, StructType):
        faults = (_null_or_inside(value.getField(f.name), f) for f in dtype.fields)
        fault = _either(*faults)
        return None if fault is None else value.isNotNull() & fault
    return None


def _mark_rules(batch: Batch, spec: SourceSpec) -> Iterator[Rule]:
    layout = batch.layout
    weight = batch.given_weight()
    if layout.change_type_at is not None:
        known = column_at(layout.change_type_at).isin(*CHANGE_WEIGHTS)
        yield Rule(
            ~sf.coalesce(known, sf.lit(False)),
            f"{CHANGE_TYPE} is not a type of change",
            f"The types are {', '.join(CHANGE_WEIGHTS)}.",
        )
    if layout.weight_at is not None:
        yield Rule(
            weight.isNull() | (weight == 0),
            "a weight is NULL or 0",
            "Write 1 for an inserted row and -1 for a deleted one; leave out what did not change.",
        )
    if spec.append_only and batch.op is BatchOp.CHANGES:
        yield Rule(
            weight < 0,
            "the source is append-only and the batch deletes rows",
            "Leave the deletions out, or create the source without append_only.",
        )


def _value_rules(batch: Batch, spec: SourceSpec) -> Iterator[Rule]:
    for conversion, field in zip(batch.conversions, batch.layout.fields, strict=True):
        yield from _fitting_rule(conversion)
        yield from _null_rules(conversion, field, spec)


def _fitting_rule(conversion: Conversion) -> Iterator[Rule]:
    loss = conversion.loss()
    if loss is not None:
        given, declared = conversion.given.simpleString(), conversion.declared.simpleString()
        yield Rule(
            loss,
            f"column {conversion.name} has {given.upper()} values that do not fit "
            f"{declared.upper()}",
            f"Round or cut the values yourself, or declare {conversion.name} {given.upper()}.",
        )


def _null_rules(conversion: Conversion, field: StructField, spec: SourceSpec) -> Iterator[Rule]:
    value = conversion.safe_column()
    if field.name in spec.key:
        yield Rule(
            value.isNull(), f"key column {field.name} is NULL", "Give every row a complete key."
        )
    elif not field.nullable:
        yield Rule(
            value.isNull(),
            f"column {field.name} is NULL, and the source declares it NOT NULL",
            "Fill the column in, or declare it nullable.",
        )
    inside = null_inside(value, field.dataType)
    if inside is not None:
        yield Rule(
            inside,
            f"column {field.name} holds NULL where its type does not allow it",
            f"Its type is {field.dataType.json()}.",
        )


def _in_elements(values: Column, dtype: DataType, *, nullable: bool) -> Column | None:
    if nullable and null_inside(sf.lit(None), dtype) is None:
        return None
    return sf.exists(values, _fault_finder(dtype, nullable=nullable))


def _fault_finder(dtype: DataType, *, nullable: bool) -> Callable[[Column], Column]:
    def finds(element: Column) -> Column:
        inside = null_inside(element, dtype)
        fault = _either(None if nullable else element.isNull(), inside)
        return sf.lit(False) if fault is None else sf.coalesce(fault, sf.lit(False))

    return finds


def _null_or_inside(value: Column, field: StructField) -> Column | None:
    return _either(None if field.nullable else value.isNull(), null_inside(value, field.dataType))


def _either(*faults: Column | None) -> Column | None:
    """True where one of the faults is; NULL counts as false."""
    found = [sf.coalesce(fault, sf.lit(False)) for fault in faults if fault is not None]
    if not found:
        return None
    either = found[0]
    for fault in found[1:]:
        either = either | fault
    return either
