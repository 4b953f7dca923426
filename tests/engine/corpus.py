"""The corpus as views: all of it in groups that share a home, and a sample with every rule."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from slackwater.workloads.corpus import CorpusQuery, load_corpus

HERE = Path(__file__).parent
CORPUS = load_corpus(HERE.parent / "oracle" / "queries")
WHY = HERE / "why.txt"


@dataclass(frozen=True)
class Group:
    """Queries over one data set that are kept in one home."""

    data: str
    number: int
    queries: tuple[CorpusQuery, ...]

    def __str__(self) -> str:
        """Names the test."""
        return f"{self.data}-{self.number}"


def groups(queries: Iterable[CorpusQuery], size: int) -> list[Group]:
    """Queries by data set, so many to a home."""
    found: dict[str, list[CorpusQuery]] = {}
    for query in queries:
        found.setdefault(query.data, []).append(query)
    return [
        Group(data, start // size, tuple(members[start : start + size]))
        for data, members in found.items()
        for start in range(0, len(members), size)
    ]


def sample(count: int, seed: int) -> list[CorpusQuery]:
    """All of TPC-H, then queries that follow rules not yet seen, then any."""
    rules = rules_on_record()
    order = random.Random(seed).sample(CORPUS, len(CORPUS))
    chosen = [query for query in order if query.name.startswith("tpch/")]
    seen = {rule for query in chosen for rule in rules[query.name]}
    for query in order:
        if rules[query.name] - seen:
            chosen.append(query)
            seen |= rules[query.name]
    chosen += [query for query in order if query not in chosen][: max(0, count - len(chosen))]
    return sorted(chosen, key=lambda query: query.name)


def rules_on_record() -> Mapping[str, frozenset[str]]:
    """The rules that each query follows, as the golden file says."""
    lines = (line.partition(": ") for line in WHY.read_text(encoding="utf-8").splitlines())
    return {
        name: frozenset(text.split(", ")) for name, _, text in lines if not name.startswith(" ")
    }


def names(queries: Sequence[CorpusQuery]) -> list[str]:
    """The names of queries."""
    return [query.name for query in queries]
