"""Weighs, by price, keeping a view incrementally against starting it over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from slackwater.compiler.tasks import Action
from slackwater.engine.decide import Decision
from slackwater.engine.definitions import RefreshPolicy
from slackwater.plan.costs import Sizes, step_seconds
from slackwater.plan.prices import Rates
from slackwater.plan.program import AppendStep, Program

Decisions = tuple[Decision, ...]
_WORTH_IT = 0.1
"""Seconds that starting over has to save: guesses are rough, and nobody expects it."""


class Weighing:
    """Settles what is done with views whose policy leaves it open."""

    def __init__(
        self,
        write: Callable[[Decisions], Program],
        sizes: Sizes,
        rates: Rates,
        state: Mapping[str, frozenset[str]],
    ):
        """`state` names, by view, the arrangements that are kept for it."""
        self._write = write
        self._sizes = sizes
        self._rates = rates
        self._state = state

    def settle(self, decisions: Decisions) -> tuple[Decisions, Program]:
        """The decisions after all is weighed, and the program that follows from them.

        A view is weighed only if its share of the run costs more than reading its sources once
        would: starting over costs at least that.
        """
        program = self._write(decisions)
        shares = self._shares(program)
        settled = list(decisions)
        for number, each in enumerate(decisions):
            if each.view.policy is not RefreshPolicy.AUTO or each.action is not Action.INCREMENTAL:
                continue
            keeping = shares[each.view.name]
            settled[number] = _priced(each, keeping, None)
            least = self._rates.row * each.candidates[1].rows
            if keeping > least + _WORTH_IT:
                anew = [*settled]
                anew[number] = replace(each, action=Action.REBUILD)
                other = self._write(tuple(anew))
                over = keeping + self._total(other) - self._total(program)
                settled[number] = _priced(each, keeping, over)
                if settled[number].action is Action.REBUILD:
                    program = other
        return tuple(settled), program

    def _total(self, program: Program) -> float:
        return sum(step_seconds(program, self._sizes, self._rates))

    def _shares(self, program: Program) -> dict[str, float]:
        """The part of a run's seconds that each view is answerable for."""
        seconds = step_seconds(program, self._sizes, self._rates)
        owners = {name: _steps_behind(program, kept) for name, kept in self._state.items()}
        sharers = Counter(number for steps in owners.values() for number in steps)
        return {
            name: sum(seconds[number] / sharers[number] for number in steps)
            for name, steps in owners.items()
        }


def _steps_behind(program: Program, kept: frozenset[str]) -> set[int]:
    """The numbers of the steps that some state depends on."""
    wanted: set[str] = set()
    found: set[int] = set()
    for number in range(len(program.steps) - 1, -1, -1):
        step = program.steps[number]
        names = kept if isinstance(step, AppendStep) else wanted
        if step.name in names:
            found.add(number)
            wanted.update(step.reads)
    return found


def _priced(decision: Decision, keeping: float, over: float | None) -> Decision:
    """The decision for what is cheaper, with both prices; None if starting over has none."""
    changes, anew = decision.candidates
    candidates = (replace(changes, seconds=keeping), replace(anew, seconds=over))
    if over is None or over + _WORTH_IT >= keeping:
        return replace(decision, candidates=candidates)
    reason = f"{decision.reason}: about {keeping:.1f} s incrementally, {over:.1f} s from the start"
    return replace(decision, action=Action.REBUILD, reason=reason, candidates=candidates)
