"""Blocks over partitions, placed by hand: rows meet where they are sent, each counts once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Aggregate, Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.executors.spark.exchange import Piece
from slackwater.executors.spark.prepared_blocks import parts_by_state
from slackwater.executors.spark.task_report import FAILED
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import ColumnId, Expr, Literal
from slackwater.plan.arrangements import Arrangement, Role, stored_column
from slackwater.plan.placed import Block, Move, PlacedProgram, Reading, Send
from slackwater.plan.program import (
    AppendStep,
    ComputeStep,
    Program,
    SourceChangesStep,
)
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT

from .simulated_blocks import SmallState, weighted

CHANGES = SourceChangesStep("changes", "sales")


def column(number: int, name: str) -> Column:
    return Column(ColumnId(number), name, BIGINT)


def output(number: int, name: str, expr: Expr) -> Output:
    return Output(Column(ColumnId(number), name, expr.dtype, expr.nullable), expr)


def kept(name: str, width: int) -> Arrangement:
    key = (stored_column(0, BIGINT),)
    return Arrangement(name, Role.CONTENTS, (BIGINT,) * width, key)


SALES = (column(1, "k0"), column(2, "k1"), Column(ColumnId(3), "_w", BIGINT, False))
PER_SHOP, IN_ALL = kept("per shop", 2), kept("in all", 1)
K0, K1, W = SALES


def by_shop(name: str) -> ComputeStep:
    """The changes with the hash of their shop."""
    rel = Project(
        Scan("changes", SALES),
        (
            output(11, "_x0", call("xxhash64", K1.ref())),
            Output(K0, K0.ref()),
            Output(K1, K1.ref()),
            Output(W, W.ref()),
        ),
    )
    return ComputeStep(name, Statement(rel, ("_x0", "k0", "k1", "_w")))


def state_rows(rel: Rel, values: tuple[Column, ...], name: str) -> ComputeStep:
    """Rows for state, one of each."""
    weight = output(31, "_w", Literal("1", BIGINT))
    hashed = output(32, "_h", call("xxhash64", values[0].ref()))
    outputs = (hashed, *(Output(each, each.ref()) for each in values), weight)
    names = ("_h", *(f"k{n}" for n in range(len(values))), "_w")
    return ComputeStep(name, Statement(Project(rel, outputs), names))


def sums(frame: str, name: str) -> ComputeStep:
    """The sum of each shop."""
    total = output(21, "s", aggregate("sum", call("*", K0.ref(), W.ref())))
    found = Aggregate(Scan(frame, SALES), (Output(K1, K1.ref()),), (total,))
    return state_rows(found, (K1, total.column), name)


def count(frame: str, name: str) -> ComputeStep:
    """How many rows there are."""
    total = output(22, "n", aggregate("count", Literal("1", BIGINT)))
    found = Aggregate(Scan(frame, SALES), (), (total,))
    return state_rows(found, (total.column,), name)


def placed() -> PlacedProgram:
    """Sums meet by shop; the count meets in the first partition, two blocks later."""
    append_sums = AppendStep(PER_SHOP.id, "sums", PER_SHOP, fill=True)
    append_count = AppendStep(IN_ALL.id, "count", IN_ALL, fill=True)
    first = Block(
        (CHANGES, by_shop("shops")),
        (
            Send("shops", "shops_here", 1, Move.REPARTITION, "_x0"),
            Send("changes", "all", 2, Move.GATHER),
        ),
    )
    second = Block((sums("shops_here", "sums"), append_sums))
    third = Block((count("all", "count"), append_count), first=frozenset({"count"}))
    program = Program(
        (
            CHANGES,
            by_shop("shops"),
            sums("shops", "sums"),
            append_sums,
            count("changes", "count"),
            append_count,
        )
    )
    return PlacedProgram(program, (first, second, third), {"changes": Reading.RANGE})


@pytest.fixture
def state(tmp_path: Path) -> SmallState:
    found = SmallState(tmp_path, {"sales": (BIGINT, BIGINT)}, {"sales": (0,)})
    rows = pa.table({"a": pa.array(range(500)), "b": pa.array([n % 7 for n in range(500)])})
    found.arrive("sales", weighted(rows))
    return found


@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_rows_meet_where_they_are_sent(state: SmallState, partitions: int) -> None:
    program = placed()
    whole = state.on_the_driver(program.program)
    parts, reports = state.in_blocks(program, partitions)
    expected = state.contents_of(program.program, whole)
    assert state.contents_of(program.program, parts) == expected
    assert len(expected[PER_SHOP.id]) == 7
    assert expected[IN_ALL.id] == {("500",): 1}
    assert len(reports) == 3 * partitions
    read = sum(each.observed["changes"].rows_out for each in reports if each.block == 0)
    assert read == 500


def test_a_part_that_fails_somewhere_fails_alone_and_is_told_everywhere(state: SmallState) -> None:
    huge = pa.table({"a": pa.array([2**63 - 1, 2**63 - 2]), "b": pa.array([3, 3])})
    state.arrive("sales", weighted(huge))
    program = placed()
    parts, reports = state.in_blocks(program, 3)
    (told,) = {why for each in reports for why in each.failed.values()}
    assert "out of range" in told
    # One task of the second block fails, and all of the third leave the part out.
    assert [each.block for each in reports if each.failed] == [1, 2, 2, 2]
    found = state.contents_of(program.program, parts)
    assert found[IN_ALL.id] == {("2",): 1}
    assert len(reports) == 9


def test_a_part_that_any_task_left_out_does_not_count(state: SmallState) -> None:
    """A task failed, one partition heard of it, and the task succeeded when it was repeated."""
    program = placed()
    (sums_part,) = {
        part
        for name, part in parts_by_state(program.program.parts()).items()
        if name == PER_SHOP.id
    }
    heard = Piece(0, 1, FAILED, sums_part, b"a disk is full")
    parts, reports = state.in_blocks(program, 3, [(1, heard)])
    assert PER_SHOP.id not in parts
    assert state.contents_of(program.program, parts)[IN_ALL.id] == {("500",): 1}
    assert {why for each in reports for why in each.failed.values()} == {"a disk is full"}


def test_a_block_that_is_taken_again_writes_the_same_rows(state: SmallState) -> None:
    program = placed()
    one, _ = state.in_blocks(program, 3)
    other, _ = state.in_blocks(program, 3)
    assert state.contents_of(program.program, one) == state.contents_of(program.program, other)
    described = [
        [(each.rows, each.first_hash, each.last_hash) for each in files[PER_SHOP.id]]
        for files in (one, other)
    ]
    assert described[0] == described[1]
