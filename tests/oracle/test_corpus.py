"""The fidelity law on the corpus: our plan, compiled back and run, gives exactly Spark's answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from slackwater.algebra.invariants import check_plan
from slackwater.reading.compare import compare_bags
from slackwater.workloads.corpus import CorpusQuery, load_corpus

HERE = Path(__file__).parent
CORPUS = load_corpus(HERE / "queries")
RECOMPUTED = HERE / "recomputed.txt"


@pytest.mark.parametrize("query", CORPUS, ids=lambda query: query.name)
def test_answer_is_sparks(query: CorpusQuery, data_sets) -> None:
    data = data_sets[query.data]
    planned = data.plan(query.sql)
    check_plan(planned.rel)
    expected = data.plain.sql(query.sql)
    difference = compare_bags(data.run(planned), expected, ordered=query.ordered)
    assert difference is None, difference.render()


def test_corpus_is_represented(data_sets, capsys: pytest.CaptureFixture[str]) -> None:
    """At least 95 % without a part left to Spark; each such part and its reason is on record."""
    reasons = {
        query.name: [leaf.reason for leaf in data_sets[query.data].plan(query.sql).recomputed]
        for query in CORPUS
    }
    left = {name: found for name, found in reasons.items() if found}
    lines = [f"{name}: {reason}" for name, found in sorted(left.items()) for reason in found]
    report = [f"fully represented: {len(CORPUS) - len(left)} of {len(CORPUS)} queries"]
    report += [f"  left to Spark: {line}" for line in lines]
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(report) + "\n")
    assert lines == RECOMPUTED.read_text().splitlines()
    assert len(left) <= 0.05 * len(CORPUS)
