from __future__ import annotations

import json
import subprocess
import sys

import pytest
import typer
from py4j.protocol import Py4JError, Py4JNetworkError

from slackwater.cli.failures import DefectError, explain_failure, guarded
from slackwater.cli.main import main
from slackwater.errors import DataError, ExecutionError, InvariantError, SetupError
from slackwater.spark.readable_failures import clean_java_message


@pytest.fixture(autouse=True)
def _no_debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLACKWATER_DEBUG", raising=False)


def exit_code(problem: BaseException, *, as_json: bool = False) -> int:
    with pytest.raises(typer.Exit) as ended, guarded(as_json=as_json):
        raise problem
    return ended.value.exit_code


def test_an_error_is_shown_in_full_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    problem = DataError("not a table", where="lake", hint="Write one.")
    assert exit_code(problem) == 1
    assert capsys.readouterr() == ("", "error: not a table\nat: lake\nhint: Write one.\n")


def test_an_error_is_one_json_value_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    problem = DataError("not a table", where="lake")
    assert exit_code(problem, as_json=True) == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == problem.as_dict()
    assert err == ""


def test_a_broken_invariant_is_an_error_with_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(InvariantError("column 3 is read but not defined")) == 1
    assert "column 3 is read" in capsys.readouterr().err


def test_an_interrupt_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(KeyboardInterrupt()) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_an_exit_code_chosen_by_a_command_is_kept() -> None:
    assert exit_code(typer.Exit(3)) == 3


@pytest.mark.parametrize("as_json", [False, True])
def test_what_nobody_foresaw_is_called_a_defect(
    capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    assert exit_code(ZeroDivisionError("of all things\nsecond line"), as_json=as_json) == 70
    text = "".join(capsys.readouterr())
    assert "unexpected ZeroDivisionError: of all things" in text
    assert "second line" not in text
    assert "defect in Slackwater" in text
    assert "SLACKWATER_DEBUG=1" in text
    assert "Traceback" not in text


@pytest.mark.parametrize("problem", [DataError("not a table"), ZeroDivisionError()])
def test_the_trace_is_shown_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problem: Exception
) -> None:
    monkeypatch.setenv("SLACKWATER_DEBUG", "1")
    exit_code(problem, as_json=True)
    out, err = capsys.readouterr()
    assert "Traceback" in err
    assert json.loads(out)["error"]


@pytest.mark.parametrize("value", ["", "0"])
def test_debugging_can_be_switched_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    monkeypatch.setenv("SLACKWATER_DEBUG", value)
    exit_code(DataError("not a table"))
    assert "Traceback" not in capsys.readouterr().err


def test_a_full_disk_is_not_called_a_defect() -> None:
    error = explain_failure(OSError(28, "No space left on device", "/data/x"))
    assert isinstance(error, SetupError)
    assert error.render() == "the system refused: No space left on device\nat: /data/x"


def test_a_reader_who_left_ends_the_program_as_typer_does() -> None:
    with pytest.raises(BrokenPipeError), guarded(as_json=False):
        raise BrokenPipeError(32, "Broken pipe")


def test_a_lost_spark_is_named_even_if_another_error_hides_it() -> None:
    hiding = ConnectionRefusedError(111, "Connection refused")
    hiding.__context__ = Py4JNetworkError("Answer from Java side is empty")
    error = explain_failure(hiding)
    assert isinstance(error, ExecutionError)
    assert error.what == "Spark stopped while it was working"
    assert "SLACKWATER_SPARK_DRIVER_MEMORY" in str(error.hint)


def test_a_method_that_spark_lacks_is_a_defect() -> None:
    problem = Py4JError("An error occurred while calling o35.nope. Trace:\njava.lang.X: nope()")
    assert isinstance(explain_failure(problem), DefectError)


JAVA_MESSAGES = {
    "Job aborted due to stage failure: Task 1 in stage 13.0 failed 1 times, most recent failure: "
    "Lost task 1.0 in stage 13.0 (TID 18) (192.0.2.7 executor driver): "
    "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.nio.X(X.java:64)": (
        "Java heap space"
    ),
    "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:///a/b.parquet. "
    "SQLSTATE: KD001\n\tat org.apache.spark.sql.X": (
        "Encountered error while reading file file:///a/b.parquet."
    ),
    "": "Spark gave no reason",
}


@pytest.mark.parametrize(("message", "clean"), JAVA_MESSAGES.items())
def test_java_messages_lose_what_only_spark_developers_read(message: str, clean: str) -> None:
    assert clean_java_message(message) == clean


def test_an_interrupt_while_the_libraries_load_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupting:
        """Stands where an import looks, and is interrupted there."""

        def find_spec(self, name: str, *_more: object) -> None:
            if name == "slackwater.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "slackwater.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main(["demo"])
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")


ROOT_LOGGER = """
import logging
from slackwater.cli.failures import hush_libraries
hush_libraries()
logging.exception("KeyboardInterrupt while sending command.")
"""


def test_what_libraries_log_stays_off_the_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ROOT_LOGGER], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
