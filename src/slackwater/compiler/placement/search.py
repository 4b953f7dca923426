"""Chooses a way to take each step: few blocks first, then few bytes that move.

Two passes over the steps. Forwards, it is found out what each frame costs in each place if it has
to be there by the first, second, ... block. Backwards, each step is taken in the cheapest way that
serves everybody who reads its frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from slackwater.compiler.placement.frame_prices import EXCESS, Pricing
from slackwater.compiler.placement.modes import (
    ANY,
    EVERYWHERE,
    KEYED,
    Choice,
    Choices,
    Mode,
)
from slackwater.compiler.placement.placement_options import PlacementOptions
from slackwater.plan.program import AppendStep

_LATE = 1e24
_MOST_BLOCKS = 24


@dataclass(slots=True)
class Chosen:
    """How each frame is made: None if nobody needs it that way."""

    modes: list[Mode | None]
    copies: list[Mode | None]
    """How every partition has all of it, unless it is sent there."""
    sent_everywhere: list[bool]


Costs = list[list[float]]
"""By frame and place."""


def choose(choices: Choices, pricing: Pricing, options: PlacementOptions) -> Chosen:
    """The ways in which the steps of a program are taken."""
    search = _Search(choices, pricing, options)
    return search.backwards(search.forwards())


@dataclass(slots=True)
class _Search:
    choices: Choices
    pricing: Pricing
    options: PlacementOptions
    modes: list[tuple[Mode, ...]] = field(init=False)
    needed: list[bool] = field(init=False)
    """The steps that are wanted for themselves."""

    def __post_init__(self) -> None:
        steps = self.choices.steps
        self.modes = [self._modes(number, choice) for number, choice in enumerate(steps)]
        alone = not self.options.eliminate
        self.needed = [
            isinstance(each.step, AppendStep) or (alone and not each.is_partial) for each in steps
        ]

    def _modes(self, number: int, choice: Choice) -> tuple[Mode, ...]:
        if isinstance(choice.step, AppendStep) and choice.step.fill:
            large = self.pricing.rows[number] >= self.options.divided_fill_rows
            keyed = tuple(each for each in choice.modes if _is_keyed(each))
            return keyed if large and keyed else choice.modes
        return choice.modes if self.options.simplify else (_plainest(choice),)

    def forwards(self) -> list[Costs]:
        """The costs of all frames in all places by the first, second, ... block."""
        levels: list[Costs] = []
        while len(levels) < _MOST_BLOCKS:
            before = levels[-1] if levels else None
            now = self._level(before)
            if now == before:
                break
            levels.append(now)
            if all(now[n][ANY] < EXCESS for n, needed in enumerate(self.needed) if needed):
                break
        return levels

    def _level(self, before: Costs | None) -> Costs:
        now: Costs = []
        for number, choice in enumerate(self.choices.steps):
            row = [inf] * (KEYED + len(choice.terms))
            for mode in self.modes[number]:
                cost = 0.0
                for slot in mode.slots:
                    cost += now[slot.frame][slot.place]
                for place in mode.gives:
                    whole = cost + (self._alone(number, place) if mode.first else 0.0)
                    row[place] = min(row[place], whole)
            for mode in choice.copies:
                cost = self.pricing.frames[number].copy
                for slot in mode.slots:
                    cost += now[slot.frame][slot.place]
                row[EVERYWHERE] = min(row[EVERYWHERE], cost)
            if before is not None:
                known, moves = before[number], self.pricing.moves[number]
                base = known[ANY]
                for place, move in enumerate(moves):
                    row[place] = min(row[place], known[place])
                    if place != ANY and base + move < row[place]:
                        row[place] = base + move
            now.append(row)
        return now

    def _alone(self, number: int, place: int) -> float:
        """What it costs to leave a step to the first partition."""
        prices = self.pricing.frames[number]
        return prices.undivided if place == ANY else prices.alone

    def backwards(self, levels: list[Costs]) -> Chosen:
        """The modes by which all demands are met, with the fewest bytes as far as can be seen."""
        steps = self.choices.steps
        last = self._last(levels)
        demands: list[dict[int, int]] = [{} for _ in steps]
        chosen = Chosen([None] * len(steps), [None] * len(steps), [False] * len(steps))
        for number in reversed(range(len(steps))):
            wanted = demands[number]
            if self.needed[number]:
                wanted.setdefault(ANY, last)
            if EVERYWHERE in wanted:
                self._choose_copy(number, wanted, demands, levels, chosen)
            if wanted:
                mode, level = self._choose_mode(number, wanted, demands, levels)
                chosen.modes[number] = mode
                _demand(mode, level, demands)
        return chosen

    def _last(self, levels: list[Costs]) -> int:
        """The block by which everything can be done with no more excess than there must be."""
        found = 0
        for number, needed in enumerate(self.needed):
            if needed:
                costs = [level[number][ANY] for level in levels]
                excess = [cost if cost == inf else cost // EXCESS for cost in costs]
                found = max(found, excess.index(min(excess)))
        return found

    def _choose_copy(
        self,
        number: int,
        wanted: dict[int, int],
        demands: list[dict[int, int]],
        levels: list[Costs],
        chosen: Chosen,
    ) -> None:
        by = wanted.pop(EVERYWHERE)
        best, found = inf, None
        for mode in self.choices.steps[number].copies:
            cost = self.pricing.frames[number].copy + _cost(mode, by, demands, levels)
            if cost < best:
                best, found = cost, mode
        sent = self.pricing.frames[number].replicate
        if not any(level < by for level in wanted.values()):
            sent += levels[by - 1][number][ANY] if by else inf
        if found is None or sent < best:
            chosen.sent_everywhere[number] = True
            wanted[ANY] = min(wanted.get(ANY, by), max(by - 1, 0))
        else:
            chosen.copies[number] = found
            _demand(found, by, demands)

    def _choose_mode(
        self,
        number: int,
        wanted: dict[int, int],
        demands: list[dict[int, int]],
        levels: list[Costs],
    ) -> tuple[Mode, int]:
        if self.choices.steps[number].is_stored:
            # Whoever reads it reads what it needs: each of its places is there at once.
            return self.modes[number][0], 0
        moves = self.pricing.moves[number]
        best: tuple[float, Mode, int] | None = None
        # What need not be there before has the more ways to get there.
        for level in reversed(range(min(max(wanted.values()), len(levels) - 1) + 1)):
            for mode in self.modes[number]:
                cost = _cost(mode, level, demands, levels)
                if mode.first:
                    cost += max(self._alone(number, place) for place in wanted)
                for place, by in wanted.items():
                    if place == ANY or place in mode.gives:
                        cost += _LATE * max(0, level - by)
                    else:
                        cost += moves[place] + _LATE * max(0, level + 1 - by)
                if best is None or cost < best[0]:
                    best = (cost, mode, level)
        if best is None:
            raise AssertionError("a step without a mode")
        return best[1], best[2]


def _cost(mode: Mode, level: int, demands: list[dict[int, int]], levels: list[Costs]) -> float:
    """What it costs to read where a mode does, beside what is there for others anyway."""
    known = levels[level]
    total = 0.0
    for number, place in ((slot.frame, slot.place) for slot in mode.slots):
        others = demands[number]
        if place == ANY:
            free = any(p != EVERYWHERE and by <= level for p, by in others.items())
        else:
            free = others.get(place, inf) <= level
        if not free:
            total += known[number][place]
    return total


def _demand(mode: Mode, level: int, demands: list[dict[int, int]]) -> None:
    for slot in mode.slots:
        wanted = demands[slot.frame]
        wanted[slot.place] = min(wanted.get(slot.place, level), level)


def _is_keyed(mode: Mode) -> bool:
    return all(slot.place >= KEYED for slot in mode.slots)


def _plainest(choice: Choice) -> Mode:
    """Row by row if it can be, else by all keys; whatever is read by a key is sent there."""
    modes = choice.modes
    rowwise = (each for each in modes if all(slot.place == ANY for slot in each.slots))
    mode = next(rowwise, modes[0])
    return Mode(mode.slots, (ANY,), mode.variant, mode.first)
