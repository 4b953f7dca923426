"""Names for parts of a query that are left to Spark: equal parts have equal names, others not."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence

from slackwater.frontend.sql.catalyst import Node
from slackwater.frontend.sql.companion import Companion
from slackwater.frontend.sql.leaves import LEAVES

_ID_SUFFIX = re.compile(r"#(\d+)L?")


def fragment_name(text: str, sources: Sequence[str]) -> str:
    """A name made from the text of a plan, with Catalyst's ids replaced by their order.

    The text does not say what its leaves stand for, so that their sources are part of the name.
    """
    order: dict[str, str] = {}
    stable = _ID_SUFFIX.sub(lambda found: f"#{order.setdefault(found[1], str(len(order)))}", text)
    whole = json.dumps([stable, *sources])
    return f"fragment_{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def sources_read(node: Node, companion: Companion) -> Iterator[str]:
    """The sources read anywhere below a plan node, leaf by leaf, subqueries included."""
    for each in node.walk():
        if each.name in LEAVES and "output" in each.fields:
            source = companion.source_name(each)
            if source is not None:
                yield source
        for name in each.fields:
            for expression in each.expressions(name):
                for inner in expression.walk():
                    if inner.fields.get("plan"):
                        yield from sources_read(inner.subplan(), companion)
