"""Refuses queries whose answer the data does not determine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from slackwater.errors import NonDeterministicError
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_tables import NON_DETERMINISTIC
from slackwater.frontend.sql.jvm_plan import JvmPlan
from slackwater.frontend.sql.special_moments import (
    may_name_moment,
    moment_in_plan,
    moment_in_text,
)

_CLOCK = re.compile(
    r"\b(current_timestamp|current_date|current_time|now|curdate|localtimestamp"
    r"|unix_timestamp|localtime)\(",
    re.IGNORECASE,
)
_SESSION_VALUES = re.compile(
    r"\b(current_user|session_user|user|current_database|current_schema|current_catalog"
    r"|current_timezone|current_path)\(",
    re.IGNORECASE,
)


_WRITE_MOMENT = "Write the moment as a literal, or keep it in a column of a source."


def pinned_values(analyzed: Any) -> tuple[str, ...]:
    """Refuse the clock; say so where a value of the session is taken once and kept."""
    text = str(analyzed.toString())
    pinned = sorted({found[1].lower() for found in _SESSION_VALUES.finditer(text)})
    clock = _CLOCK.search(text)
    if clock or not pinned:
        name = clock[1].lower() if clock else "the current time"
        raise NonDeterministicError(
            f"{name}() gives another value each time the query runs", hint=_WRITE_MOMENT
        )
    return tuple(f"{name}() is taken from the session once and kept" for name in pinned)


def check_moments(sql: str | None, analyzed: Any) -> None:
    """Refuse texts that mean the present moment: it would be that of planning, for ever."""
    if sql is not None and not may_name_moment(sql):
        return
    found = moment_in_text(sql or "") or moment_in_plan(str(analyzed.toString()))
    if found:
        raise NonDeterministicError(
            f"'{found}' means another moment each time the query runs", hint=_WRITE_MOMENT
        )


def check_functions(text: str) -> None:
    """Refuse functions whose value Spark itself cannot repeat, by the JSON of a plan."""
    for name, function in NON_DETERMINISTIC.items():
        if f'.expressions.{name}"' in text:
            raise NonDeterministicError(
                f"{function}() gives another value each time the query runs",
                hint="Compute the value when the data is written and store it as a column.",
            )


def check_encryption(text: str, root: Node, jvm_plan: JvmPlan) -> None:
    """Refuse encryption that begins with random bytes; only the mode ECB needs none."""
    if '"aesEncrypt"' not in text:
        return
    for call in _expressions(root):
        if call.value("functionName") != "aesEncrypt":
            continue
        _plain, _key, mode, _padding, vector, _data = call.children
        given = vector.name != "Literal" or jvm_plan.literal_value(vector)
        if not given and str(mode.value("value")).upper() != "ECB":
            raise NonDeterministicError(
                "aes_encrypt() without an initialization vector gives another value each time",
                hint="Give the vector as the fifth argument, or store the encrypted value.",
            )


def _expressions(plan: Node) -> Iterator[Node]:
    """All expressions of a plan, those of subqueries included."""
    for operator in plan.walk():
        for name in operator.fields:
            for expression in operator.expressions(name):
                for each in expression.walk():
                    yield each
                    if each.fields.get("plan"):
                        yield from _expressions(each.subplan())
