"""A part of a plan that was read: a relation, and where Catalyst's attributes are in it."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.columns import Column
from slackwater.algebra.rel import Rel
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.scope import Scope, expression_id


@dataclass(frozen=True, slots=True)
class Readout:
    """A relation and the columns that Catalyst's attributes became in it."""

    rel: Rel
    scope: Scope


def refreshed(rel: Rel, scope: Scope) -> Readout:
    """The scope with each column as it is in `rel`, where NULLs may have come or gone."""
    columns = {column.id: column for column in rel.columns}
    return Readout(
        rel,
        {number: columns[column.id] for number, column in scope.items() if column.id in columns},
    )


def scope_of(attributes: tuple[Node, ...], columns: tuple[Column, ...]) -> Scope:
    """Attributes and the columns they became, in the same order."""
    return {
        expression_id(attribute): column
        for attribute, column in zip(attributes, columns, strict=True)
    }
