"""What placement promises beside the law: limits, sharing, what it refuses, and its pace."""

from __future__ import annotations

import time

from slackwater.compiler.placement.place import NotPlaced, Placer
from slackwater.compiler.placement.placement_options import PlacementOptions
from slackwater.compiler.tasks import Action
from slackwater.plan.placed import Move, PlacedProgram, Reading
from slackwater.plan.program import AppendStep, Program, StateRowsStep

from .programs import View, small_view, tpch_view


def _placed(
    view: View,
    rows: float = 1e6,
    action: Action = Action.INCREMENTAL,
    options: PlacementOptions | None = None,
) -> PlacedProgram:
    program = view.program(action)
    keys = {name: each.key for name, each in view.sources().items()}
    known = {step.name: rows for step in program.steps if step.is_stored}
    found = Placer().place(program, known, keys, 4, options or PlacementOptions())
    assert isinstance(found, PlacedProgram)
    return found


def _moves(placed: PlacedProgram) -> set[Move]:
    return {send.move for block in placed.blocks for send in block.sends}


def test_a_part_that_spark_runs_whole_has_no_place() -> None:
    program = small_view("a part left to Spark").program(Action.INCREMENTAL)
    found = Placer().place(program, {}, {}, 4)
    assert found == NotPlaced("a part of a plan that Spark runs whole")


def test_a_program_without_steps_has_one_empty_block() -> None:
    found = Placer().place(Program(()), {}, {}, 4)
    assert isinstance(found, PlacedProgram)
    assert [block.steps for block in found.blocks] == [()]


def test_what_is_row_by_row_moves_nothing() -> None:
    placed = _placed(small_view("a filter"))
    assert placed.exchanges == 0
    assert not placed.blocks[0].first


def test_groups_by_the_key_of_their_source_move_nothing() -> None:
    view = tpch_view("q18")
    placed = _placed(view)
    program = view.program(Action.INCREMENTAL)
    assert {step.name for step in placed.program.steps} == {step.name for step in program.steps}
    sent = {send.frame for block in placed.blocks for send in block.sends}
    assert not any(name.startswith("scan4") for name in sent), "orders have their key already"


def test_few_rows_are_read_everywhere_and_many_are_divided() -> None:
    view = small_view("an inner join")
    assert _placed(view, 1000.0).exchanges == 0
    assert _moves(_placed(view, 1e6)) == {Move.REPARTITION}


def test_state_of_which_all_rows_meet_all_changes_is_read_everywhere() -> None:
    placed = _placed(small_view("an anti join without a key"), 3e4)
    readings = {
        placed.readings[step.name]
        for block in placed.blocks
        for step in block.steps
        if isinstance(step, StateRowsStep)
    }
    assert Reading.WHOLE in readings


def test_a_large_fill_is_divided_by_its_hash() -> None:
    view = small_view("a projection")
    large, small = _placed(view, 1e7, Action.FILL), _placed(view, 1e4, Action.FILL)
    assert small.exchanges == 0
    assert large.exchanges == 1
    assert _moves(large) == {Move.REPARTITION}


def test_every_append_is_there_once() -> None:
    for view in (tpch_view("q21"), small_view("a full join")):
        placed = _placed(view)
        appends = [
            step.arrangement.id
            for block in placed.blocks
            for step in block.steps
            if isinstance(step, AppendStep)
        ]
        assert sorted(appends) == sorted(each.arrangement.id for each in placed.program.appends)


def test_a_frame_is_sent_once_for_all_who_read_it_there() -> None:
    view = small_view("a left join")
    shared = _placed(view)
    apart = _placed(view, options=PlacementOptions(eliminate=False))
    assert _sends(shared) < _sends(apart)


def _sends(placed: PlacedProgram) -> int:
    return sum(len(block.sends) for block in placed.blocks)


def test_the_same_choices_are_the_same_value() -> None:
    view = tpch_view("q03")
    program, placer = view.program(Action.INCREMENTAL), Placer()
    keys = {name: each.key for name, each in view.sources().items()}
    first = placer.place(program, {}, keys, 4)
    assert placer.place(program, {}, keys, 4) is first
    assert placer.place(program, {"scan1_changes": 1e9}, keys, 4) is not first


def test_a_known_program_is_placed_in_no_time() -> None:
    view = tpch_view("q08")
    program, placer = view.program(Action.INCREMENTAL), Placer()
    keys = {name: each.key for name, each in view.sources().items()}
    placer.place(program, {}, keys, 4)
    started = time.process_time()
    for _ in range(5):
        placer.place(program, {}, keys, 4)
    assert (time.process_time() - started) / 5 < 0.05
