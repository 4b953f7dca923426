"""Prints triggers as the paper does: what changes, the factors, the updates."""

from __future__ import annotations

from typing import assert_never

from slackwater.linalg.build import transposed
from slackwater.linalg.matrix_text import print_expr
from slackwater.linalg.triggers import (
    Append,
    Apply,
    Assign,
    CompiledProgram,
    Compress,
    Event,
    Guard,
    MatricesChanged,
    Reevaluate,
    RowsChanged,
    Step,
    Trigger,
)


def print_compiled(compiled: CompiledProgram) -> str:
    """The statements, what is kept of them, and every trigger."""
    kept = [each.name for each in compiled.program.statements if each.name in compiled.kept]
    parts = [f"{compiled.program}% kept: {', '.join(kept)}"]
    return "\n\n".join([*parts, *(print_trigger(each) for each in compiled.triggers)]) + "\n"


def print_trigger(trigger: Trigger) -> str:
    """The event on a line, the steps below."""
    lines = [f"  {_step_text(step)}" for step in trigger.steps]
    return "\n".join([f"ON {_event_text(trigger.event)}:", *lines])


def _event_text(event: Event) -> str:
    match event:
        case MatricesChanged(changes):
            each = [f"{c.input.name} BY ({c.left.name}, {c.right.name})" for c in changes]
            return f"UPDATE {', '.join(each)}"
        case RowsChanged(bag, rows, weights):
            changed = ", ".join(each.name for _, each in (*rows, weights))
            return f"ROWS OF {bag} BY ({changed})"
        case _:
            assert_never(event)


def _step_text(step: Step) -> str:
    match step:
        case Assign(target, value):
            return f"{target.name} := {print_expr(value)};"
        case Guard(target, value):
            return f"{target.name} := inv({print_expr(value)});  % unless nearly singular"
        case Compress(left, right, made_left, made_right):
            return f"({made_left.name}, {made_right.name}) := compress({left.name}, {right.name});"
        case Apply():
            return _apply_text(step)
        case Append(given, rows):
            return f"{given.name} := [{given.name}; {rows.name}];"
        case Reevaluate(view, reason):
            return f"evaluate {view.name};  % {reason}"
        case _:
            assert_never(step)


def _apply_text(step: Apply) -> str:
    if step.whole is not None:
        return f"{step.view.name} += {print_expr(step.whole)};  % dense"
    turned = print_expr(transposed(step.right))
    return f"{step.view.name} += {print_expr(step.left)} * {turned};  % rank {step.rank}"
