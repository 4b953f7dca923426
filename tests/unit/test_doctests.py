"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import slackwater

FOREIGN = {"slackwater.bench.peers.pathway_process"}
"""Programs for environments of their own, whose libraries are no dependencies of ours."""
MODULES = sorted(
    {module.name for module in pkgutil.walk_packages(slackwater.__path__, "slackwater.")} - FOREIGN
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _tried = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failed == 0
