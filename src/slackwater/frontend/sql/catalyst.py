"""Reads the JSON that Spark writes for a plan into a tree that knows where it came from.

Spark writes a tree as a flat list, parents first, with the number of children of each node.
A plan node holds its expressions in fields, each again such a list. Every node remembers its
way from the root, so that what the JSON leaves out can be asked of Spark (see `jvm_plan`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_OWN_FIELDS = ("class", "num-children")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One node of a Catalyst tree: a plan operator or an expression."""

    full_name: str
    fields: Mapping[str, Any]
    children: tuple[Node, ...] = field(repr=False)
    way: tuple[str | int, ...]
    """Steps from the root plan: a child's position, or "expression" and its position."""

    @property
    def name(self) -> str:
        """The class name without its package."""
        return self.full_name.rsplit(".", 1)[-1]

    def value(self, name: str) -> Any:
        """A plain field, or None if Spark left it out."""
        return self.fields.get(name)

    def object_name(self, name: str) -> str:
        """The name of a Scala object or case class held in a field, such as a join type."""
        value = self.fields[name]
        text = value.get("object") or value["product-class"]
        return str(text).rsplit(".", 1)[-1].removesuffix("$")

    def expression(self, name: str) -> Node:
        """The one expression in a field of a plan node."""
        (found,) = self.expressions(name)
        return found

    def expressions(self, name: str) -> tuple[Node, ...]:
        """All expressions in a field of a plan node, flattened."""
        start = 0
        for field_name, value in self.fields.items():
            trees = list(_expression_trees(value))
            if field_name == name:
                return tuple(
                    _tree(tree, (*self.way, "expression", start + k))
                    for k, tree in enumerate(trees)
                )
            start += len(trees)
        return ()

    def expression_rows(self, name: str) -> tuple[tuple[Node, ...], ...]:
        """The expressions of a field that is a list of lists, row by row."""
        flat = iter(self.expressions(name))
        return tuple(tuple(next(flat) for _ in row) for row in self.fields[name])

    def subplan(self) -> Node:
        """The plan inside a subquery expression."""
        return _tree(self.fields["plan"], (*self.way, "plan"))

    def walk(self) -> Iterator[Node]:
        """The node and all nodes of its own kind below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def parse_plan(text: str, way: tuple[str | int, ...] = ()) -> Node:
    """Read a whole plan, or a tree that stands at the end of another way."""
    return _tree(json.loads(text), way)


def _is_tree(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and "num-children" in value[0]
    )


def _expression_trees(value: object) -> Iterator[list[dict[str, Any]]]:
    """The trees in a field, in the order in which Spark lists a node's expressions."""
    if _is_tree(value):
        assert isinstance(value, list)
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _expression_trees(each)


def _tree(flat: list[dict[str, Any]], way: tuple[str | int, ...]) -> Node:
    items = iter(flat)

    def read(position: tuple[str | int, ...]) -> Node:
        item = next(items)
        children = tuple(read((*position, k)) for k in range(item["num-children"]))
        fields = {key: value for key, value in item.items() if key not in _OWN_FIELDS}
        return Node(item["class"], fields, children, position)

    return read(way)
