from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.cli.main import main


def run(*argv: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"slackwater {version('slackwater')}\n"


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["--help"], ["explain", "demo", "bench"]),
        (["explain", "--help"], ["SQL", "--file", "--data", "--stage", "--json"]),
        (["refresh", "--help"], ["--replace", "--engine", "auto", "driver", "spark"]),
        (["demo", "--help"], ["--json"]),
        (["bench", "--help"], ["roundtrip"]),
        (["bench", "roundtrip", "--help"], ["--queries", "--repeat", "--all", "--json"]),
    ],
)
def test_help_names_everything(
    capsys: pytest.CaptureFixture[str], argv: list[str], named: list[str]
) -> None:
    assert run(*argv) == 0
    out = capsys.readouterr().out
    assert [word for word in named if word not in out] == []


@pytest.mark.parametrize(
    "argv",
    [
        ["nope"],
        ["explain"],
        ["explain", "SELECT 1", "--file", "q.sql"],
        ["explain", "SELECT 1", "--stage", "nope"],
        ["explain", "--file", "nope.sql"],
        ["refresh", "--engine", "nope"],
        ["bench", "roundtrip", "--repeat", "0"],
    ],
)
def test_wrong_usage_ends_with_2(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    argv: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.sql").write_text("SELECT 1")
    assert run(*argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Usage: slackwater" in err


def test_a_query_file_must_be_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.sql"
    file.write_bytes(b"SELECT '\xff'")
    assert run("explain", "--file", str(file)) == 1
    assert "the query file is not UTF-8 text" in capsys.readouterr().err


def test_a_corpus_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", "roundtrip", "--queries", "no/such/folder") == 1
    err = capsys.readouterr().err
    assert err.startswith("error: there is no folder of queries\nat: no/such/folder\nhint: ")


def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLACKWATER_SPARK_MASTER", "nowhere")
    assert run("demo") == 1
    assert "'nowhere' is not a Spark master" in capsys.readouterr().err


WITHOUT_WHEEL = """
import sys
from slackwater.spark import java
java.find_spec = lambda name: None
from slackwater.cli.main import main
main(sys.argv[1:])
"""


def test_without_java_two_ways_out_are_named(tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    lake, no_programs = tmp_path / "lake", tmp_path / "bin"
    lake.mkdir()
    no_programs.mkdir()
    pq.write_table(pa.table({"a": [1]}), lake / "t.parquet")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_WHEEL, "explain", "SELECT 1", "--data", str(lake)],
        env={**environ, "PATH": str(no_programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: Spark needs Java 17 or newer, and none was found\n")
    assert "Install Java 17+" in done.stderr
    assert "pip install 'slackwater[java]'" in done.stderr
    assert "Traceback" not in done.stderr
