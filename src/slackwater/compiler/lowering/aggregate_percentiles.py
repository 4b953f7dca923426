"""Lowers percentiles: counts by bucket say which values of a group must be read.

A group has 3 values in bucket 7 and 5 in bucket 9. Its median is between the values of
ranks 3 and 4, which are the first two of bucket 9; nothing of bucket 7 is read.
"""

from __future__ import annotations

from slackwater.algebra.columns import Column, Output, pass_through
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Project,
    Window,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.aggregate_sums import same_group
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes, settled_changes
from slackwater.errors import InvariantError
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import all_of, any_of, case, cast, is_known, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import (
    BoundKind,
    Expr,
    FrameBound,
    FrameUnit,
    Literal,
    SortKey,
    WindowCall,
)
from slackwater.expr.nodes import (
    Frame as WindowFrame,
)
from slackwater.optimizer.rules.im1.aggregate_percentiles import (
    answers,
    bucket_counts,
    bucket_of,
    bucket_values,
    hash_of_bucket,
)
from slackwater.optimizer.rules.percentiles import Percentiles, percentiles_of
from slackwater.plan.frames import (
    HASH,
    STORED_WEIGHT,
    WEIGHT,
    Frame,
    Fresh,
    read_rows,
)
from slackwater.plan.weighted import (
    added,
    consolidated,
    counted_once,
    difference,
    read_changes,
    weight_of,
)
from slackwater.types import DOUBLE, is_floating

_BEFORE, _REACHED, _TOTAL, _VALUE = "_before", "_reached", "_total", "_value"
"""Numbers of values of a group: before some, up to their end, and in all."""
_SO_FAR = WindowFrame(
    FrameUnit.ROWS,
    FrameBound(BoundKind.UNBOUNDED_PRECEDING),
    FrameBound(BoundKind.CURRENT_ROW),
)


class LowerPercentiles(Lowering[Aggregate]):
    """D(percentiles(R)): the values of the buckets that hold the wanted ranks are read.

    The counts of the touched groups are read and moved. They say which buckets hold the ranks;
    the values of these are looked up, and those that arrive or go in this run added.
    """

    def delta(self, rel: Aggregate, builder: Builder) -> Frame | None:
        """The answers of the touched groups as they are, less as they were."""
        changes = settled_changes(rel, builder)
        if changes is None:
            return None
        found, fresh = wanted_of(rel), Fresh(rel, rel.input)
        changed = _counted(found, read_changes(rel.input, changes, fresh), fresh)
        counted = builder.compute(rel, "counts_changed", changed, _count_names(rel))
        builder.append(bucket_counts(rel), counted)
        touched = _touched(rel, counted, builder)
        counts = _counts_now(rel, counted, touched, builder)
        values = _values(found, _holding(found, counts, builder), changes, builder)
        now = _answers_now(found, counts, values, builder)
        old = _answers_before(rel, touched, builder)
        both = difference(read_changes(rel, now, fresh), read_changes(rel, old, fresh), fresh)
        return compute_changes(rel, "delta", consolidated(both, fresh), builder)

    def state_rows(self, rel: Aggregate, builder: Builder) -> Frame:
        """The counts of all buckets, from scratch."""
        found, fresh = wanted_of(rel), Fresh(rel, rel.input)
        rows = counted_once(read_rows(rel.input, builder.rows(rel.input)), fresh)
        return builder.compute(rel, "counts", _counted(found, rows, fresh), _count_names(rel))


def wanted_of(rel: Aggregate) -> Percentiles:
    """The percentiles of an aggregate that has no other outputs."""
    found = percentiles_of(rel)
    if isinstance(found, str):
        raise InvariantError(f"no percentiles: {found}")
    return found


def _count_names(rel: Aggregate) -> tuple[str, ...]:
    return (*bucket_counts(rel).columns, WEIGHT)


def _counted(found: Percentiles, table: Rel, fresh: Fresh) -> Rel:
    """Changes of the counts by group and bucket, of weighted rows of the input.

    A bucket with as many values as before is among them: its values may be others.
    """
    keys = fresh.outputs((*(key.expr for key in found.rel.keys), bucket_of(found.value)))
    (total,) = fresh.outputs((aggregate("sum", weight_of(table).ref()),))
    return Aggregate(table, keys, (total,))


def _touched(rel: Aggregate, counted: Frame, builder: Builder) -> Frame:
    """The hashes of the groups whose counts may change."""
    fresh = Fresh(rel)
    table = fresh.scan(counted)
    hashes = fresh.outputs((bucket_counts(rel).hash_of(table.columns[:-1]),))
    return builder.compute(rel, "touched", Distinct(Project(table, hashes)), (HASH,))


def _counts_now(rel: Aggregate, counted: Frame, touched: Frame, builder: Builder) -> Frame:
    """The counts of all buckets of the touched groups after the run."""
    fresh = Fresh(rel)
    stored = fresh.scan(builder.look_up(rel, "counts_found", touched, bucket_counts(rel)))
    both = added((stored, fresh.scan(counted)), fresh)
    keys = tuple(map(pass_through, both.columns[:-1]))
    (total,) = fresh.outputs((aggregate("sum", weight_of(both).ref()),))
    present = Filter(Aggregate(both, keys, (total,)), call(">", total.column.ref(), number(0)))
    return builder.compute(rel, "counts_now", present, _count_names(rel))


def _running(rel: Aggregate, counts: Frame, builder: Builder) -> Frame:
    """The buckets of values with the number of values in all, and up to the end of each."""
    fresh = Fresh(rel)
    table = fresh.scan(counts)
    *keys, bucket, weight = table.columns
    known = Filter(table, is_known(bucket.ref()))
    partition = tuple(key.ref() for key in keys)
    total, reached = _sums(weight, None, _SO_FAR, fresh=fresh)
    whole = Window(known, partition, (), (total,))
    running = Window(whole, partition, (SortKey(bucket.ref()),), (reached,))
    names = (*_count_names(rel), _TOTAL, _REACHED)
    return builder.compute(rel, "counts_running", running, names)


def _holding(found: Percentiles, counts: Frame, builder: Builder) -> Frame:
    """The buckets that hold a wanted rank, with the hashes by which their rows are found."""
    rel, fresh = found.rel, Fresh(found.rel)
    table = fresh.scan(_running(rel, counts, builder))
    *group, weight, total, reached = table.columns
    values = cast(total.ref(), DOUBLE)
    end = cast(reached.ref(), DOUBLE)
    before = call("-", end, cast(weight.ref(), DOUBLE))
    held = any_of(rank.is_within(values, before, end) for rank in found.ranks)
    hashed, *measures = fresh.outputs((hash_of_bucket(group), before, values))
    shown = (hashed, *map(pass_through, group), *measures)
    tree = Project(Filter(table, held), shown)
    return builder.compute(rel, "holding", tree, (HASH, *_holding_names(rel)))


def _holding_names(rel: Aggregate) -> tuple[str, ...]:
    return (*bucket_counts(rel).columns, _BEFORE, _TOTAL)


def _sums(weight: Column, *frames: WindowFrame | None, fresh: Fresh) -> tuple[Output, ...]:
    """The sums of weights over window frames."""
    total = aggregate("sum", weight.ref())
    return fresh.outputs(WindowCall(total, frame) for frame in frames)


def _values(found: Percentiles, holding: Frame, changes: Frame, builder: Builder) -> Frame:
    """The different values of these buckets after the run, in order, with their numbers."""
    rel, fresh = found.rel, Fresh(found.rel, found.rel.input)
    tables = (
        _stored_values(found, holding, builder, fresh),
        _changed_values(found, holding, changes, fresh),
    )
    net = consolidated(added(tables, fresh), fresh)
    present = Filter(net, call(">", weight_of(net).ref(), number(0)))
    *keys, bucket, before, total, value, weight = present.columns
    partition = tuple(column.ref() for column in (*keys, bucket))
    order = (SortKey(value.ref()), *_by_sign(value))
    running = Window(present, partition, order, _sums(weight, _SO_FAR, fresh=fresh))
    shown = (*keys, before, total, value, weight, running.columns[-1])
    tree = Project(running, tuple(map(pass_through, shown)))
    names = bucket_counts(rel).columns[: len(keys)]
    columns = (*names, _BEFORE, _TOTAL, _VALUE, WEIGHT, _REACHED)
    return builder.compute(rel, "values", tree, columns)


def _stored_values(found: Percentiles, holding: Frame, builder: Builder, fresh: Fresh) -> Rel:
    """The values that the buckets held before the run."""
    rel = found.rel
    stored = builder.look_up(rel, "values_found", holding, bucket_values(found))
    carried = fresh.scan(stored, _holding_names(rel)).columns
    weight = fresh.weight(STORED_WEIGHT)
    table = read_rows(rel.input, stored, *carried, weight, prefix="s")
    *keys, bucket = (column.ref() for column in carried[:-2])
    same = same_group(keys, [key.expr for key in rel.keys])
    there = call("=", bucket_of(found.value), bucket)
    matching = Filter(table, all_of((same, there)))
    return _beside_value(matching, carried, found.value, weight, fresh)


def _changed_values(found: Percentiles, holding: Frame, changes: Frame, fresh: Fresh) -> Rel:
    """The values that arrive in the buckets in this run, or go."""
    given = read_changes(found.rel.input, changes, fresh)
    read = (*(key.expr for key in found.rel.keys), bucket_of(found.value), found.value)
    made = fresh.outputs(read)
    *own, value = (output.column for output in made)
    table = Project(given, (*made, pass_through(weight_of(given))))
    buckets = fresh.scan(holding, _holding_names(found.rel))
    keys = tuple(
        JoinKey(one.ref(), other.ref(), null_safe=True)
        for one, other in zip(own, buckets.columns, strict=False)
    )
    met = Join(JoinKind.INNER, table, buckets, keys)
    return _beside_value(met, buckets.columns, value.ref(), weight_of(given), fresh)


def _beside_value(
    table: Rel, carried: tuple[Column, ...], value: Expr, weight: Column, fresh: Fresh
) -> Project:
    shown = (*(column.ref() for column in carried), value, weight.ref())
    return Project(table, fresh.outputs(shown))


def _answers_now(found: Percentiles, counts: Frame, values: Frame, builder: Builder) -> Frame:
    """The answers of the touched groups after the run; NULL where all values are NULL."""
    rel, fresh = found.rel, Fresh(found.rel)
    answered = _finished(found, values, fresh)
    table: Rel = answered
    if rel.keys:
        given = fresh.scan(counts)
        groups = Aggregate(given, tuple(map(pass_through, given.columns[:-2])), ())
        pairs = zip(groups.columns, answered.columns, strict=False)
        same = tuple(JoinKey(one.ref(), other.ref(), null_safe=True) for one, other in pairs)
        joined = Join(JoinKind.LEFT, groups, answered, same)
        shown = (*groups.columns, *joined.columns[2 * len(rel.keys) :])
        table = Project(joined, tuple(map(pass_through, shown)))
    return compute_changes(rel, "groups_now", counted_once(table, fresh), builder)


def _finished(found: Percentiles, values: Frame, fresh: Fresh) -> Project:
    """Groups with the percentiles of the values that were read."""
    table = fresh.scan(values)
    *keys, before, total, value, weight, so_far = table.columns
    end = call("+", before.ref(), cast(so_far.ref(), DOUBLE))
    start = call("-", end, cast(weight.ref(), DOUBLE))
    used = [
        aggregate("max", value.ref(), where=rank.is_within(total.ref(), start, end))
        for rank in found.ranks
    ]
    outputs = fresh.outputs((aggregate("max", total.ref()), *used))
    groups = Aggregate(table, tuple(map(pass_through, keys)), outputs)
    counted, *at = (output.column.ref() for output in outputs)
    finished = (*(key.ref() for key in keys), *found.finished(counted, at))
    return Project(groups, fresh.outputs(finished))


def _by_sign(value: Column) -> tuple[SortKey, ...]:
    """Puts zeros of one sign before those of the other, which no order of numbers does."""
    if not is_floating(value.dtype):
        return ()
    zero = call("=", value.ref(), Literal("0", value.dtype))
    return (SortKey(case(zero, call("bits_of", value.ref()))),)


def _answers_before(rel: Aggregate, touched: Frame, builder: Builder) -> Frame:
    """The answers of the touched groups before the run; without keys there is just one."""
    if not rel.keys:
        return builder.state_rows(rel, "groups_before", answers(rel))
    fresh = Fresh(rel)
    found = builder.look_up(rel, "found", touched, answers(rel))
    before = read_rows(rel, found, fresh.weight(STORED_WEIGHT), prefix="s")
    return compute_changes(rel, "groups_before", before, builder)
