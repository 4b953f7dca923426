"""The lowering of every method, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slackwater.compiler.lowering.affected_groups import LowerGroups
from slackwater.compiler.lowering.aggregate_extremes import LowerExtremes
from slackwater.compiler.lowering.aggregate_percentiles import LowerPercentiles
from slackwater.compiler.lowering.aggregate_sums import LowerSums
from slackwater.compiler.lowering.base import Lowering
from slackwater.compiler.lowering.group_prefix import LowerGroupPrefix
from slackwater.compiler.lowering.inner_join import LowerInnerJoin
from slackwater.compiler.lowering.limit_prefix import LowerLimitPrefix
from slackwater.compiler.lowering.matching_join import LowerMatchingJoin
from slackwater.compiler.lowering.recompute import LowerRecompute
from slackwater.compiler.lowering.rowwise import LowerConstant, LowerRowwise, LowerSort
from slackwater.compiler.lowering.scan import LowerScan
from slackwater.compiler.lowering.union import LowerUnion
from slackwater.compiler.lowering.window_ranges import LowerRanges
from slackwater.optimizer.rules.grouped import grouped_aggregate, grouped_limit, grouped_window
from slackwater.plan.view_plan import RECOMPUTE

LOWERINGS: Mapping[str, Lowering[Any]] = {
    "scan": LowerScan(),
    "values": LowerConstant(),
    "range": LowerConstant(),
    "filter": LowerRowwise(),
    "project": LowerRowwise(),
    "expand": LowerRowwise(),
    "generate": LowerRowwise(),
    "union": LowerUnion(),
    "sort": LowerSort(),
    "inner_join": LowerInnerJoin(),
    "outer_join": LowerMatchingJoin(),
    "semi_join": LowerMatchingJoin(),
    "mark_join": LowerMatchingJoin(),
    "single_join": LowerMatchingJoin(),
    "not_in": LowerMatchingJoin(),
    "aggregate_sums": LowerSums(),
    "aggregate_extremes": LowerExtremes(),
    "aggregate_percentiles": LowerPercentiles(),
    "aggregate_groups": LowerGroups(grouped_aggregate),
    "window_ranges": LowerRanges(),
    "window": LowerGroups(grouped_window),
    "group_prefix": LowerGroupPrefix(),
    "group_limit": LowerGroups(grouped_window),
    "limit_prefix": LowerLimitPrefix(),
    "limit": LowerGroups(grouped_limit),
    RECOMPUTE: LowerRecompute(),
}
