"""Percentiles: counts by bucket say where they are, so that few values of a group are read."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.columns import Column
from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Aggregate
from slackwater.algebra.rel import Rel
from slackwater.expr.build import cast
from slackwater.expr.functions import call
from slackwater.expr.nodes import Expr
from slackwater.expr.properties import may_raise
from slackwater.optimizer.rules.arrangement_keys import contents, hashed_keys, over_stored
from slackwater.optimizer.rules.base import Rule
from slackwater.optimizer.rules.grouped import grouped_aggregate
from slackwater.optimizer.rules.percentiles import Percentiles, is_percentile, percentiles_of
from slackwater.plan.arrangements import Arrangement, Role, hashable, key_hash, stored_column
from slackwater.plan.facts import Facts
from slackwater.plan.view_plan import KeptState
from slackwater.plan.weighted import groupable
from slackwater.types import BIGINT, DOUBLE


class CountBuckets(Rule[Aggregate]):
    """D(percentiles(R)): the values of the buckets that hold the wanted ranks are read.

    A bucket is a coarse image of a value that keeps the order (`expr/buckets.py`), so the counts
    of a group's buckets, in order, say in which of them the value of each rank is, and at which
    rank a bucket begins. The group's other values need not be read.
    """

    name = "aggregate_percentiles"
    operator = Aggregate
    unstable = True
    """Either of two zeros with different signs may be shown."""

    def concerns(self, rel: Rel) -> bool:
        """Only aggregates with percentiles."""
        return isinstance(rel, Aggregate) and any(
            is_percentile(output.expr) for output in rel.aggregates
        )

    def refuses(self, rel: Aggregate, _facts: Facts) -> str | None:
        """All outputs are percentiles of one value, and every group has one key that is hashed."""
        keys = [key.column.dtype for key in rel.keys]
        if not all(map(groupable, keys)) or len(_hashed(rel)) < len(keys):
            return "groups of such keys are not found by their keys alone"
        found = percentiles_of(rel)
        return found if isinstance(found, str) else None

    def state(self, rel: Aggregate) -> tuple[KeptState, ...]:
        """The counts of each group's buckets, the values of each bucket, and the answers."""
        wanted = percentiles_of(rel)
        if isinstance(wanted, str):
            return ()
        read = (*(key.expr for key in rel.keys), wanted.value)
        values = KeptState(bucket_values(wanted), rel.input, any(map(may_raise, read)))
        return (KeptState(bucket_counts(rel), rel), values, KeptState(answers(rel), rel))


def bucket_of(value: Expr) -> Expr:
    """The bucket of a number; NULL for NULL."""
    return call("bucket_of", cast(value, DOUBLE))


def bucket_counts(rel: Aggregate) -> Arrangement:
    """The number of rows in each bucket of each group, by group; rows with NULL are one bucket."""
    types = (*(key.column.dtype for key in rel.keys), BIGINT)
    return Arrangement(fingerprint(rel), Role.COUNTS, types, _hashed(rel))


def bucket_values(wanted: Percentiles) -> Arrangement:
    """The rows by group and bucket."""
    rel = wanted.rel
    keys = hashed_keys(rel.input, tuple(key.expr for key in rel.keys))
    return contents(rel.input, (*keys, bucket_of(over_stored(rel.input, wanted.value))))


def answers(rel: Aggregate) -> Arrangement:
    """The rows of the aggregate by group."""
    return grouped_aggregate(rel).kept


def hash_of_bucket(group: Sequence[Column]) -> Expr:
    """The hash of `bucket_values` from the values of a group's keys and a bucket."""
    return key_hash(_known(tuple(column.ref() for column in group)))


def _hashed(rel: Aggregate) -> tuple[Expr, ...]:
    return _known(tuple(stored_column(n, key.column.dtype) for n, key in enumerate(rel.keys)))


def _known(keys: tuple[Expr, ...]) -> tuple[Expr, ...]:
    found = map(hashable, keys)
    return tuple(key for key in found if key is not None)
