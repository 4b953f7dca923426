"""Prints the steps of a program for readers: one line a step, statements below it."""

from __future__ import annotations

from typing import assert_never

from slackwater.compiler.spark_sql import print_step
from slackwater.plan.arrangements import Arrangement
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    FragmentStep,
    GatherStep,
    LookUpStep,
    SourceChangesStep,
    SourceRowsStep,
    StateRowsStep,
    Step,
)


def print_program_step(step: Step) -> str:
    """One step."""
    match step:
        case ComputeStep(name=name):
            lines = print_step(step).splitlines()
            return f"{name} :=\n" + "\n".join(f"    {line}" for line in lines)
        case SourceChangesStep(name=name, source=source):
            return f"{name} := CHANGES OF {source}"
        case SourceRowsStep(name=name, source=source):
            return f"{name} := ALL ROWS OF {source}"
        case StateRowsStep(name=name, arrangement=arrangement):
            return f"{name} := ALL ROWS OF STATE {arrangement.id}"
        case LookUpStep(name=name, input=read, arrangement=arrangement, nested=nested):
            how = "LOOK UP EACH OF" if nested else "LOOK UP"
            return f"{name} := {how} {read} IN STATE {_by(arrangement)}"
        case GatherStep(name=name, input=read, arrangement=arrangement):
            return f"{name} := GATHER WHAT {read} TOUCHES IN STATE {_by(arrangement)}"
        case FragmentStep(name=name, fragment=fragment):
            return f"{name} := RUN BY SPARK {fragment}"
        case AppendStep(input=read, arrangement=arrangement, fill=fill):
            return f"STATE {arrangement.id} {':=' if fill else '+='} {read}"
        case _:
            assert_never(step)


def _by(arrangement: Arrangement) -> str:
    return f"{arrangement.id} BY ({', '.join(arrangement.key_texts)})"
