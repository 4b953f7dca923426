"""Chooses the rule of every operator, and says what it costs in state and recomputation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from slackwater.algebra.fingerprint import fingerprint
from slackwater.algebra.operators import Recompute
from slackwater.algebra.rel import Rel
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.rules.base import Need, Rule
from slackwater.optimizer.rules.im1.aggregate_extremes import GuardExtremes
from slackwater.optimizer.rules.im1.aggregate_groups import RedoGroups
from slackwater.optimizer.rules.im1.aggregate_sums import AdjustSums
from slackwater.optimizer.rules.im1.constant import KeepRange, KeepValues
from slackwater.optimizer.rules.im1.expand import ExpandChanges
from slackwater.optimizer.rules.im1.filter import FilterChanges
from slackwater.optimizer.rules.im1.generate import GenerateChanges
from slackwater.optimizer.rules.im1.inner_join import JoinChanges
from slackwater.optimizer.rules.im1.limit import IgnoreOrder, RedoLimit
from slackwater.optimizer.rules.im1.matching_join import MATCHING_JOINS
from slackwater.optimizer.rules.im1.project import ProjectChanges
from slackwater.optimizer.rules.im1.recompute import RecomputeAll
from slackwater.optimizer.rules.im1.scan import ReadChanges
from slackwater.optimizer.rules.im1.union import UnionChanges
from slackwater.optimizer.rules.im1.window import RedoPartitions
from slackwater.types.storage import storable

RULES: tuple[Rule[Any], ...] = (
    ReadChanges(),
    KeepValues(),
    KeepRange(),
    FilterChanges(),
    ProjectChanges(),
    ExpandChanges(),
    GenerateChanges(),
    UnionChanges(),
    JoinChanges(),
    *MATCHING_JOINS,
    # Running values first: they are smaller and never read a group's rows again.
    AdjustSums(),
    GuardExtremes(),
    RedoGroups(),
    RedoPartitions(),
    RedoLimit(),
    IgnoreOrder(),
)
RECOMPUTE = RecomputeAll()


@dataclass(frozen=True, slots=True)
class Choice:
    """The rule an operator follows, why better ones do not fit, and why it recomputes."""

    rel: Rel
    rule: Rule[Any]
    refused: tuple[tuple[str, str], ...]
    recomputes: str | None


class Chooser:
    """Chooses rules under given facts, once per relation."""

    def __init__(self, facts: Facts):
        """Nothing is chosen yet."""
        self.facts = facts
        self._choices: dict[str, Choice] = {}
        self._state: dict[str, tuple[str, ...]] = {}

    def choice(self, rel: Rel) -> Choice:
        """The first rule that fits the operator and whose state can be stored."""
        key = fingerprint(rel)
        if key not in self._choices:
            self._choices[key] = self._choose(rel)
        return self._choices[key]

    def needs(self, rel: Rel) -> tuple[Need, ...]:
        """The state the operator's rule keeps."""
        return self.choice(rel).rule.needs(rel, self.facts)

    def state_below(self, rel: Rel) -> tuple[str, ...]:
        """The ids of all arrangements that the operators of a plan keep."""
        key = fingerprint(rel)
        if key not in self._state:
            kept = (need for each in self.kept_operators(rel) for need in self.needs(each))
            self._state[key] = tuple(dict.fromkeys(need.arrangement.id for need in kept))
        return self._state[key]

    def kept_operators(self, rel: Rel) -> Iterator[Rel]:
        """The operators kept by rules, inputs first; below a recomputed part there are none."""
        if not isinstance(self.choice(rel).rule, RecomputeAll):
            for each in rel.inputs:
                yield from self.kept_operators(each)
        yield rel

    @staticmethod
    @lru_cache(maxsize=64)
    def under(facts: Facts) -> Chooser:
        """The chooser for these facts, with what it has chosen before."""
        return Chooser(facts)

    def _choose(self, rel: Rel) -> Choice:
        refused: list[tuple[str, str]] = []
        for rule in RULES:
            if not isinstance(rel, rule.operator):
                continue
            reason = rule.refuses(rel, self.facts) or self._unstorable(rule, rel)
            if reason is None:
                return Choice(rel, rule, tuple(refused), rule.recomputes(rel))
            refused.append((rule.name, reason))
        why = rel.reason if isinstance(rel, Recompute) else None
        last = refused[-1][1] if refused else "no rule keeps it incrementally"
        return Choice(rel, RECOMPUTE, tuple(refused), why or last)

    def _unstorable(self, rule: Rule[Any], rel: Rel) -> str | None:
        for need in rule.needs(rel, self.facts):
            for dtype in need.arrangement.types:
                reason = storable(dtype)
                if reason is not None:
                    return reason
        return None
