"""Reads window functions and their frames."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.algebra.columns import Output, pass_through
from slackwater.algebra.operators import Project
from slackwater.algebra.rel import Rel
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Call,
    Frame,
    FrameBound,
    FrameUnit,
    WindowCall,
)
from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.expression_reader import ExpressionReader
from slackwater.frontend.sql.scope import UnrepresentableError

_BOUNDS: Mapping[str, BoundKind] = {
    "UnboundedPreceding$": BoundKind.UNBOUNDED_PRECEDING,
    "UnboundedFollowing$": BoundKind.UNBOUNDED_FOLLOWING,
    "CurrentRow$": BoundKind.CURRENT_ROW,
}
_UNITS: Mapping[str, FrameUnit] = {"RowFrame": FrameUnit.ROWS, "RangeFrame": FrameUnit.RANGE}
_FRAMED = ("nth_value",)


def read_window_call(reader: ExpressionReader, node: Node) -> WindowCall:
    """A WindowExpression: the function and the frame, if the function leaves it open."""
    if node.name != "WindowExpression":
        raise UnrepresentableError(f"{node.name} where a window function should stand")
    function_node, specification = node.children
    reader.check(node)
    reader.check(specification)
    function = reader.read(function_node)
    if not isinstance(function, Call | AggregateCall):
        raise UnrepresentableError(f"window function {function_node.name}")
    if not _has_order(specification) and isinstance(function, Call):
        raise UnrepresentableError(
            f"{function.function} without an order numbers rows as they happen to arrive"
        )
    frame = None
    if isinstance(function, AggregateCall) or function.function in _FRAMED:
        frame = _frame(reader, specification.children[-1])
    # Aggregates such as `first` carry the flag as an argument instead.
    ignore = function_node.value("ignoreNulls") is True
    return WindowCall(function, frame, ignore)


def _has_order(specification: Node) -> bool:
    return any(child.name == "SortOrder" for child in specification.children)


def _frame(reader: ExpressionReader, node: Node) -> Frame:
    if node.name != "SpecifiedWindowFrame":
        raise UnrepresentableError(f"window frame {node.name}")
    reader.check(node)
    lower, upper = (_bound(reader, child) for child in node.children)
    return Frame(_UNITS[node.object_name("frameType")], lower, upper)


def _bound(reader: ExpressionReader, node: Node) -> FrameBound:
    if node.name in _BOUNDS:
        return FrameBound(_BOUNDS[node.name])
    return FrameBound(BoundKind.OFFSET, reader.read(node))


def with_repeated(rel: Rel, source: Rel, outputs: tuple[Output, ...]) -> Rel:
    """The columns of a window's input followed by all its outputs, in Spark's order."""
    if all(isinstance(output.expr, WindowCall) for output in outputs):
        return rel
    return Project(
        rel,
        (
            *(pass_through(column) for column in source.columns),
            *(
                pass_through(output.column) if isinstance(output.expr, WindowCall) else output
                for output in outputs
            ),
        ),
    )
