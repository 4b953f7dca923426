"""Plans of views as JSON and back.

The relations themselves are part of the view's definition; a stored plan says only how each of
their operators is kept, in the same order.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from slackwater.algebra.rel import Rel
from slackwater.algebra.serial import decode, encode
from slackwater.errors import DataError, InvariantError
from slackwater.plan.arrangements import Arrangement, Role
from slackwater.plan.facts import Facts, LargeWindow
from slackwater.plan.view_plan import Alternative, KeptState, OperatorPlan, Refusal, ViewPlan

LAYOUT = 1


def dump_view_plan(plan: ViewPlan) -> str:
    """The plan as JSON text."""
    known = plan.facts
    large = [[each.window, each.shift] for each in sorted(known.large_windows)]
    facts = {
        **asdict(known),
        "append_only": sorted(known.append_only),
        "large_windows": large,
    }
    content = {
        "layout": LAYOUT,
        "facts": facts,
        "answer_only": plan.answer_only,
        "by_price": plan.by_price,
        "answer": _dump_arrangement(plan.answer),
        "root": _dump_operator(plan.root),
        "read": _dump_operator(plan.read),
    }
    return json.dumps(content, separators=(",", ":"))


def load_view_plan(text: str, stored: Rel, read: Rel) -> ViewPlan:
    """The plan that `dump_view_plan` wrote, about the same relations.

    Raises `DataError` if another version wrote it in a way of its own.
    """
    content = json.loads(text)
    if content["layout"] != LAYOUT:
        raise DataError(f"a stored plan has layout {content['layout']}, not {LAYOUT}")
    return ViewPlan(
        _load_operator(content["root"], stored),
        _load_arrangement(content["answer"]),
        _load_operator(content["read"], read),
        _load_facts(content["facts"]),
        content["answer_only"],
        content.get("by_price", False),
    )


def _load_facts(content: dict[str, Any]) -> Facts:
    windows = frozenset(LargeWindow(*each) for each in content.get("large_windows", ()))
    grown = frozenset(content["append_only"])
    return Facts(**{**content, "append_only": grown, "large_windows": windows})


def _dump_operator(plan: OperatorPlan) -> dict[str, Any]:
    chosen = plan.chosen
    return {
        "method": chosen.method,
        "recomputes": chosen.recomputes,
        "unstable": chosen.unstable,
        "shift": chosen.shift,
        "state": [_dump_state(each, plan.rel) for each in chosen.state],
        "refused": [[each.method, each.reason] for each in plan.refused],
        "inputs": [_dump_operator(each) for each in plan.inputs],
    }


def _load_operator(content: dict[str, Any], rel: Rel) -> OperatorPlan:
    state = tuple(_load_state(each, rel) for each in content["state"])
    pairs = zip(content["inputs"], rel.inputs, strict=True)
    shift = content.get("shift")
    return OperatorPlan(
        rel,
        Alternative(content["method"], state, content["recomputes"], content["unstable"], shift),
        tuple(_load_operator(each, below) for each, below in pairs),
        tuple(Refusal(*each) for each in content["refused"]),
    )


def _dump_state(state: KeptState, rel: Rel) -> dict[str, Any]:
    return {
        "arrangement": _dump_arrangement(state.arrangement),
        "owner": _way_to(state.owner, rel),
        "settled": state.settled,
    }


def _load_state(content: dict[str, Any], rel: Rel) -> KeptState:
    owner = rel
    for position in content["owner"]:
        owner = owner.inputs[position]
    return KeptState(_load_arrangement(content["arrangement"]), owner, content["settled"])


def _way_to(owner: Rel, rel: Rel) -> list[int]:
    """The inputs to follow from an operator to the relation whose rows it keeps."""
    if owner is rel:
        return []
    for position, each in enumerate(rel.inputs):
        try:
            return [position, *_way_to(owner, each)]
        except InvariantError:
            continue
    raise InvariantError(f"state of a {type(owner).__name__} that is not below its operator")


def _dump_arrangement(arrangement: Arrangement) -> dict[str, Any]:
    return {
        "owner": arrangement.owner,
        "role": arrangement.role.value,
        "types": encode(arrangement.types),
        "key": encode(arrangement.key),
    }


def _load_arrangement(content: dict[str, Any]) -> Arrangement:
    return Arrangement(
        content["owner"],
        Role(content["role"]),
        decode(content["types"]),
        decode(content["key"]),
    )
