"""Keeps programs in tests, by a strategy that the test chooses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.arrays import infer_sizes
from slackwater.linalg.drift import DriftPolicy
from slackwater.linalg.maintained import MaintainedProgram, Upkeep
from slackwater.linalg.matrix_plan import Strategy, Workload, choose_plan
from slackwater.linalg.matrix_program import Program

from .direct import evaluate_directly
from .samples import Array

ROUNDING = 1e-12
"""Errors are to be below this fraction of the bound that `direct` gives: some 5,000 roundings."""


def keep(
    program: Program | str,
    inputs: Mapping[str, Array],
    strategy: Strategy = Strategy.INCREMENTAL,
    drift: DriftPolicy | None = None,
    *,
    adaptive: bool = False,
) -> MaintainedProgram:
    """The program kept by one strategy, whatever it costs."""
    if isinstance(program, str):
        program = parse_program(program)
    sizes = infer_sizes(program, dict(inputs))
    fixed = [each.name for each in program.inputs if not each.grows]
    ranks = dict.fromkeys([*fixed, *program.bags], 1)
    plan = choose_plan(program, Workload(sizes, ranks), strategies=[strategy])
    return MaintainedProgram(plan, inputs, upkeep=Upkeep(drift or DriftPolicy(), adaptive))


def errors(kept: MaintainedProgram, program: Program | str, inputs: Mapping[str, Array]) -> float:
    """The largest error of an output, as a fraction of the bound on rounding."""
    if isinstance(program, str):
        program = parse_program(program)
    wanted = evaluate_directly(program, inputs, kept.sizes)
    return max(
        float(np.linalg.norm(kept.value(name) - wanted[name].value))
        / max(wanted[name].bound, 1e-300)
        for name in program.outputs
    )
