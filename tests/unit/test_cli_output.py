from __future__ import annotations

import json

import pytest

from slackwater.cli.output import hang, measuring, page_console, print_json, working


def test_short_lines_stay_as_they_are() -> None:
    text = "Limit 8\n  Scan t [a#1 INT]\n\n  'two  blanks'"
    assert hang(text, 40) == text


def test_long_lines_break_at_clauses_and_list_items() -> None:
    line = "  r1 AS (SELECT c1, c2 FROM r0 WHERE (c1 = 1) AND (c2 IS NOT NULL))"
    assert hang(line, 34).splitlines() == [
        "  r1 AS (SELECT c1, c2 FROM r0",
        "      WHERE (c1 = 1)",
        "      AND (c2 IS NOT NULL))",
    ]


def test_what_has_no_good_place_to_break_is_broken_at_a_blank() -> None:
    lines = hang("note: " + "many words " * 20, 30).splitlines()
    assert max(len(line) for line in lines) <= 30
    assert " ".join(line.strip() for line in lines) == ("note: " + "many words " * 20).strip()


def test_a_word_wider_than_the_page_is_kept_whole() -> None:
    assert hang("x" * 50 + ", y", 20).splitlines() == ["x" * 50 + ",", "    y"]


def test_json_keeps_every_character(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": 'Ελλάς\t"x"'})
    out = capsys.readouterr().out
    assert "Ελλάς" in out
    assert json.loads(out) == {"name": 'Ελλάς\t"x"'}


def test_a_page_is_100_columns_wide_where_there_is_no_terminal() -> None:
    assert page_console().width == 100


def test_progress_is_silent_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with working("starting") as say:
        say("going on")
    assert capfd.readouterr() == ("", "")


def test_measurements_leave_a_log_where_there_is_no_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with measuring("starting") as say:
        say("half of it: 1.5 s")
    out, log = capfd.readouterr()
    assert out == ""
    assert [line.split(" s  ")[1] for line in log.splitlines()] == ["starting", "half of it: 1.5 s"]
