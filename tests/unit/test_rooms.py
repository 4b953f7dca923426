"""Files, functions and classes stay small: CONTRIBUTING.md says how small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import slackwater

ROOT = Path(slackwater.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MOST_FIELDS = 8
"""The fields that a class may change; the rule is about seven."""
MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
LONG_FILES = {"algebra/operators.py": "every operator that there is, one after the other"}


def _named(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _is_frozen(node: ast.ClassDef) -> bool:
    return any(
        isinstance(each, ast.Call)
        and any(
            word.arg == "frozen" and isinstance(word.value, ast.Constant) and word.value.value
            for word in each.keywords
        )
        for each in node.decorator_list
    )


def _fields(node: ast.ClassDef) -> frozenset[str]:
    """The fields that a class declares, or that its methods assign to `self`."""
    declared = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
    return frozenset(
        [each.id for each in declared if isinstance(each, ast.Name)]
        + [
            each.attr
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute)
            and isinstance(each.ctx, ast.Store)
            and isinstance(each.value, ast.Name)
            and each.value.id == "self"
        ]
    )


def _function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines from `def` to the end, those of the docstring left out."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return lines
    docstring = node.body[0]
    return lines - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def _large(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not _is_frozen(node):
            fields = _fields(node)
            if len(fields) > MOST_FIELDS:
                yield f"{node.name} has {len(fields)} fields: {', '.join(sorted(fields))}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = _function_lines(node)
            if lines > MOST_FUNCTION_LINES:
                yield f"{node.name} has {lines} lines"


def test_classes_that_change_have_few_fields_and_functions_few_lines() -> None:
    trees = {_named(file): ast.parse(file.read_text(encoding="utf-8")) for file in FILES}
    assert not [f"{name}: {what}" for name, tree in trees.items() for what in _large(tree)]


def test_files_are_short_but_for_those_named_here() -> None:
    lines = {_named(file): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {name for name, count in lines.items() if count > MOST_FILE_LINES} == set(LONG_FILES)


NINE = "\n".join(f"    field_{n}: int = {n}" for n in range(MOST_FIELDS + 1))
ASSIGNED = "\n".join(f"        self.field_{n} = {n}" for n in range(MOST_FIELDS + 1))
LONG = "\n".join(f"    call({n})" for n in range(MOST_FUNCTION_LINES))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"@dataclass(slots=True)\nclass Wide:\n{NINE}", "Wide has 9 fields"),
        (f"@dataclass(frozen=True)\nclass Value:\n{NINE}", None),
        (f"class Wide:\n    def __init__(self):\n{ASSIGNED}", "Wide has 9 fields"),
        (f"class Narrow:\n    def change(self):\n{ASSIGNED.replace('8', '7')}", None),
        (f"def long():\n{LONG}", "long has 61 lines"),
        (f'def told():\n    """Says\n    why."""\n{LONG[: LONG.rindex("    ")]}', None),
    ],
)
def test_what_is_large_is_found(text: str, found: str | None) -> None:
    told = list(_large(ast.parse(text)))
    assert [each.split(":")[0] for each in told] == ([] if found is None else [found])
