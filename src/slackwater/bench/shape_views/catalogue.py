"""All everyday views, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from slackwater.bench.shape_views.grouped import GROUPED
from slackwater.bench.shape_views.joins import JOINS
from slackwater.bench.shape_views.shape import Shape
from slackwater.bench.shape_views.values import VALUES
from slackwater.bench.shape_views.windows import WINDOWS
from slackwater.errors import CatalogError

SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {shape.name: shape for shape in (*GROUPED, *WINDOWS, *JOINS, *VALUES)}
)


def choose_shapes(only: str) -> tuple[Shape, ...]:
    """The views with the given names, such as `rank,funnel`; all if there are none."""
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in SHAPES]
    if unknown:
        raise CatalogError(
            f"there is no view {', '.join(unknown)}", hint=f"Choose among {', '.join(SHAPES)}."
        )
    return tuple(SHAPES[name] for name in wanted or SHAPES)
