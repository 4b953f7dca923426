"""The complete expression reader: core, special forms and aggregates put together."""

from __future__ import annotations

from slackwater.frontend.sql.aggregates import aggregate_expression
from slackwater.frontend.sql.expression_reader import ExpressionReader
from slackwater.frontend.sql.special import SPECIAL


class CatalystReader(ExpressionReader):
    """Reads every expression we know."""

    special = {**SPECIAL, "AggregateExpression": aggregate_expression}  # noqa: RUF012
