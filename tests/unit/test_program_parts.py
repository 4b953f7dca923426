"""A program falls into parts that share nothing computed, and is whole again when merged."""

from __future__ import annotations

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import Scan, Union
from slackwater.expr.nodes import ColumnId
from slackwater.plan.arrangements import Arrangement, Role, stored_column
from slackwater.plan.program import AppendStep, ComputeStep, Program, SourceChangesStep, merged
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT


def _kept(name: str) -> Arrangement:
    return Arrangement(name, Role.CONTENTS, (BIGINT,), (stored_column(0, BIGINT),))


def _sql(name: str, *reads: str) -> ComputeStep:
    column = Column(ColumnId(1), "k0", BIGINT)
    scans = tuple(Scan(each, (column,)) for each in reads)
    return ComputeStep(name, Statement(Union(scans, (column,)), ("k0",)))


CHANGES = SourceChangesStep("changes", "orders")
ONE = (_sql("one", "changes"), AppendStep("kept_one", "one", _kept("one")))
OTHER = (_sql("other", "changes"), AppendStep("kept_other", "other", _kept("other")))


def test_a_shared_source_does_not_join_parts() -> None:
    program = Program((CHANGES, *ONE, *OTHER), frozenset({"changes", "one"}))
    first, second = program.parts()
    assert first.steps == (CHANGES, *ONE)
    assert first.once == {"changes", "one"}
    assert second.steps == (CHANGES, *OTHER)


def test_a_shared_frame_joins_parts() -> None:
    both = _sql("both", "one", "other")
    program = Program((CHANGES, *ONE, *OTHER, both))
    assert [part.steps for part in program.parts()] == [program.steps]


def test_a_state_and_a_frame_of_one_name_are_two_things() -> None:
    append = AppendStep("one", "one", _kept("one"))
    program = Program((CHANGES, ONE[0], append))
    assert [part.steps for part in program.parts()] == [program.steps]


def test_merged_parts_read_a_source_once() -> None:
    program = Program((CHANGES, *ONE, *OTHER), frozenset({"one"}))
    whole = merged(program.parts())
    assert (whole.steps, whole.once) == (program.steps, program.once)


def test_nothing_has_no_parts() -> None:
    assert Program(()).parts() == ()
    assert merged(()).steps == ()
