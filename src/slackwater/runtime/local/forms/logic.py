"""Conditions, comparisons and choices between values."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from slackwater.runtime.local.forms.base import (
    Form,
    Forms,
    Scope,
    Typed,
    comparable,
    condition,
    together,
    translate,
    translated,
)
from slackwater.runtime.local.forms.errors import may_fail, operands, shielded
from slackwater.runtime.local.types import NotLocalError
from slackwater.types import BOOLEAN


def _connective(sign: str, decided: str) -> Form:
    """AND or OR; `decided` is the value of a part that leaves nothing to those behind it.

    Spark computes the next part for any other value, also for NULL, and the first one always.
    DuckDB would pass over rows that a filter drops anyway, and begin with any part.
    """

    def form(node: exp.Binary, scope: Scope) -> Typed:
        nodes = operands(node)
        parts = [condition(each, scope) for each in nodes]
        text = f"({f' {sign} '.join(parts)})"
        if any(may_fail(each, scope.failing) for each in nodes):
            whens = " ".join(f"WHEN {part} IS {decided} THEN {decided}" for part in parts[:-1])
            text = f"(CASE {whens} ELSE {text} END)"
        return Typed(text, BOOLEAN)

    return form


def _not(node: exp.Not, scope: Scope) -> Typed:
    return Typed(f"(NOT {condition(node.this, scope)})", BOOLEAN)


def _is(node: exp.Is, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if isinstance(node.expression, exp.Null):
        return Typed(f"({value.sql} IS NULL)", BOOLEAN)
    if isinstance(node.expression, exp.Boolean) and value.dtype == BOOLEAN:
        return Typed(f"({value.sql} IS {node.expression.sql()})", BOOLEAN)
    raise NotLocalError("such a use of IS")


def _compared(nodes: Sequence[exp.Expression], scope: Scope) -> list[Typed]:
    """Values under one type in which both engines compare them alike."""
    return shielded(nodes, comparable(together(translated(nodes, scope))))


def _comparison(sign: str) -> Form:
    def form(node: exp.Binary, scope: Scope) -> Typed:
        left, right = _compared((node.this, node.expression), scope)
        return Typed(f"({left.sql} {sign} {right.sql})", BOOLEAN)

    return form


def _between(node: exp.Between, scope: Scope) -> Typed:
    value, low, high = _compared((node.this, node.args["low"], node.args["high"]), scope)
    return Typed(f"({value.sql} BETWEEN {low.sql} AND {high.sql})", BOOLEAN)


def _in(node: exp.In, scope: Scope) -> Typed:
    if not node.expressions:
        raise NotLocalError("IN with a subquery")
    value, *options = _compared((node.this, *node.expressions), scope)
    return Typed(f"({value.sql} IN ({', '.join(each.sql for each in options)}))", BOOLEAN)


def _case(node: exp.Case, scope: Scope) -> Typed:
    conditions, outcomes = [], []
    for branch in node.args["ifs"]:
        if node.this is None:
            conditions.append(condition(branch.this, scope))
        else:
            left, right = _compared((node.this, branch.this), scope)
            conditions.append(f"({left.sql} = {right.sql})")
        outcomes.append(branch.args["true"])
    otherwise = node.args.get("default") or exp.Null()
    return _choice(conditions, translated((*outcomes, otherwise), scope))


def _if(node: exp.If, scope: Scope) -> Typed:
    otherwise = node.args.get("false") or exp.Null()
    when = condition(node.this, scope)
    return _choice([when], translated((node.args["true"], otherwise), scope))


def _choice(conditions: list[str], outcomes: list[Typed]) -> Typed:
    *values, otherwise = together(outcomes)
    parts = (f"WHEN {when} THEN {then.sql}" for when, then in zip(conditions, values, strict=True))
    return Typed(f"CASE {' '.join(parts)} ELSE {otherwise.sql} END", otherwise.dtype)


def _coalesce(node: exp.Coalesce, scope: Scope) -> Typed:
    values = together(translated((node.this, *node.expressions), scope))
    return Typed(f"coalesce({', '.join(each.sql for each in values)})", values[0].dtype)


def _extreme(function: str) -> Form:
    def form(node: exp.Func, scope: Scope) -> Typed:
        values = comparable(together(translated((node.this, *node.expressions), scope)))
        return Typed(f"{function}({', '.join(each.sql for each in values)})", values[0].dtype)

    return form


FORMS: Forms = {
    exp.And: _connective("AND", "FALSE"),
    exp.Or: _connective("OR", "TRUE"),
    exp.Not: _not,
    exp.Is: _is,
    exp.EQ: _comparison("="),
    exp.NEQ: _comparison("<>"),
    exp.LT: _comparison("<"),
    exp.LTE: _comparison("<="),
    exp.GT: _comparison(">"),
    exp.GTE: _comparison(">="),
    exp.NullSafeEQ: _comparison("IS NOT DISTINCT FROM"),
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Greatest: _extreme("greatest"),
    exp.Least: _extreme("least"),
}
