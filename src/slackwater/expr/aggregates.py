"""The aggregate functions we know: result type, NULL over an empty group, and how they combine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from slackwater.expr.nodes import UNKNOWN_TYPE, AggregateCall, Expr, SortKey
from slackwater.expr.result_types import (
    ResultRule,
    always,
    argument,
    array_of,
    average_type,
    sum_type,
    unknown,
)
from slackwater.types import BIGINT, DOUBLE


class Combines(Enum):
    """How the aggregate of a changed group follows from what is remembered of it."""

    LINEAR = "linear"
    """Sums of per-row contributions: inserts and deletes add up."""
    EXTREME = "extreme"
    """Insertions can only move it one way; deletions may need the other rows again."""
    ROWS = "rows"
    """Only the group's rows can tell."""


@dataclass(frozen=True, slots=True)
class AggregateSpec:
    """What is known of one aggregate function."""

    name: str
    result: ResultRule
    combines: Combines
    null_if_empty: bool = True
    follows_order: bool = False
    """Whether rows met in another order can give another result."""


_FOLLOWS_ORDER = frozenset(
    {"first", "last", "mode", "max_by", "min_by", "collect_list", "listagg", "histogram_numeric"}
)


def _specs(
    combines: Combines, result: ResultRule, names: str, null_if_empty: bool = True
) -> list[AggregateSpec]:
    return [
        AggregateSpec(name, result, combines, null_if_empty, name in _FOLLOWS_ORDER)
        for name in names.split()
    ]


_double, _same, _second = always(DOUBLE), argument(0), argument(1)

AGGREGATES: Mapping[str, AggregateSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            *_specs(Combines.LINEAR, sum_type, "sum try_sum"),
            *_specs(Combines.LINEAR, average_type, "avg try_avg"),
            *_specs(Combines.LINEAR, always(BIGINT), "count", null_if_empty=False),
            *_specs(Combines.LINEAR, _double, "stddev_pop stddev_samp var_pop var_samp"),
            *_specs(Combines.LINEAR, _double, "skewness kurtosis corr covar_pop covar_samp"),
            *_specs(Combines.LINEAR, _double, "regr_slope regr_intercept regr_r2"),
            *_specs(Combines.LINEAR, _double, "regr_sxy regr_sxx"),
            *_specs(Combines.EXTREME, _same, "min max"),
            *_specs(Combines.LINEAR, _same, "bit_xor"),
            *_specs(Combines.ROWS, _same, "bit_and bit_or first last mode max_by min_by"),
            *_specs(Combines.ROWS, unknown, "percentile percentile_cont percentile_disc"),
            *_specs(Combines.ROWS, unknown, "percentile_approx mode_within"),
            *_specs(Combines.ROWS, always(BIGINT), "approx_count_distinct", null_if_empty=False),
            *_specs(
                Combines.ROWS,
                array_of(_same, contains_null=False),
                "collect_list collect_set",
                null_if_empty=False,
            ),
            *_specs(Combines.ROWS, unknown, "listagg histogram_numeric"),
            *_specs(Combines.ROWS, array_of(_second), "pivot_first", null_if_empty=False),
            *_specs(Combines.ROWS, _same, "single_value"),
        )
    }
)


def aggregate(
    function: str,
    *args: Expr,
    distinct: bool = False,
    where: Expr | None = None,
    order: tuple[SortKey, ...] = (),
    params: tuple[str, ...] = (),
) -> AggregateCall:
    """Apply a known aggregate, deriving the type and nullability of the result.

    >>> from slackwater.expr.nodes import Literal
    >>> from slackwater.types import DecimalType
    >>> aggregate("sum", Literal("1.50", DecimalType(3, 2))).dtype.sql()
    'DECIMAL(13,2)'
    """
    spec = AGGREGATES[function]
    return AggregateCall(
        function=function,
        args=args,
        call_type=spec.result(args) or UNKNOWN_TYPE,
        call_nullable=spec.null_if_empty,
        distinct=distinct,
        where=where,
        order=order,
        params=params,
    )
