"""The commands of a project as a user runs them, on the one Spark session of the tests."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.cli.main import main
from slackwater.errors import DataError
from slackwater.events import Event

pytestmark = pytest.mark.usefixtures("spark")

STACK = re.compile(r"Traceback|\b(?:java|javax|scala|py4j|org\.apache)\.\w")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> Any:
        """What it printed as JSON."""
        return json.loads(self.out)


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


def rows(done: Done) -> list[dict[str, object]]:
    assert done.code == 0, done
    return sorted(done.told["rows"], key=str)


def test_the_life_of_a_project(run: Run, tmp_path: Path) -> None:
    """The example, refreshed day by day, as its files arrive."""
    shop = tmp_path / "shop"
    project = ("--project", shop)
    made = run("init", shop)
    assert made.code == 0
    assert "transformations/revenue.sql" in made.out

    later = tmp_path / "later"
    second_day = [
        shop / "data" / kind / f"2026-05-02.{suffix}"
        for kind, suffix in (("customers", "csv"), ("orders", "json"))
    ]
    later.mkdir()
    for file in second_day:
        file.rename(later / file.name)

    first = run("refresh", *project, "--json")
    assert first.code == 0, first
    assert first.told["created"] == {
        "sources": ["customers", "orders"],
        "views": ["revenue_by_country", "best_countries"],
    }
    assert first.told["ingested"] == [
        {"source": "customers", "files": ["2026-05-01.csv"], "inserted": 3, "deleted": 0},
        {"source": "orders", "files": ["2026-05-01.json"], "inserted": 3, "deleted": 0},
    ]
    assert [view["view"] for view in first.told["views"]] == [
        "revenue_by_country",
        "best_countries",
    ]
    assert rows(run("read", "revenue_by_country", *project, "--json")) == [
        {"country": "GR", "revenue": "10.50", "orders": 1},
        {"country": "SE", "revenue": "19.25", "orders": 2},
    ]

    for file in second_day:
        shutil.copy(later / file.name, file)
    second = run("refresh", *project)
    assert second.code == 0
    assert re.search(r"customers +1 +2 +1\n", second.out)
    assert re.search(r"orders +1 +2 +2\n", second.out)
    assert "created" not in second.out
    assert rows(run("read", "revenue_by_country", *project, "--json")) == [
        {"country": "GR", "revenue": "12.00", "orders": 1},
        {"country": "PT", "revenue": "31.00", "orders": 1},
        {"country": "SE", "revenue": "9.75", "orders": 1},
    ]
    best = run("read", "best_countries", *project)
    assert best.out == "country  revenue\nPT       31.00\n"
    old = run(
        "read", "revenue_by_country", *project, "--commit", str(first.told["commit"]), "--json"
    )
    assert len(rows(old)) == 2
    one = run("read", "revenue_by_country", *project, "--limit", "1")
    assert "(there are more than 1 rows; --limit shows more)" in one.out

    idle = run("refresh", *project, "--json")
    assert idle.told["ingested"] == []
    assert {view["action"] for view in idle.told["views"]} == {"skipped"}

    verified = run("verify", *project)
    assert re.search(r"revenue_by_country: equal \(.* s\)\nbest_countries: equal", verified.out)
    assert run("verify", "best_countries", *project, "--json").told["views"][0]["equal"] is True

    status = run("status", *project, "--json").told
    assert [each["offset"] for each in status["sources"]] == [2, 2]
    assert [each["pending_batches"] for each in status["sources"]] == [0, 0]
    assert [each["behind"] for each in status["views"]] == [False, False]
    assert status["views"][0]["goal"] == "slack 30s"
    assert status["waiting_files"] == {"customers": 0, "orders": 0}
    assert "up to date" in run("status", *project).out

    runs = run("history", "best_countries", *project, "--json").told["runs"]
    assert {each["view"] for each in runs} == {"best_countries"}
    assert runs[0]["commit"] > runs[-1]["commit"]
    assert re.search("incremental|rebuilt", run("history", *project, "--limit", "3").out)

    for kind in ("plan", "program", "why", "cost"):
        shown = run("explain", "revenue_by_country", *project, "--kind", kind)
        assert (shown.code, shown.err) == (0, "")
        assert shown.out.strip()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A refreshed example project, to be copied."""
    folder = tmp_path_factory.mktemp("projects") / "shop"
    for argv in (["init", str(folder)], ["refresh", "--project", str(folder)]):
        with pytest.raises(SystemExit) as ended:
            main(argv)
        assert ended.value.code == 0
    return folder


@pytest.fixture
def shop(filled: Path, tmp_path: Path) -> Path:
    """A refreshed example project of one's own."""
    return shutil.copytree(filled, tmp_path / "shop")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def refused(done: Done, *messages: str) -> None:
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: ")
    for message in messages:
        assert message in done.err


def test_the_history_tells_details_if_asked(run: Run, shop: Path) -> None:
    told = run("history", "best_countries", "--project", shop, "--details").out
    assert re.search(r"^view best_countries: filled by commit", told, re.MULTILINE)
    assert re.search(r"^  could be filled: touches", told, re.MULTILINE)
    assert re.search(r"^rows read .*, bytes read ", told, re.MULTILINE)
    assert "could be" not in run("history", "best_countries", "--project", shop).out


@pytest.mark.parametrize(
    ("kind", "member"),
    [("plan", "root"), ("program", "steps"), ("why", "root"), ("cost", "run")],
)
def test_an_explanation_as_json_has_the_text_and_its_structure(
    run: Run, filled: Path, kind: str, member: str
) -> None:
    asked = ("explain", "revenue_by_country", "--project", filled, "--kind", kind)
    told = run(*asked, "--json").told
    assert (told["view"], told["kind"]) == ("revenue_by_country", kind)
    assert told["text"] + "\n" == run(*asked).out
    assert told[member]


def test_a_changed_view_is_refused_or_replaced(run: Run, shop: Path) -> None:
    file = shop / "transformations" / "revenue.sql"
    edit(file, "-- What", "/* only a comment */ -- What")
    assert run("refresh", "--project", shop).code == 0
    edit(file, "count(*)", "count(o.id)")
    edit(file, "'30s'", "'60s'")
    done = run("refresh", "--project", shop)
    refused(done, "view revenue_by_country exists already, and its query and goal changed")
    refused(done, f"{file}, line 2", "refresh --replace")
    replaced = run("refresh", "--project", shop, "--replace", "--json").told
    assert replaced["dropped"] == ["revenue_by_country", "best_countries"]
    assert replaced["created"]["views"] == ["revenue_by_country", "best_countries"]
    assert len(rows(run("read", "best_countries", "--project", shop, "--json"))) == 1


def test_what_waits_and_what_is_left_is_told(run: Run, shop: Path) -> None:
    new = shop / "data" / "orders" / "2030-01-01.json"
    new.write_text("")
    status = run("status", "--project", shop, "--json").told
    assert status["waiting_files"]["orders"] == 1
    new.unlink()
    spec = shop / "slackwater.yml"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace("  customers:", "  clients:"), encoding="utf-8")
    kept = run("refresh", "--project", shop, "--json").told
    assert kept["left_sources"] == ["customers"]


def test_a_view_that_is_gone_stays_until_it_is_replaced(run: Run, shop: Path) -> None:
    (shop / "transformations" / "best.sql").unlink()
    kept = run("refresh", "--project", shop)
    assert "view best_countries is no longer in the project" in kept.out
    dropped = run("refresh", "--project", shop, "--replace", "--json").told
    assert (dropped["dropped"], dropped["left"]) == (["best_countries"], [])
    refused(run("read", "best_countries", "--project", shop), "no view called best_countries")


STRICT = """CREATE MATERIALIZED VIEW revenue_by_country
TBLPROPERTIES ('slackwater.refresh' = 'strict')
AS SELECT 'all' AS country, skewness(amount) AS revenue FROM orders"""


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "CREATE MATERIALIZED VIEW revenue_by_country AS SELECT country, idd FROM customers",
            "view revenue_by_country cannot be planned",
        ),
        (STRICT, "would be recomputed"),
    ],
    ids=["typo", "strict"],
)
def test_what_cannot_be_replaced_stays(run: Run, shop: Path, query: str, message: str) -> None:
    before = run("read", "best_countries", "--project", shop, "--json")
    (shop / "transformations" / "revenue.sql").write_text(query)
    edit(shop / "transformations" / "best.sql", "20", "21")
    edit(shop / "slackwater.yml", "libraries:", "  later:\n    schema: id BIGINT\n\nlibraries:")
    refused(run("refresh", "--project", shop, "--replace"), message)
    assert run("read", "best_countries", "--project", shop, "--json") == before
    status = run("status", "--project", shop, "--json").told
    assert [each["name"] for each in status["sources"]] == ["customers", "orders"]
    assert [each["behind"] for each in status["views"]] == [False, False]


def test_views_that_only_spark_can_parse_are_replaced(run: Run, shop: Path) -> None:
    (shop / "transformations" / "odd.sql").write_text(
        "CREATE MATERIALIZED VIEW every_order AS TABLE orders;\n"
        "CREATE MATERIALIZED VIEW numbers AS VALUES (1), (2);\n"
        "CREATE MATERIALIZED VIEW best_of_all AS TABLE best_countries;\n"
    )
    assert run("refresh", "--project", shop, "--replace").code == 0
    idle = run("refresh", "--project", shop, "--replace", "--json")
    assert (idle.code, idle.told["dropped"]) == (0, [])
    edit(shop / "transformations" / "best.sql", "20", "5")
    replaced = run("refresh", "--project", shop, "--replace", "--json").told
    assert replaced["dropped"] == ["best_countries", "best_of_all"]
    assert len(rows(run("read", "best_of_all", "--project", shop, "--json"))) == 3


def test_a_changed_source_is_refused(run: Run, shop: Path) -> None:
    spec = shop / "slackwater.yml"
    edit(spec, "name STRING, country STRING", "name STRING, country STRING, age INT")
    edit(spec, "    op: upsert", "    on_missing: ignore\n    op: upsert")
    message = "source customers has rows already, and its schema and on_missing changed"
    refused(run("refresh", "--project", shop, "--replace"), message, "slackwater.yml, line 7")


def write_csv(text: str) -> Callable[[Path], object]:
    return lambda shop: (shop / "data" / "customers" / "2026-05-03.csv").write_text(text)


def write_bytes(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda shop: (shop / "data" / name).write_bytes(content)


PACKED = gzip.compress(
    b"id,name,country\n" + b"".join(b"%d,%d,x\n" % (n, n * n) for n in range(100_000)), mtime=0
)
BAD_FILES: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "malformed line": (
        write_csv("id,name,country\nfive,Ed,GR\n"),
        ("lines are not what source customers declares", "2026-05-03.csv  five,Ed,GR"),
    ),
    "unknown column": (
        write_csv("id,name,land\n5,Ed,GR\n"),
        ("missing country; unknown land", "source customers, files 2026-05-03.csv in"),
    ),
    "key twice": (
        write_csv("id,name,country\n5,Ed,GR\n5,Ed,SE\n"),
        ("more than one row for a key", "id  rows\n5   2", "files 2026-05-03.csv"),
    ),
    "changed file": (
        lambda shop: (shop / "data" / "customers" / "2026-05-01.csv").write_text("id\n"),
        ("2026-05-01.csv has changed since it was ingested",),
    ),
    "gzip damaged at once": (
        write_bytes("customers/2026-05-03.csv.gz", PACKED[:10] + b"\xff" * 20),
        ("the file is not readable CSV", "2026-05-03.csv.gz"),
    ),
    "gzip damaged later": (
        write_bytes("customers/2026-05-03.csv.gz", PACKED[:-2000] + b"\xff" * 2000),
        ("the file is not readable CSV", "at: /", "customers/2026-05-03.csv.gz\n"),
    ),
    "gzip without its end": (
        write_bytes("customers/2026-05-03.csv.gz", PACKED[:-2000]),
        ("the file is not readable CSV", "customers/2026-05-03.csv.gz\n"),
    ),
    "unknown column of a later line": (
        write_bytes("orders/2026-05-03.json", b'{"id": 90}\n{"id": 91, "amont": 3}\n'),
        ("unknown amont", "files 2026-05-03.json"),
    ),
    "a name twice in one line": (
        write_bytes("orders/2026-05-03.json", b'{"id": 90}\n{"id": 91, "id": 92}\n'),
        ("the file is not readable JSON", "orders/2026-05-03.json\n"),
    ),
    "missing folder": (
        lambda shop: shutil.rmtree(shop / "data" / "orders"),
        ("the folder cannot be read: No such file or directory", "data/orders"),
    ),
    "deletion of what is not there": (
        lambda shop: (shop / "data" / "orders" / "2026-05-03.json").write_text(
            '{"_change_type": "delete", "id": 99}\n'
        ),
        ("99", "files 2026-05-03.json"),
    ),
    "bad schema": (
        lambda shop: edit(shop / "slackwater.yml", "DECIMAL(10,2)", "DECIMALS"),
        ("the schema of source orders is not DDL", "slackwater.yml, line 13"),
    ),
    "bad SQL": (
        lambda shop: (shop / "transformations" / "new.sql").write_text(
            "CREATE MATERIALIZED VIEW n AS SELECT nme FROM customers"
        ),
        ("nme", "^^^"),
    ),
    "bad YAML": (
        lambda shop: edit(shop / "slackwater.yml", "sources:", "sources: ["),
        ("the file is not YAML",),
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_refresh_that_is_refused_changes_nothing(run: Run, shop: Path, case: str) -> None:
    spoil, messages = BAD_FILES[case]
    before = rows(run("read", "revenue_by_country", "--project", shop, "--json"))
    spoil(shop)
    refused(run("refresh", "--project", shop), *messages)
    if case not in ("bad YAML", "bad SQL"):
        assert rows(run("read", "revenue_by_country", "--project", shop, "--json")) == before


NEW_ORDER = """\
SELECT 9L AS id, 2L AS customer, CAST(50 AS DECIMAL(10,2)) AS amount, DATE'2026-05-03' AS day
"""


def test_looking_needs_no_lock(run: Run, shop: Path, spark: SparkSession) -> None:
    """A session that writes has the home; only the command that would write is refused."""
    project = ("--project", shop)
    before = rows(run("read", "best_countries", *project, "--json"))
    with sw.open(shop / ".slackwater", spark=spark) as writer:
        writer.ingest("orders", spark.sql(NEW_ORDER))
        refused(run("refresh", *project), "the home is being written by pid")
        assert rows(run("read", "best_countries", *project, "--json")) == before
        assert run("verify", "best_countries", *project).code == 0
        assert run("explain", "best_countries", *project, "--kind", "why").code == 0
        assert run("status", *project, "--json").told["views"][0]["behind"] is True
        assert run("history", *project).code == 0
        writer.refresh()
        assert rows(run("read", "best_countries", *project, "--json")) != before


def test_the_engine_is_the_projects_unless_the_command_names_one(run: Run, shop: Path) -> None:
    project = ("--project", shop)

    def refreshed(day: int, *options: str) -> Any:
        orders = shop / "data" / "orders" / f"2026-06-{day}.json"
        orders.write_text(f'{{"id": {day}, "customer": 4, "amount": 5, "day": "2026-06-{day}"}}\n')
        done = run("refresh", *project, *options, "--json")
        assert done.code == 0, done
        return done.told["metrics"]

    assert refreshed(10, "--engine", "driver")["jobs"] == 0
    edit(shop / "slackwater.yml", "sources:", "engine: spark\nsources:")
    in_spark = refreshed(11)
    assert in_spark["jobs"] > 0
    assert "on the driver" not in in_spark["phases"]
    assert refreshed(12, "--engine", "driver")["jobs"] == 0
    assert run("verify", *project).code == 0


def test_retention_is_the_projects(run: Run, shop: Path) -> None:
    """A refresh of many commits forgets those that the project does not keep."""
    edit(shop / "slackwater.yml", "sources:", "retention: {commits: 2, age: 0s}\nsources:")
    first = run("status", "--project", shop, "--json").told["commit"]
    old = ("read", "best_countries", "--project", shop, "--commit", str(first))
    assert run(*old).code == 0
    for day in range(10, 28):
        text = f"id,name,country\n{day},Someone,GR\n"
        (shop / "data" / "customers" / f"2026-05-{day}.csv").write_text(text)
    assert run("refresh", "--project", shop).code == 0
    last = run("status", "--project", shop, "--json").told["commit"]
    refused(run(*old), f"commit {first} cannot be read", f"that can are {last - 2} to {last}")


def test_metadata_may_be_elsewhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address in the environment wins, and a home is not taken for another's."""
    shop = tmp_path / "shop"
    project = ("--project", shop)
    assert run("init", shop).code == 0
    edit(shop / "slackwater.yml", "sources:", "metadata: sqlite:///meta/shop.db\nsources:")
    refused(run("read", "best_countries", *project), "has not been refreshed yet")
    assert run("refresh", *project).code == 0
    assert (shop / "meta" / "shop.db").is_file()
    assert not (shop / ".slackwater" / "slackwater.db").exists()
    assert len(rows(run("read", "best_countries", *project, "--json"))) == 1
    assert run("status", *project, "--json").told["views"][0]["behind"] is False
    assert run("history", *project, "--json").told["runs"]
    monkeypatch.setenv("SLACKWATER_METADATA", f"sqlite:///{tmp_path}/other.db")
    for command in (["refresh"], ["read", "best_countries"], ["status"], ["history"]):
        refused(run(*command, *project), "the metadata belongs to another directory")


def test_a_file_that_grows_while_it_is_read(run: Run, shop: Path) -> None:
    """Were its first half taken in, the second could never be: the file would have changed."""
    file = shop / "data" / "customers" / "2026-05-03.csv"
    file.write_text("id,name,country\n5,Ed,GR\n")
    kept = set((shop / ".slackwater" / "state").rglob("*"))

    def grow(event: Event) -> None:
        if str(event).startswith(f"ingesting {file.name}"):
            with file.open("a") as end:
                end.write("6,Flo,PT\n")

    with sw.open_project(shop) as project:
        project.subscribe(grow)
        with pytest.raises(DataError, match=r"2026-05-03.csv was changed while it was being read"):
            project.refresh()
    assert set((shop / ".slackwater" / "state").rglob("*")) == kept
    again = run("refresh", "--project", shop, "--json").told
    assert again["ingested"] == [
        {"source": "customers", "files": [file.name], "inserted": 2, "deleted": 0}
    ]


def test_deletions_by_key_from_json(run: Run, shop: Path) -> None:
    edit(shop / "slackwater.yml", "    format: json ", "    op: delete\n    format: json ")
    (shop / "data" / "orders" / "2026-05-03.json").write_text('{"id": 4}\n')
    done = run("refresh", "--project", shop, "--json").told
    assert done["ingested"] == [
        {"source": "orders", "files": ["2026-05-03.json"], "inserted": 0, "deleted": 1}
    ]


def test_commands_outside_a_project(run: Run, tmp_path: Path) -> None:
    for command in (["refresh"], ["read", "v"], ["status"], ["history"], ["verify"]):
        refused(run(*command, "--project", tmp_path), "has no slackwater.yml", "slackwater init")


def test_a_project_not_refreshed_yet(run: Run, tmp_path: Path) -> None:
    assert run("init", tmp_path / "p", "--json").code == 0
    for command in (["read", "best_countries"], ["status"], ["history"], ["verify"]):
        done = run(*command, "--project", tmp_path / "p", "--json")
        assert done.code == 1
        assert done.told["what"].startswith("the project has not been refreshed yet")
    assert not (tmp_path / "p" / ".slackwater").exists()


def test_init_spares_what_is_there(run: Run, shop: Path) -> None:
    refused(run("init", shop), "this one is not empty")


def test_the_folder_one_stands_in_is_the_project(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    assert run("read", "best_countries").code == 0
    assert run("explain", "best_countries").code == 0
    refused(run("history", "nope"), "there is no view called nope")
