"""Lowers joins of pairs: the changes of each side meet the rows that the other side holds."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Filter, Join, Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.compiler.lowering.base import Builder, Lowering, compute_changes, settled
from slackwater.compiler.lowering.transient_rows import has_transient_rows
from slackwater.expr.build import TRUE, all_of, is_known
from slackwater.expr.functions import call
from slackwater.expr.properties import may_raise
from slackwater.optimizer.rules.join_keys import (
    fails_on_rows,
    match_condition,
    side_keys,
)
from slackwater.plan.arrangements import hash_over
from slackwater.plan.frames import (
    HASH,
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
    read_changes,
    reweighted,
    weight_of,
)


class LowerInnerJoin(Lowering[Join]):
    """D(L ⋈ R) = D(L) ⋈ R + L ⋈ D(R) + D(L) ⋈ D(R), where L and R are as before the run.

    Weights multiply. Each of the first two terms looks its rows up in the arrangement of the
    other side; the third joins the two changes. A side that cannot have changed drops two of
    the three terms. Without an equality between the sides every row is read instead.

        before the run     L = {x}, R = {p}, all under one key
        the changes        D(L) = {+y}, D(R) = {-p}
        the three terms    +(y, p), -(x, p), -(y, p); together -(x, p)
    """

    def delta(self, rel: Join, builder: Builder) -> Frame | None:
        """The terms whose changing side has changes."""
        left, right = _changes(rel, rel.left, builder), _changes(rel, rel.right, builder)
        paired = bool(rel.keys) or (left is not None and right is not None)
        late = paired and rel.residual is not None and may_raise(rel.residual)
        pairing = replace(rel, residual=None) if late else rel
        terms = []
        if left is not None:
            terms.append(_one_side(rel, pairing, left, builder, from_left=True))
        if right is not None:
            terms.append(_one_side(rel, pairing, right, builder, from_left=False))
        if left is not None and right is not None:
            terms.append(_pairs(rel, pairing, "both_term", (left, right), builder))
        if not terms:
            return None
        if late:
            return _with_residual(rel, terms, builder)
        if len(terms) == 1:
            return terms[0]
        return compute_changes(rel, "delta", _all_terms(rel, terms, Fresh(rel)), builder)


def _all_terms(rel: Join, terms: list[Frame], fresh: Fresh) -> Rel:
    return added([read_changes(rel, term, fresh) for term in terms], fresh)


def _one_side(
    rel: Join, pairing: Join, changes: Frame, builder: Builder, *, from_left: bool
) -> Frame:
    """Changes of one side with the rows the other side held before the run."""
    part = "left" if from_left else "right"
    here, there = rel.inputs if from_left else rel.inputs[::-1]
    own, other = side_keys(rel) if from_left else side_keys(rel)[::-1]
    if not own.hashed:
        rows = builder.state_rows(rel, f"{part}_rows", other.state, beside=changes)
        sides = (changes, rows) if from_left else (rows, changes)
        return _pairs(rel, pairing, f"{part}_term", sides, builder)
    fresh = Fresh(rel)
    table = read_changes(here, changes, fresh)
    (hashed,) = fresh.outputs((hash_over(own.hashed, table.columns[:-1]),))
    kept = _with_match(rel, here, table)
    probe = Project(kept, (hashed, *map(pass_through, table.columns)))
    probing = builder.compute(rel, f"{part}_probe", probe, (HASH, *positions(here), WEIGHT))
    found = builder.look_up(rel, f"{part}_found", probing, other.state)
    weight, stored = fresh.weight(), fresh.weight(STORED_WEIGHT)
    ours = read_rows(here, found, weight).columns
    theirs = read_rows(there, found, stored, prefix="s").columns
    pairs: Rel = Scan(found.name, (*ours, *theirs))
    condition = match_condition(pairing)
    matching = pairs if condition == TRUE else Filter(pairs, condition)
    product = call("*", weight.ref(), stored.ref())
    tree = reweighted(matching, rel.columns, product, fresh)
    return compute_changes(rel, f"{part}_term", tree, builder)


def _pairs(
    rel: Join, pairing: Join, part: str, sides: tuple[Frame, Frame], builder: Builder
) -> Frame:
    """Two weighted frames joined."""
    fresh = Fresh(rel)
    left, right = (
        read_changes(each, frame, fresh) for each, frame in zip(rel.inputs, sides, strict=True)
    )
    joined = replace(pairing, left=left, right=right)
    product = call("*", weight_of(left).ref(), weight_of(right).ref())
    return compute_changes(rel, part, reweighted(joined, rel.columns, product, fresh), builder)


def _with_match(rel: Join, side: Rel, table: Rel) -> Rel:
    """The rows of a side that can have a match: NULL equals nothing, but hashes as NULL does."""
    keys = [(key, key.left if side is rel.left else key.right) for key in rel.keys]
    known = [is_known(expr) for key, expr in keys if not key.null_safe and expr.nullable]
    return Filter(table, all_of(known)) if known else table


def _with_residual(rel: Join, terms: list[Frame], builder: Builder) -> Frame:
    """The residual condition on pairs that are there, not on those that only cancel out."""
    fresh = Fresh(rel)
    net = consolidated(_all_terms(rel, terms, fresh), fresh, first=True)
    pairs = read_changes(rel, compute_changes(rel, "pairs", net, builder), fresh)
    passing = pairs if rel.residual is None else Filter(pairs, rel.residual)
    return compute_changes(rel, "delta", passing, builder)


def _changes(rel: Join, side: Rel, builder: Builder) -> Frame | None:
    """The changes of a side: settled if the join might fail on them, and net without a key.

    Without a key each change is joined with the whole other side, so none may cancel another out.
    """
    changes = builder.delta(side)
    if changes is not None and fails_on_rows(rel) and has_transient_rows(side, builder):
        return settled(side, builder)
    if changes is None or side_keys(rel)[0].hashed:
        return changes
    fresh = Fresh(side)
    net = consolidated(read_changes(side, changes, fresh), fresh)
    return compute_changes(side, "net", net, builder)
