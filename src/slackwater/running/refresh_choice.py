"""Weighs, by price, taking changes into a view against starting it over and computing it anew.

Computing a view anew is cheaper for one run, but leaves it without the state that later runs
need to take changes in. So a view does not switch on a single price: the seconds by which the
other way would have been cheaper add up, run by run, to its *regret*, and it switches once the
regret has reached the price of switching. Whatever the changes are like, a view so never costs
more than about twice what the better of both ways would have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from slackwater.catalog.definitions import RefreshPolicy
from slackwater.compiler.tasks import Action
from slackwater.plan.observations import Observed
from slackwater.plan.prices import Rates
from slackwater.plan.program import AppendStep, Origin, Program
from slackwater.running.decide import Candidate, Decision

Decisions = tuple[Decision, ...]
_WORTH_IT = 0.1
"""The least seconds that another way must save: prices are rough estimates."""
_LESS = 0.8
"""The part of the price of taking changes in that it may cost at most."""
_USUAL = 0.2
"""The share of rows above which a change says nothing of those to come."""
_LEAST_SHARE = 0.1
"""A refresh after a smaller change than the last is taken to cost this part of it at least."""


class PricedRun(Protocol):
    """The questions that weighing asks of a priced program."""

    @property
    def seconds(self) -> tuple[float, ...]:
        """Seconds by step."""

    @property
    def total(self) -> float:
        """Seconds of the run."""

    @property
    def engine(self) -> str:
        """The engine it would run on."""

    @property
    def rates(self) -> Rates:
        """The prices there."""

    @property
    def slowdown(self) -> float:
        """The factor by which its steps took longer than their prices."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of earlier runs of a view."""

    regret: float = 0.0
    """Seconds that could have been saved by the other way since the view last switched."""
    incremental: Observed | None = None
    """The last run that took changes in: changed rows, and the view's own seconds."""


def regret_origin(view: str) -> Origin:
    """The key under which a view's regret is remembered."""
    return Origin(f"view {view}", "regret")


def incremental_origin(view: str) -> Origin:
    """The key under which the cost of a view's last incremental run is remembered."""
    return Origin(f"view {view}", "incremental")


class Weighing:
    """Settles the actions of views whose policy leaves them open."""

    def __init__(
        self,
        write: Callable[[Decisions], Program],
        price: Callable[[Program, float], PricedRun],
        state: Mapping[str, frozenset[str]],
        recall: Callable[[str], Memory],
    ):
        """`state` names, by view, the arrangements that are kept for it.

        `price` also takes the factor by which steps of which nothing is known take longer.
        """
        self._write = write
        self._price = price
        self._state = state
        self._recall = recall

    def settle(self, decisions: Decisions) -> tuple[Decisions, Program]:
        """The decisions after all is weighed, and the program that follows from them."""
        program = self._write(decisions)
        priced = self._price(program, 1.0)
        own = shares(program, priced.seconds, self._state)
        settled = list(decisions)
        for number, each in enumerate(decisions):
            if each.view.policy is not RefreshPolicy.AUTO or not _is_open(each):
                continue
            share = own[each.view.name]
            run = _Way(share.seconds, priced.engine)
            settled[number] = replace(each, candidates=_priced(each, {each.action: run}))
            if run.seconds <= priced.rates.row * each.rows + _WORTH_IT:
                # No other way takes less than reading the sources once.
                continue
            others = {
                other.action: self._other_way(decisions, number, other.action, priced, share)
                for other in each.candidates[1:]
            }
            settled[number] = _settled(each, run, others, self._recall(each.view.name))
        if tuple(each.action for each in settled) != tuple(each.action for each in decisions):
            program = self._write(tuple(settled))
        return tuple(settled), program

    def _other_way(
        self,
        decisions: Decisions,
        number: int,
        action: Action,
        priced: PricedRun,
        share: Share,
    ) -> _Way:
        """The price of something else for one view: what that takes alone, and what stays.

        Steps that other views need too are taken all the same. A program of one view is written
        in milliseconds, where one of all views takes a second.
        """
        alone = tuple(
            replace(each, action=action if place == number else Action.SKIP)
            for place, each in enumerate(decisions)
        )
        other = self._price(self._write(alone), priced.slowdown)
        return _Way(other.total + share.common, other.engine)


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to bring a view up to date: its price and its engine."""

    seconds: float
    engine: str


def _is_open(decision: Decision) -> bool:
    """Tell if there is something to weigh."""
    ways = (Action.INCREMENTAL, Action.RECOMPUTE)
    return decision.action in ways and len(decision.candidates) > 1


def _settled(
    decision: Decision, run: _Way, others: Mapping[Action, _Way], past: Memory
) -> Decision:
    """The decision, with the prices of all ways."""
    priced = replace(decision, candidates=_priced(decision, {decision.action: run, **others}))
    if decision.action is Action.RECOMPUTE:
        return _taken_up_again(priced, run, others[Action.REBUILD], past)
    return _given_up(priced, run, others, past)


def _given_up(
    decision: Decision, run: _Way, others: Mapping[Action, _Way], past: Memory
) -> Decision:
    """Take changes in, unless starting over is cheaper, or computing anew has long been."""
    anew, over = others[Action.RECOMPUTE].seconds, others[Action.REBUILD].seconds
    cheaper = _saves(anew, run.seconds) and decision.changed <= _USUAL * decision.rows
    regret = past.regret + run.seconds - anew if cheaper else 0.0
    if cheaper and regret >= anew and past.incremental is not None:
        # Only what was tried is given up: a first price is a guess.
        prices = f"about {run.seconds:.2f} s to take the change in, {anew:.2f} s anew"
        reason = f"{decision.reason}: {prices}"
        return replace(decision, action=Action.RECOMPUTE, reason=reason)
    decision = replace(decision, regret=regret)
    if not _saves(over, run.seconds):
        return decision
    prices = f"about {run.seconds:.1f} s incrementally, {over:.1f} s from the start"
    return replace(decision, action=Action.REBUILD, reason=f"{decision.reason}: {prices}")


def _taken_up_again(decision: Decision, run: _Way, over: _Way, past: Memory) -> Decision:
    """Compute anew, until taking changes in would have saved what starting over costs."""
    keeping = _expected(past.incremental, decision.changed)
    if keeping is None or not _saves(keeping, run.seconds):
        return decision
    regret = past.regret + run.seconds - keeping
    if regret < over.seconds:
        return replace(decision, regret=regret)
    prices = f"about {keeping:.2f} s to take changes in, {run.seconds:.2f} s anew"
    return replace(decision, action=Action.REBUILD, reason=f"{decision.reason}: {prices}")


def _saves(other: float, seconds: float) -> bool:
    """Tell if another way is cheaper by enough to matter."""
    return other <= min(_LESS * seconds, seconds - _WORTH_IT)


def _expected(last: Observed | None, changed: int) -> float | None:
    """About what taking a change in would cost, going by the last one that was."""
    if last is None or not last.seconds:
        return None
    return last.seconds * max(_LEAST_SHARE, changed / max(1.0, last.rows_in))


def _priced(decision: Decision, ways: Mapping[Action, _Way]) -> tuple[Candidate, ...]:
    return tuple(
        replace(each, seconds=ways[each.action].seconds, engine=ways[each.action].engine)
        if each.action in ways
        else each
        for each in decision.candidates
    )


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a run's seconds that one view causes."""

    seconds: float
    common: float
    """The part of them that goes into steps shared with other views."""


def shares(
    program: Program, seconds: Sequence[float], state: Mapping[str, frozenset[str]]
) -> dict[str, Share]:
    """The share of each view: all of its own steps, and a part of each shared step."""
    owners = {name: _steps_behind(program, kept) for name, kept in state.items()}
    sharers = Counter(number for steps in owners.values() for number in steps)
    found: dict[str, Share] = {}
    for name, steps in owners.items():
        alone = sum(seconds[number] for number in steps if sharers[number] == 1)
        common = sum(seconds[number] / sharers[number] for number in steps if sharers[number] > 1)
        found[name] = Share(alone + common, common)
    return found


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
