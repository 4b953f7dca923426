"""The operations of triggers and of re-evaluation, and the memory that either needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slackwater.linalg.dims import Sizes
from slackwater.linalg.matrix_nodes import names_read
from slackwater.linalg.matrix_program import Program
from slackwater.linalg.operations import Operation, operations, step_operations
from slackwater.linalg.trigger_runs import needed_statements
from slackwater.linalg.triggers import Apply, CompiledProgram, Event, MatricesChanged, Trigger

_BYTES = 8


def trigger_operations(
    compiled: CompiledProgram, trigger: Trigger, sizes: Sizes
) -> Iterator[Operation]:
    """All operations of a trigger, with the matrices it always evaluates anew."""
    for step in trigger.steps:
        yield from step_operations(step, sizes)
    anew = {each.view.name for each in trigger.reevaluated}
    yield from evaluation_operations(compiled, anew, sizes)


def evaluation_operations(
    compiled: CompiledProgram, names: Iterable[str], sizes: Sizes
) -> Iterator[Operation]:
    """All operations of evaluating these matrices, and those on the way that are not kept."""
    for statement in needed_statements(compiled.program, set(names), compiled.kept):
        yield from operations(statement.value, sizes)


def input_operations(event: Event, sizes: Sizes) -> Iterator[Operation]:
    """All operations of changing the inputs alone."""
    if isinstance(event, MatricesChanged):
        for each in event.changes:
            yield from step_operations(Apply(each.input, each.left, each.right), sizes)


def affected(compiled: CompiledProgram, changed: Iterable[str]) -> frozenset[str]:
    """The kept matrices that change with these inputs."""
    return compiled.program.readers(changed) & compiled.kept


def kept_bytes(compiled: CompiledProgram, sizes: Sizes) -> int:
    """The memory of the inputs and of all kept matrices."""
    program = compiled.program
    shapes = [each.shape for each in program.inputs]
    shapes += [each.value.shape for each in program.statements if each.name in compiled.kept]
    return sum(_BYTES * rows * cols for rows, cols in (each.value(sizes) for each in shapes))


def passing_bytes(compiled: CompiledProgram, sizes: Sizes) -> int:
    """The most memory that matrices take at once which are evaluated but not kept."""
    order = needed_statements(compiled.program, set(compiled.kept), compiled.kept)
    last = {name: number for number, s in enumerate(order) for name in names_read(s.value)}
    held: dict[str, int] = {}
    most = 0
    for number, statement in enumerate(order):
        if statement.name not in compiled.kept:
            rows, cols = statement.value.shape.value(sizes)
            held[statement.name] = _BYTES * rows * cols
        most = max(most, sum(held.values()))
        held = {name: size for name, size in held.items() if last.get(name, 0) > number}
    return most


def unbound(program: Program, sizes: Sizes) -> list[str]:
    """The names of sizes that have no number yet."""
    names = {name for each in program.inputs for name in each.shape.names}
    return sorted(names - sizes.keys())
