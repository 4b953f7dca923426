"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import slackwater

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(slackwater.__path__, "slackwater.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _tried = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failed == 0
