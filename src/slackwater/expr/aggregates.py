"""The aggregate functions we know: their result types, and what empty groups and the order do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
from slackwater.types import BIGINT, DOUBLE, ArrayType


@dataclass(frozen=True, slots=True)
class AggregateSpec:
    """The properties of one aggregate function."""

    name: str
    result: ResultRule
    null_if_empty: bool = True
    follows_order: bool = False
    """True if rows met in another order can give another result."""


_FOLLOWS_ORDER = frozenset(
    {"first", "last", "mode", "max_by", "min_by", "collect_list", "listagg", "histogram_numeric"}
)


def _specs(result: ResultRule, names: str, null_if_empty: bool = True) -> list[AggregateSpec]:
    return [
        AggregateSpec(name, result, null_if_empty, name in _FOLLOWS_ORDER) for name in names.split()
    ]


_double, _same, _second = always(DOUBLE), argument(0), argument(1)

AGGREGATES: Mapping[str, AggregateSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            *_specs(sum_type, "sum try_sum"),
            *_specs(average_type, "avg try_avg"),
            *_specs(always(BIGINT), "count", null_if_empty=False),
            *_specs(_double, "stddev_pop stddev_samp var_pop var_samp"),
            *_specs(_double, "skewness kurtosis corr covar_pop covar_samp"),
            *_specs(_double, "regr_slope regr_intercept regr_r2"),
            *_specs(_double, "regr_sxy regr_sxx"),
            *_specs(_same, "min max"),
            *_specs(_same, "bit_xor"),
            *_specs(_same, "bit_and bit_or first last mode max_by min_by"),
            *_specs(unknown, "percentile percentile_cont percentile_disc"),
            *_specs(unknown, "percentile_approx mode_within"),
            *_specs(
                always(BIGINT), "approx_count_distinct count_by_registers", null_if_empty=False
            ),
            *_specs(
                array_of(_same, contains_null=False),
                "collect_list collect_set",
                null_if_empty=False,
            ),
            *_specs(unknown, "listagg histogram_numeric"),
            *_specs(array_of(_second), "pivot_first", null_if_empty=False),
            *_specs(_same, "single_value"),
            *_specs(always(ArrayType(BIGINT)), "far_limbs"),
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
