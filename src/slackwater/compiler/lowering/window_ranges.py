"""Lowers windows of large partitions: only what sees a change is redone.

The rows of a partition lie in order buckets. Let a bucket be *touched* if a row of it changes, let
functions look back over b rows and ahead over a rows, and let c be a bucket that is not touched.

*Claim.* If b rows or more lie between the last touched bucket before c and c, and a rows or more
between c and the first touched bucket after it, no answer in c changes.

*Proof.* The rows in between are in buckets that are not touched, so there are as many before the
run as after it, and they are the same. A row of c sees at most b rows back: they are in c or in
between. Likewise ahead. So it sees after the run what it saw before.

The same count says which buckets hold the rows that *affected* buckets see: those with fewer than
b rows between them and an affected bucket behind them, or fewer than a to one before them. For
frames that go so far in the values of their order, numbers of buckets take the place of rows. Rows
that are gathered besides, because hashes meet, lie beyond all that an affected row sees.

    rows of buckets 1 to 5:   2 3 4 1 6; row 7 of bucket 3 goes; lag(v, 2) looks back over 2 rows
    affected:                 3, 4, 5 (one row between 3 and 5)
    rows for that:            2 too, of whose 3 rows those of bucket 3 see two

Answers of affected buckets before the run come from state: order among equal rows, and last bits
of sums, need not come out the same twice.
"""

from __future__ import annotations

from slackwater.algebra.columns import Column, pass_through
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
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes
from slackwater.compiler.lowering.ranges import place_ranges
from slackwater.compiler.lowering.whole_state import hashed_changes
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import differs, number
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr, Literal
from slackwater.optimizer.rules.ranged import Ranged, ranged_window
from slackwater.plan.arrangements import key_hash
from slackwater.plan.frames import (
    HASH,
    NEW,
    STORED_WEIGHT,
    WEIGHT,
    Frame,
    Fresh,
    positions,
    read_rows,
)
from slackwater.plan.weighted import (
    added,
    consolidated,
    counted_once,
    difference,
    read_changes,
    repeated,
    reweighted,
)

_BEFORE, _AFTER, _TOUCHED, _AFFECTED = "_before", "_after", "_touched", "_affected"
"""Rows of a bucket before and after the run, and what becomes of it: 1 or 0, true or false."""


class LowerRanges(Lowering[Window]):
    """D(window(R)): the answers of affected buckets as they are, less as they were."""

    def delta(self, rel: Window, builder: Builder) -> Frame | None:
        """New answers less old ones; the index moves with them."""
        changes = builder.delta(rel.input)
        if changes is None:
            return None
        ranged = _ranged(rel, builder)
        buckets = _buckets(ranged, changes, builder)
        builder.append(ranged.index, _index_changes(ranged, buckets, builder))
        ranges = _ranges(ranged, buckets, builder)
        new = _answers_now(ranged, changes, ranges, builder)
        old = _answers_before(ranged, ranges, builder)
        fresh = Fresh(rel, rel.input)
        both = difference(read_changes(rel, new, fresh), read_changes(rel, old, fresh), fresh)
        return compute_changes(rel, "delta", consolidated(both, fresh), builder)

    def rows(self, rel: Window, builder: Builder) -> Frame:
        """The window over all rows, in the order in which ranges are redone."""
        source = read_rows(rel.input, builder.rows(rel.input))
        tree = _ranged(rel, builder).apply(source)
        return builder.compute(rel, "rows", tree, positions(rel))

    def state_rows(self, rel: Window, builder: Builder) -> Frame:
        """The number of rows of every bucket."""
        ranged, fresh = _ranged(rel, builder), Fresh(rel, rel.input)
        source = read_rows(rel.input, builder.rows(rel.input))
        keys = fresh.outputs(ranged.place)
        count = fresh.outputs((aggregate("count", number(1)),))
        return builder.compute(rel, "index", Aggregate(source, keys, count), ranged.index.columns)


def _ranged(rel: Window, builder: Builder) -> Ranged:
    return ranged_window(rel, builder.chosen(rel).shift)


def _names(ranged: Ranged) -> tuple[str, ...]:
    """The columns of a frame that say where rows belong."""
    return ranged.index.columns[:-1]


def _buckets(ranged: Ranged, changes: Frame, builder: Builder) -> Frame:
    """All buckets of the partitions that changes touch, with their rows before and after."""
    rel, fresh = ranged.rel, Fresh(ranged.rel, ranged.rel.input)
    names = _names(ranged)
    given = read_changes(rel.input, changes, fresh)
    keys = fresh.outputs(ranged.place)
    moved = fresh.outputs((aggregate("sum", given.columns[-1].ref()),))
    touched = builder.compute(
        rel, "touched_buckets", Aggregate(given, keys, moved), (*names, WEIGHT)
    )
    tables = (_indexed(ranged, touched, builder, fresh), _moved(touched, fresh))
    every = added(tables, fresh)
    places, numbers = every.columns[: len(names)], every.columns[len(names) :]
    groups = fresh.outputs(each.ref() for each in places)
    before, weight, mark = (_total("sum" if n < 2 else "max", c) for n, c in enumerate(numbers))
    totals = fresh.outputs((before, weight, mark))
    counted = Aggregate(every, groups, totals)
    old, change, found = (each.column.ref() for each in totals)
    known = [call("coalesce", each, number(0)) for each in (old, change, found)]
    values = (known[0], call("+", known[0], known[1]), known[2])
    outputs = (*(pass_through(each.column) for each in groups), *fresh.outputs(values))
    return builder.compute(
        rel, "buckets", Project(counted, outputs), (*names, _BEFORE, _AFTER, _TOUCHED)
    )


def _total(function: str, column: Column) -> Expr:
    return aggregate(function, column.ref())


def _moved(touched: Frame, fresh: Fresh) -> Rel:
    """Touched buckets with no row before, by how many rows they grow, and a mark."""
    rows = fresh.scan(touched)
    *places, weight = rows.columns
    outputs = fresh.outputs((number(0), weight.ref(), number(1)))
    return Project(rows, (*map(pass_through, places), *outputs))


def _indexed(ranged: Ranged, touched: Frame, builder: Builder, fresh: Fresh) -> Rel:
    """The index of touched partitions: buckets with rows, no growth and no mark."""
    rel, index = ranged.rel, ranged.index
    if ranged.partition:
        keys = fresh.scan(touched, _names(ranged)[:-1])
        hashed = Project(keys, fresh.outputs((key_hash(tuple(c.ref() for c in keys.columns)),)))
        partitions = builder.compute(rel, "partitions", Distinct(hashed), (HASH,))
        found = fresh.scan(builder.look_up(rel, "index_found", partitions, index))
    else:
        found = fresh.scan(builder.state_rows(rel, "index_before", index))
    *places, count, weight = found.columns
    rows = call("*", count.ref(), weight.ref())
    outputs = fresh.outputs((rows, number(0), number(0)))
    return Project(found, (*map(pass_through, places), *outputs))


def _index_changes(ranged: Ranged, buckets: Frame, builder: Builder) -> Frame:
    """Buckets whose number of rows is another: taken out as they were, put back as they are."""
    rel, fresh = ranged.rel, Fresh(ranged.rel, ranged.rel.input)
    names = (*_names(ranged), _BEFORE, _AFTER)

    def side(place: int, weight: int) -> Rel:
        rows = fresh.scan(buckets, names)
        before, after = rows.columns[-2:]
        kept = rows.columns[place]
        moved = Filter(rows, differs(before.ref(), after.ref()))
        there = Filter(moved, call(">", kept.ref(), number(0)))
        return reweighted(there, (*rows.columns[:-2], kept), number(weight), fresh)

    tree = added((side(-2, -1), side(-1, 1)), fresh)
    return builder.compute(rel, "index_delta", tree, (*ranged.index.columns, WEIGHT))


def _ranges(ranged: Ranged, buckets: Frame, builder: Builder) -> Frame:
    """The buckets to read again, with their hash, and whether their answers may change."""
    fresh = Fresh(ranged.rel, ranged.rel.input)
    rows = fresh.scan(buckets, (*_names(ranged), _AFTER, _TOUCHED))
    found = place_ranges(rows, ranged, fresh)
    hashed = key_hash(tuple(each.ref() for each in found.columns[:-1]))
    outputs = (*fresh.outputs((hashed,)), *map(pass_through, found.columns))
    names = (HASH, *_names(ranged), _AFFECTED)
    return builder.compute(ranged.rel, "ranges", Project(found, outputs), names)


def _answers_now(ranged: Ranged, changes: Frame, ranges: Frame, builder: Builder) -> Frame:
    """The answers of affected buckets after the run, from the rows that they see."""
    rel, given, fresh = ranged.rel, ranged.rel.input, Fresh(ranged.rel, ranged.rel.input)
    marks = fresh.scan(ranges, (HASH,))
    nothing = (Literal(None, column.dtype) for column in given.columns)
    values = fresh.outputs((marks.columns[0].ref(), *nothing, number(0)))
    arriving = hashed_changes(given, changes, ranged.given, fresh)
    tree = added((arriving, Project(marks, values)), fresh)
    names = (HASH, *positions(given), WEIGHT)
    touched = builder.compute(rel, "touched", tree, names)
    gathered = builder.gather(rel, "gathered", touched, ranged.given)
    again = ranged.apply(repeated(read_changes(given, gathered, fresh, NEW), fresh))
    answers = _affected_only(ranged, again, ranges, fresh)
    return compute_changes(rel, "answers_now", counted_once(answers, fresh), builder)


def _answers_before(ranged: Ranged, ranges: Frame, builder: Builder) -> Frame:
    """The answers of affected buckets as they were kept."""
    rel, fresh = ranged.rel, Fresh(ranged.rel, ranged.rel.input)
    marked = fresh.scan(ranges, (HASH, _AFFECTED))
    affected = Filter(marked, marked.columns[1].ref())
    hashes = Distinct(Project(affected, (pass_through(marked.columns[0]),)))
    wanted = builder.compute(rel, "hashes", hashes, (HASH,))
    found = builder.look_up(rel, "found", wanted, ranged.kept)
    answers = read_rows(rel, found, fresh.weight(STORED_WEIGHT), prefix="s")
    before = _affected_only(ranged, answers, ranges, fresh)
    return compute_changes(rel, "answers_before", before, builder)


def _affected_only(ranged: Ranged, rows: Rel, ranges: Frame, fresh: Fresh) -> Rel:
    """The rows that are in affected buckets, by their values: hashes may meet."""
    places = fresh.scan(ranges, (*_names(ranged), _AFFECTED))
    affected = Filter(places, places.columns[-1].ref())
    pairs = zip(ranged.place, places.columns[:-1], strict=True)
    keys = tuple(JoinKey(value, column.ref(), null_safe=True) for value, column in pairs)
    return Join(JoinKind.SEMI, rows, affected, keys)
