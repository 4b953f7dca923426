"""Prints a placed program for readers: its blocks, and what moves between them."""

from __future__ import annotations

from slackwater.compiler.program_text import print_program_step
from slackwater.plan.placed import Block, Move, PlacedProgram, Reading, Send

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
    return "\n".join(
        f"---- block {number}\n{_block(block, program)}"
        for number, block in enumerate(program.blocks)
    )


def _block(block: Block, program: PlacedProgram) -> str:
    lines = []
    for step in block.steps:
        text = print_program_step(step)
        if step.is_stored:
            text += _READINGS[program.readings[step.name]]
        elif step.name in block.first:
            text = f"FIRST PARTITION: {text}"
        lines.append(text)
    return "\n".join((*lines, *map(_send, block.sends)))


def _send(send: Send) -> str:
    how = _MOVES[send.move] + (f" {send.by}" if send.by else "")
    return f"SEND {send.frame} {how} AS {send.arrives_as} FOR BLOCK {send.block}"
