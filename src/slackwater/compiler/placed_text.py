"""Prints a placed program for readers: its blocks, and what moves between them."""

from __future__ import annotations

from collections.abc import Callable

from slackwater.compiler.program_text import print_program_step
from slackwater.plan.placed import Block, Move, PlacedProgram, Reading, Send
from slackwater.plan.program import ComputeStep, Step

_READINGS = {
    Reading.RANGE: "",
    Reading.WHOLE: " IN EVERY PARTITION",
    Reading.FIRST: " IN THE FIRST PARTITION",
}
_MOVES = {
    Move.REPARTITION: "BY",
    Move.GATHER: "TO THE FIRST PARTITION",
    Move.REPLICATE: "TO EVERY PARTITION",
    Move.STAY: "WHERE IT IS",
}


def print_placed(program: PlacedProgram) -> str:
    """The blocks in their order, each with what it sends at its end."""
    return _blocks(program, print_program_step)


def outline_placed(program: PlacedProgram) -> str:
    """The same with one line for a statement: what it is made of."""
    return _blocks(program, _outline)


def _outline(step: Step) -> str:
    if not isinstance(step, ComputeStep):
        return print_program_step(step)
    parts = "".join(f"{name}, " for name, _ in step.parts)
    through = f" THROUGH {parts[:-2]}" if parts else ""
    return f"{step.name} := FROM {', '.join(step.reads) or 'NOTHING'}{through}"


def _blocks(program: PlacedProgram, text: Callable[[Step], str]) -> str:
    return "\n".join(
        f"---- block {number}\n{_block(block, program, text)}"
        for number, block in enumerate(program.blocks)
    )


def _block(block: Block, program: PlacedProgram, text: Callable[[Step], str]) -> str:
    lines = []
    for step in block.steps:
        line = text(step)
        if step.is_stored:
            line += _READINGS[program.readings[step.name]]
        elif step.name in block.first:
            line = f"FIRST PARTITION: {line}"
        lines.append(line)
    return "\n".join((*lines, *map(_send, block.sends)))


def _send(send: Send) -> str:
    how = _MOVES[send.move] + (f" {send.by}" if send.by else "")
    return f"SEND {send.frame} {how} AS {send.arrives_as} FOR BLOCK {send.block}"
