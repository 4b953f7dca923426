"""The sources that views read, and the views and state that runs have filled from them."""

from __future__ import annotations

from slackwater.algebra.reads import read_names
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import ViewDefinition


def base_sources(view: ViewDefinition, catalog: Catalog) -> frozenset[str]:
    """The sources a view reads, also through other views."""
    found: set[str] = set()
    for name in read_names(view.plan):
        if name in catalog.state.views:
            found |= base_sources(catalog.view(name), catalog)
        else:
            found.add(name)
    return frozenset(found)


def is_filled(view: ViewDefinition, catalog: Catalog) -> bool:
    """True if a run has filled the view; one that reads no source is filled once."""
    names = base_sources(view, catalog)
    if not names:
        return view.name in catalog.state.filled or catalog.rows(catalog.answer(view.name)) > 0
    return all(catalog.logs.has_read(view.name, name) for name in names)


def is_behind(view: ViewDefinition, catalog: Catalog) -> bool:
    """True if a source of the view has batches that the view has not taken in."""
    return any(catalog.logs.is_behind(view.name, name) for name in base_sources(view, catalog))


def filled_state(catalog: Catalog) -> frozenset[str]:
    """The arrangements that a run has filled.

    A view is declared with its answer, which may be just what another comes to need as state.
    Where it holds nothing, filling it again does no harm.
    """
    waiting: set[str] = set()
    answered: set[str] = set()
    for view in catalog.views.values():
        group = answered if is_filled(view, catalog) else waiting
        group.add(catalog.answer(view.name))
    empty = {key for key in waiting - answered if not catalog.segments(key)}
    return frozenset(catalog.state.arrangements.keys() - empty)
