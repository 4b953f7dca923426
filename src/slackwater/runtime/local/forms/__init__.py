"""Translates expressions of our statements from Spark SQL to DuckDB, each with its Spark type.

Every result is cast to the type Spark gives it, so that what follows computes with the same
digits. What is in none of the tables raises `NotLocalError`.
"""

from slackwater.runtime.local.forms import aggregates, logic, names, nested, numbers, texts
from slackwater.runtime.local.forms.base import (
    Scope,
    Typed,
    cast,
    comparable,
    learn,
    plain_number,
    quoted,
    require_only,
    same_name,
    together,
    translate,
)
from slackwater.runtime.local.forms.errors import failing_columns, may_fail, operands
from slackwater.runtime.local.forms.texts import DECODING

for _module in (names, logic, numbers, texts, aggregates, nested):
    learn(_module.FORMS)

__all__ = [
    "DECODING",
    "Scope",
    "Typed",
    "cast",
    "comparable",
    "failing_columns",
    "may_fail",
    "operands",
    "plain_number",
    "quoted",
    "require_only",
    "same_name",
    "together",
    "translate",
]
