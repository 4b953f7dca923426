"""The page that says of every function how views keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .verdicts import Verdict

KINDS = ("incremental", "recomputed", "refused", "not tried")

_HEAD = """# Functions

How views keep every built-in function of Spark {version}. `tests/functions` turns the examples by
which Spark describes its functions into views; the numbers count examples. The page is written by
`SLACKWATER_REGENERATE=1 make test-deep ARGS=tests/functions`.

- **incremental**: part of our algebra. A change is taken in by itself, or together with the group
  or partition that it touches.
- **recomputed**: left to Spark, which computes that part of the query anew in every run that
  changes it.
- **refused**: Spark itself cannot repeat the answer.
- **not tried**: Spark refuses the example here, or it is no query over rows.

{totals}

| function | incremental | recomputed | refused | not tried | why |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class FunctionLine:
    """What is known of one function."""

    name: str
    verdicts: tuple[Verdict, ...]

    @property
    def counts(self) -> Counter[str]:
        """How many examples are kept in each way."""
        return Counter(each.kind for each in self.verdicts)

    @property
    def kept(self) -> str:
        """The function as a whole."""
        kinds = set(self.counts) - {"not tried"}
        if len(kinds) == 1:
            return kinds.pop()
        return "in part" if kinds else "not tried"

    def render(self) -> str:
        """The line of the table."""
        counts = self.counts
        cells = [str(counts[kind] or "") for kind in KINDS]
        reasons = dict.fromkeys(each.reason for each in self.verdicts if each.reason)
        name = self.name.replace("|", "\\|")
        why = "; ".join(reasons).replace("|", "\\|")
        return f"| `{name}` | {' | '.join(cells)} | {why} |"


def render(version: str, lines: Sequence[FunctionLine]) -> str:
    """The whole page."""
    totals = _totals(lines)
    body = "\n".join(line.render() for line in lines)
    return _HEAD.format(version=version, totals=totals) + body + "\n"


def _totals(lines: Iterable[FunctionLine]) -> str:
    functions: Counter[str] = Counter()
    examples: Counter[str] = Counter()
    for line in lines:
        functions[line.kept] += 1
        examples += line.counts
    of_functions = ", ".join(
        f"{functions[kind]} {kind}" for kind in (*KINDS[:2], "in part", *KINDS[2:])
    )
    of_examples = ", ".join(f"{examples[kind]} {kind}" for kind in KINDS)
    return (
        f"Of {sum(functions.values())} functions: {of_functions}. "
        f"Of {sum(examples.values())} examples: {of_examples}."
    )


def lines_of(text: str) -> Mapping[str, str]:
    """The lines of a page by function."""
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return {row.split("`")[1].replace("\\|", "|"): row for row in rows}
