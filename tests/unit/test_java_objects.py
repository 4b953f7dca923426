"""Java objects behind Spark's are touched where a package exists for it, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import slackwater

_ROOT = Path(slackwater.__file__).parent
_ROOMS = ("frontend/sql/", "spark/")
_TOUCHES = re.compile(r"\._(jvm|jdf|jsc|jsparkSession|gateway)\b")


def test_java_objects_are_touched_in_their_rooms_alone() -> None:
    files = (file for file in _ROOT.rglob("*.py") if _TOUCHES.search(file.read_text()))
    found = {file.relative_to(_ROOT).as_posix() for file in files}
    assert found, "the pattern finds nothing"
    assert {file for file in found if not file.startswith(_ROOMS)} == set()
