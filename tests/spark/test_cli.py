"""The commands as a user runs them, in this process and on its one Spark session."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from slackwater.cli.main import main

pytestmark = pytest.mark.usefixtures("spark")

STACK = re.compile(r"Traceback|\b(?:java|javax|scala|py4j|org\.apache)\.\w")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command; what it prints on failure must be free of stack traces."""

    def run_command(*argv: str | Path) -> Done:
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in argv])
        assert isinstance(ended.value.code, int)
        done = Done(ended.value.code, *capsys.readouterr())
        assert done.code == 0 or not STACK.search(done.out + done.err), done
        return done

    return run_command


def write_lake(folder: Path) -> Path:
    """The two tables of docs/reference/cli.md."""
    lake = folder / "lake"
    (lake / "orders").mkdir(parents=True)
    customers = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.int64()),
            "name": ["Ada", "Bo", "Cy"],
            "country": ["GR", "GR", "SE"],
        }
    )
    pq.write_table(customers, lake / "customers.parquet")
    orders = pa.table({"customer": pa.array([1, 2], pa.int64()), "amount": ["10.50", "7.25"]})
    typed = orders.set_column(1, "amount", orders["amount"].cast(pa.decimal128(10, 2)))
    typed = typed.append_column("day", pa.array([20_600, 20_601], pa.int32()).cast(pa.date32()))
    for name in ("monday", "tuesday"):
        pq.write_table(typed, lake / "orders" / f"{name}.parquet")
    return lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lake(tmp_path_factory.mktemp("cli"))


# Queries that must be refused ---------------------------------------------------------------

REFUSED_QUERIES = {
    "unknown table": ("SELECT * FROM custmers", "hint: Did you mean customers?", "^^^^^^^^"),
    "unknown column": ("SELECT nme FROM customers", "name `nme` cannot be resolved", "^^^"),
    "unknown function": ("SELECT nope(id) FROM customers", "Cannot resolve routine", "^^^^"),
    "sum of unlike types": (
        "SELECT date'2020-01-01' + true",
        "data type mismatch",
        "^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    "comparison of unlike types": (
        "SELECT id FROM customers WHERE array(id) < id",
        "incompatible types",
        "^^^^^^^^^^^^^^",
    ),
    "constant that fails": ("SELECT id / (1 - 1) FROM customers WHERE 1 / 0 > 1", "Division", "^"),
    "syntax error": ("SELECT id FRM customers WHERE", "Syntax error", "^"),
    "syntax error on a later line": (
        "SELECT id\nFROM customers\nWHERE id > > 2",
        "at line 3, column 12\n  WHERE id > > 2\n             ^",
        "^",
    ),
    "empty text": ("", "empty statement", "^"),
    "two statements": ("SELECT 1; SELECT 2", "Syntax error at or near 'SELECT'", "^^^^^^"),
    "random": ("SELECT rand() FROM customers", "rand() gives another value", ""),
    "clock": ("SELECT current_timestamp()", "current_timestamp() gives another value", ""),
    "create": ("CREATE TABLE t (a INT)", "is a statement, not a query", ""),
    "insert": ("INSERT INTO customers VALUES (1)", "is a statement, not a query", ""),
    "drop": ("DROP TABLE customers", "is a statement, not a query", ""),
}


@pytest.mark.parametrize(
    ("sql", "message", "carets"), REFUSED_QUERIES.values(), ids=REFUSED_QUERIES.keys()
)
def test_a_refused_query(run: Run, lake: Path, sql: str, message: str, carets: str) -> None:
    done = run("explain", sql, "--data", lake)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: ")
    assert message in done.err
    assert carets in done.err


def test_a_refused_query_as_json(run: Run, lake: Path) -> None:
    done = run("explain", "SELECT\n  nme FROM customers", "--data", lake, "--json")
    assert (done.code, done.err) == (1, "")
    told = json.loads(done.out)
    assert told["error"] == "SqlError"
    assert told["where"] == {"line": 2, "column": 3, "length": 3}
    assert told["condition"] == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


# Folders that must be refused ---------------------------------------------------------------


def other_schema(folder: Path) -> None:
    lake = write_lake(folder)
    pq.write_table(pa.table({"customer": ["a"]}), lake / "orders" / "wednesday.parquet")


def not_parquet(folder: Path) -> None:
    (write_lake(folder) / "notes.parquet").write_text("customer,amount\n1,2\n")


def empty(folder: Path) -> None:
    (folder / "lake").mkdir()


def missing(folder: Path) -> None:
    """Leave the folder out."""


def a_file(folder: Path) -> None:
    (folder / "lake").write_text("not a folder")


def forbidden(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every folder")
    write_lake(folder).chmod(0)


REFUSED_FOLDERS = {
    other_schema: "the file has another schema than monday.parquet",
    not_parquet: "not a readable Parquet file",
    empty: "the folder holds no Parquet tables",
    missing: "the folder cannot be read: No such file or directory",
    a_file: "the folder cannot be read: Not a directory",
    forbidden: "the folder cannot be read: Permission denied",
}


@pytest.mark.parametrize(
    ("prepare", "message"),
    REFUSED_FOLDERS.items(),
    ids=[prepare.__name__ for prepare in REFUSED_FOLDERS],
)
def test_a_refused_folder(
    run: Run, tmp_path: Path, prepare: Callable[[Path], None], message: str
) -> None:
    prepare(tmp_path)
    done = run("explain", "SELECT 1", "--data", tmp_path / "lake")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"error: {message}")
    assert f"at: {tmp_path / 'lake'}" in done.err
    assert "hint: " in done.err


# Answers ------------------------------------------------------------------------------------


def test_explain_as_json_tells_all(run: Run, lake: Path) -> None:
    sql = "SELECT country AS c, count(*) AS n FROM customers GROUP BY country"
    told = json.loads(run("explain", sql, "--data", lake, "--json", "--stage", "spark").out)
    assert told["sql"] == sql
    assert told["stage"] == "spark"
    assert told["statement"].startswith("SELECT ")
    assert re.fullmatch("[0-9a-f]{64}", told["fingerprint"])
    assert told["columns"] == [
        {"name": "c", "type": "STRING", "nullable": True},
        {"name": "n", "type": "BIGINT", "nullable": False},
    ]
    assert told["sources"] == ["customers"]
    assert told["timings"].keys() == {"analysis", "json", "algebra", "own"}


def test_explain_says_what_is_left_to_spark_and_what_is_pinned(run: Run, lake: Path) -> None:
    sql = "SELECT java_method('java.lang.Math', 'abs', -1) AS x, current_user() AS u FROM customers"
    told = json.loads(run("explain", sql, "--data", lake, "--json").out)
    assert [each["sources"] for each in told["recomputed"]] == [["customers"]]
    assert told["recomputed"][0]["reason"]
    assert told["notes"] == ["current_user() is taken from the session once and kept"]


def test_a_statement_with_remarks_is_still_one_statement(
    run: Run, lake: Path, spark: SparkSession
) -> None:
    sql = "SELECT current_user() AS u FROM range(3)"
    text = run("explain", sql, "--data", lake, "--stage", "spark").out
    assert "\n-- note: current_user()" in text
    assert spark.sql(text).count() == 3


@pytest.fixture
def _shared_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A cache folder that the tests of this run share."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("SLACKWATER_CACHE_DIR", str(folder))


@pytest.mark.usefixtures("_shared_cache")
def test_a_failure_while_spark_works_has_a_message(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    failing = {"broken": "SELECT n_name, 1 / (n_nationkey - 5) AS x FROM nation"}
    monkeypatch.setattr("slackwater.bench.demo.DEMO_VIEWS", failing)
    done = run("demo", "--scale", "0.001", "--batches", "2")
    assert done.code == 1
    assert done.err.startswith("error: the run failed in Spark and changed nothing: ")
    assert "Division by zero." in done.err


def test_a_benchmark_counts_what_it_cannot_plan(run: Run, tmp_path: Path) -> None:
    header = "-- title: t\n-- data: finance\n-- covers: t\n"
    (tmp_path / "good.sql").write_text(f"{header}SELECT sum(volume) AS v FROM bids")
    (tmp_path / "odd.sql").write_text(f"{header}SELECT * FROM nowhere")
    done = run("bench", "roundtrip", "--queries", tmp_path, "--repeat", "1", "--json")
    assert (done.code, done.err) == (1, "")
    told = json.loads(done.out)
    assert [each["name"] for each in told["queries"]] == ["good"]
    assert [each["name"] for each in told["refused"]] == ["odd"]
    times = told["queries"][0]["times"]
    assert times["own"] == pytest.approx(times["json"] + times["algebra"], abs=0.01)
    assert told["summary"]["represented"] == 1


def test_a_process_of_its_own_prints_the_answer_and_nothing_else(lake: Path) -> None:
    program = Path(sys.executable).with_name("slackwater")
    done = subprocess.run(
        [program, "explain", "SELECT name FROM customers"],
        cwd=lake,
        capture_output=True,
        text=True,
        check=False,
    )
    plan = "Project [name#2]\n  Scan customers [id#1 BIGINT, name#2 STRING, country#3 STRING]\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, plan, "")
    assert sorted(path.name for path in lake.iterdir()) == ["customers.parquet", "orders"]


# The examples of the reference page ---------------------------------------------------------

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "cli.md"
RECURSIVE = (
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r"
)
EXIT_CODE = "echo $?"


@dataclass(frozen=True)
class Example:
    """A command of the page with the lines printed below it."""

    command: str
    shown: tuple[str, ...]


def page_sessions() -> list[list[Example]]:
    """The console blocks of the page; a line after `>` continues the command above it."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [
        [_example(part) for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
        for block in blocks
    ]


def _example(text: str) -> Example:
    command, *lines = text.rstrip("\n").replace("\n> ", "\x00").split("\n")
    return Example(command.replace("\x00", "\n"), tuple(lines))


def shown_pattern(lines: tuple[str, ...]) -> str:
    """The lines as a pattern: `...` alone is any lines, within a line any text."""
    patterns = [
        r"(?:.*\n)*?"
        if line.strip() == "..."
        else re.escape(line).replace(r"\.\.\.", ".*") + r" *\n"
        for line in lines
    ]
    return "".join(patterns)


@pytest.fixture
def workplace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder in which the page's commands are run."""
    write_lake(tmp_path)
    (tmp_path / "count.sql").write_text(RECURSIVE)
    (tmp_path / "queries").mkdir()
    for name in ("q01", "q06"):
        query = (ROOT / "tests" / "oracle" / "queries" / "tpch" / f"{name}.sql").read_text()
        (tmp_path / "queries" / f"{name}.sql").write_text(query)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_line(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> Done:
    """Run a line of the page as a shell would: one of our commands, or `echo TEXT > FILE`.

    A command may read from a file and have its errors written to another.
    """
    line, _, log = command.partition(" 2> ")
    line, _, source = line.partition(" < ")
    words = shlex.split(line)
    if words[0] == "echo":
        text, _, target = words[1:]
        Path(target).write_text(text)
        return Done(0, "", "")
    if source:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(source).read_bytes())))
    assert words[0] == "slackwater"
    done = run(*words[1:])
    if not log:
        return done
    Path(log).write_text(done.err)
    return replace(done, err="")


SESSIONS = page_sessions()


@pytest.mark.usefixtures("_shared_cache", "workplace")
@pytest.mark.parametrize("session", SESSIONS, ids=[each[0].command for each in SESSIONS])
def test_the_page_tells_the_truth(
    run: Run, monkeypatch: pytest.MonkeyPatch, session: list[Example]
) -> None:
    codes: list[int] = []
    for example in session:
        if example.command == EXIT_CODE:
            assert example.shown == (str(codes.pop()),)
            continue
        assert not any(codes), "the page must show the exit code of a command that fails"
        done = run_line(run, monkeypatch, example.command)
        codes.append(done.code)
        assert re.fullmatch(shown_pattern(example.shown), done.out + done.err), done
    assert not any(codes)
