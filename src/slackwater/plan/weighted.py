"""Relations with weights: trees whose last column says how often a row was added or taken away.

The columns before it are those of a relation, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import Aggregate, Filter, Generate, Project, Scan, Union
from slackwater.algebra.rel import Rel
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import case, differs, number, with_type
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, Expr, Literal
from slackwater.plan.frames import WEIGHT, Frame, Fresh, read_rows
from slackwater.types import (
    CALENDAR_INTERVAL,
    STRING,
    VARIANT,
    DataType,
    MapType,
    OpaqueType,
    is_collated,
    is_floating,
    parts_of,
    without_collation,
)


def read_changes(rel: Rel, frame: Frame, fresh: Fresh, weight: str = WEIGHT) -> Scan:
    """A frame with changes of a relation, under the relation's columns and a weight."""
    return read_rows(rel, frame, fresh.weight(weight))


def weight_of(table: Rel) -> Column:
    """The column with the weight."""
    return table.columns[-1]


def reweighted(table: Rel, columns: Sequence[Column], weight: Expr, fresh: Fresh) -> Project:
    """Some columns of a relation with another weight."""
    return Project(table, (*map(pass_through, columns), *fresh.outputs((weight,))))


def counted_once(table: Rel, fresh: Fresh) -> Project:
    """Rows without a weight as rows that were added."""
    return reweighted(table, table.columns, number(1), fresh)


def negated(table: Rel, fresh: Fresh) -> Project:
    """Changes that undo others."""
    weight = call("negative", weight_of(table).ref())
    return reweighted(table, table.columns[:-1], weight, fresh)


def added(tables: Sequence[Rel], fresh: Fresh) -> Rel:
    """All rows of several relations whose columns agree."""
    if len(tables) == 1:
        return tables[0]
    output = (
        fresh.column(same[0].name, same[0].dtype, nullable=any(column.nullable for column in same))
        for same in zip(*(table.columns for table in tables), strict=True)
    )
    return Union(tuple(tables), tuple(output))


def difference(new: Rel, old: Rel, fresh: Fresh) -> Rel:
    """The changes that turn the old rows into the new ones."""
    return added((new, negated(old, fresh)), fresh)


def consolidated(table: Rel, fresh: Fresh, *, first: bool = False) -> Rel:
    """The net changes: equal rows added up, zeros left out.

    Rows that Spark cannot group stay as they come; whoever keeps them adds them up. With
    `first` they too are added up, by values in forms that it can group, and nothing that reads
    the result is computed before: Spark moves conditions ahead of a grouping, but only those
    that read the grouping columns themselves.
    """
    columns, weight = table.columns[:-1], weight_of(table)
    fits = _has_form if first else adds_up
    if not all(fits(column.dtype) for column in columns):
        return table
    (total,) = fresh.outputs((aggregate("sum", weight.ref()),))
    if not columns:
        present = call("coalesce", total.column.ref(), number(0))
        return Filter(Aggregate(table, (), (total,)), differs(present, number(0)))
    keys: list[Output] = []
    shown: list[Output] = []
    values: list[Column] = []
    for column in columns:
        found = _keys(column)
        if found == (column.ref(),) and not first:
            keys.append(pass_through(column))
            values.append(column)
        else:
            keys += fresh.outputs(found)
            shown += fresh.outputs((aggregate("first", column.ref()),))
            values.append(shown[-1].column)
    groups = Aggregate(table, tuple(keys), (*shown, total))
    net = Filter(groups, differs(total.column.ref(), number(0)))
    return Project(net, tuple(map(pass_through, (*values, total.column))))


def _keys(column: Column) -> tuple[Expr, ...]:
    """The keys that group a column so that only rows with the very same value are added up.

    -0.0 and 0.0 are one value to GROUP BY, and texts that their collation calls equal, but rows
    that differ in them are different rows.
    """
    value, dtype = column.ref(), column.dtype
    keys: list[Expr] = [value] if adds_up(dtype) else [*_form(value)]
    if is_floating(dtype):
        zero = call("=", value, Literal("0", dtype))
        keys.append(case(zero, call("bits_of", value)))
    elif adds_up(dtype) and any(map(is_floating, parts_of(dtype))):
        keys.append(Cast(value, STRING))
    if adds_up(dtype) and is_collated(dtype):
        keys.append(Cast(value, without_collation(dtype)))
    return tuple(keys)


def _has_form(dtype: DataType) -> bool:
    """Whether Spark groups values of the type, as they are or in another form."""
    parts = parts_of(dtype)
    inside = any(isinstance(part, OpaqueType) or part == VARIANT for part in parts)
    return adds_up(dtype) or dtype == VARIANT or not inside


def _form(value: Expr) -> tuple[Expr, ...]:
    """Forms that differ for different values of a type that Spark cannot group by."""
    if value.dtype == VARIANT:
        kind = with_type(call("schema_of_variant", value), STRING)
        return call("to_json", value), kind
    text = Cast(value, STRING)
    # The text of a map does not say where a key ends.
    return (text,) if value.dtype == CALENDAR_INTERVAL else (call("hash_form", value), text)


def repeated(table: Rel, fresh: Fresh) -> Rel:
    """Rows without weights, each as often as its weight says; those that are gone are left out."""
    weight = weight_of(table).ref()
    present = Filter(table, call(">", weight, number(0)))
    copies = call("explode", call("sequence", number(1), weight))
    copied = Generate(present, copies, False, (fresh.column("copy"),))
    return Project(copied, tuple(map(pass_through, present.columns[:-1])))


def groupable(dtype: DataType) -> bool:
    """Whether Spark groups values of the type, and only equal ones: the sign of zeros aside."""
    return adds_up(dtype) and not is_collated(dtype)


def adds_up(dtype: DataType) -> bool:
    """Whether Spark groups values of the type, so that rows which hold them can be added up."""
    unfit = (CALENDAR_INTERVAL, VARIANT)
    parts = parts_of(dtype)
    return not any(isinstance(part, MapType | OpaqueType) or part in unfit for part in parts)
