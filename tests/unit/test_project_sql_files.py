"""SQL files: what is a view, what is refused, and where the message points."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from slackwater.errors import CatalogError, SqlError
from slackwater.project.project_files import ViewFile
from slackwater.project.sql_files import parse_views, read_sql_file
from slackwater.project.view_order import order_views

FILE = Path("views.sql")


def views(text: str) -> tuple[ViewFile, ...]:
    return parse_views(text, FILE)


def test_a_full_definition_is_read() -> None:
    [view] = views(
        """
        -- revenue; of each country
        CREATE OR REPLACE MATERIALIZED VIEW IF NOT EXISTS `by ``country`
          COMMENT 'It''s the "revenue"; really'
          TBLPROPERTIES ('slackwater.slack' = '30s', slackwater.refresh = strict, 'a' 'b', n = 3)
        AS /* the query; */ SELECT country, sum(amount) -- ; not the end
        FROM orders GROUP BY country ;
        """
    )
    assert view.name == "by `country"
    assert view.comment == 'It\'s the "revenue"; really'
    assert view.properties == {
        "slackwater.slack": "30s",
        "slackwater.refresh": "strict",
        "a": "b",
        "n": "3",
    }
    assert view.sql.startswith("SELECT country, sum(amount) -- ; not")
    assert view.sql.endswith("GROUP BY country")
    assert (view.path, view.line, view.place) == (FILE, 3, "views.sql, line 3")


QUERIES = [
    "SELECT ';' AS a, \";\" AS b, `;` FROM t",
    r"SELECT 'it\'s; one' FROM t",
    r"SELECT r'\' AS a, R';' AS b, R\";\" FROM t".replace('\\"', '"'),
    "SELECT /* a /* nested; */ comment; */ 1",
    "SELECT /*+ BROADCAST(t); */ 1 FROM t",
    "SELECT 1 -- comment; with a continued \\\n ; line\n + 1",
    "WITH x AS (SELECT 1 AS as) SELECT * FROM x",
    "(SELECT 1) UNION ALL (SELECT 2)",
    "FROM t SELECT *",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_taken_as_it_stands(query: str) -> None:
    text = f"CREATE MATERIALIZED VIEW a AS {query};\ncreate materialized view b as select 2"
    first, second = views(text)
    assert first.sql == query
    assert (second.name, second.sql, second.line) == ("b", "select 2", text.count("\n") + 1)


@pytest.mark.parametrize("text", ["", " ; ;\n", "-- nothing\n/* at all */"])
def test_a_file_may_define_nothing(text: str) -> None:
    assert views(text) == ()


REFUSED = {
    "a query": ("SELECT 1", "SELECT is not a view's definition", "line 1, column 1"),
    "a table": ("CREATE TABLE t (a INT)", "CREATE TABLE is not supported", "column 8"),
    "a temporary view": ("CREATE TEMPORARY VIEW v AS SELECT 1", "CREATE TEMPORARY", "WITH clause"),
    "a streaming table": (
        "CREATE STREAMING TABLE v AS SELECT 1",
        "CREATE STREAMING",
        "kept up to date incrementally",
    ),
    "no name": ("CREATE MATERIALIZED VIEW AS SELECT 1", "the view has no name", "column 26"),
    "a qualified name": ("CREATE MATERIALIZED VIEW db.v AS SELECT 1", "is qualified", "database"),
    "columns": ("CREATE MATERIALIZED VIEW v (a, b) AS SELECT 1, 2", "lists its columns", "with AS"),
    "a format": ("CREATE MATERIALIZED VIEW v USING delta AS SELECT 1", "clause USING", "storage"),
    "partitions": (
        "CREATE MATERIALIZED VIEW v PARTITIONED BY (a) AS SELECT 1",
        "PARTITIONED",
        "laid out",
    ),
    "no query": ("CREATE MATERIALIZED VIEW v AS;", "ends where a query should", "column 28"),
    "nothing at all": ("CREATE MATERIALIZED VIEW v", "ends where AS and a query", "column 26"),
    "nonsense": ("CREATE MATERIALIZED VIEW v 7 AS SELECT 1", "7 is not expected here", "Write"),
    "a missing word": ("CREATE MATERIALIZED TABLE v AS SELECT 1", "VIEW should stand here", ""),
    "a comment without quotes": (
        "CREATE MATERIALIZED VIEW v COMMENT hello AS SELECT 1",
        "hello is not a comment in quotes",
        "Add quotes",
    ),
    "an open string": ("CREATE MATERIALIZED VIEW v AS\nSELECT 'a", "' is not closed", "line 2"),
    "an open name": ("CREATE MATERIALIZED VIEW `v AS SELECT 1", "` is not closed", "column 26"),
    "an open comment": ("/* a /* b */\nSELECT 1", "comment /* is not closed", "line 1"),
    "an unknown property": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('slackwater.slak'='1s') AS SELECT 1",
        "there is no slackwater.slak; did you mean slackwater.slack?",
        "project.md",
    ),
    "a wrong duration": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('slackwater.slack'='soon') AS SELECT 1",
        "'soon' is not a duration",
        "",
    ),
    "a wrong choice": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('slackwater.refresh'='lazy') AS SELECT 1",
        "'lazy' is none of auto, incremental, strict, full",
        "",
    ),
    "a scope that is not kept": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('slackwater.scope'='window') AS SELECT 1",
        "slackwater.scope: 'window' is not kept yet; use 'all'",
        "line 1, column 42",
    ),
    "a wrong scope": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('slackwater.scope'='none') AS SELECT 1",
        "slackwater.scope: 'none' is none of all",
        "",
    ),
    "a wrong fraction": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('slackwater.final_work'='2') AS SELECT 1",
        "'2' is not a fraction",
        "",
    ),
    "two goals": (
        """CREATE MATERIALIZED VIEW v
        TBLPROPERTIES ('slackwater.slack'='1s', 'slackwater.fresh'=true) AS SELECT 1""",
        "exclude each other",
        "",
    ),
    "a property twice": (
        "CREATE MATERIALIZED VIEW v TBLPROPERTIES ('a'='1', 'a'='2') AS SELECT 1",
        "property a is given twice",
        "",
    ),
    "an open list": ("CREATE MATERIALIZED VIEW v TBLPROPERTIES ('a'='1'", "where , should", ""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_statement(case: str) -> None:
    text, what, elsewhere = REFUSED[case]
    with pytest.raises(SqlError) as refused:
        views(text)
    assert what in refused.value.what
    assert str(refused.value.where).startswith("views.sql, line ")
    assert refused.value.hint
    assert elsewhere in refused.value.render()


def test_a_file_must_be_utf8(tmp_path: Path) -> None:
    file = tmp_path / "latin.sql"
    file.write_bytes("CREATE MATERIALIZED VIEW é AS SELECT 1".encode("latin-1"))
    with pytest.raises(SqlError, match=r"not UTF-8(.|\n)*byte 25"):
        read_sql_file(file)


# The order of views -------------------------------------------------------------------------


def ordered(*queries: str) -> list[str]:
    return [each.name for each in order_views(views(";".join(_view(each) for each in queries)))]


def _view(text: str) -> str:
    name, _, query = text.partition(": ")
    return f"CREATE MATERIALIZED VIEW {name} AS {query}"


def test_views_come_after_what_they_read() -> None:
    assert ordered("c: SELECT * FROM b", "b: SELECT * FROM a", "a: SELECT * FROM t") == [
        "a",
        "b",
        "c",
    ]


def test_the_given_order_stays_where_it_may() -> None:
    names = ordered("z: SELECT 1", "b: SELECT * FROM Y", "a: SELECT 2", "y: SELECT 3")
    assert names == ["z", "a", "y", "b"]


READS = [
    "SELECT * FROM t WHERE id IN (SELECT id FROM last)",
    "SELECT (SELECT max(x) FROM `last`) AS m FROM t",
    "WITH q AS (SELECT * FROM last) SELECT * FROM q",
    "WITH last AS (SELECT * FROM last) SELECT * FROM last",
    "SELECT * FROM t LEFT ANTI JOIN db.last USING (id)",
    "SELECT * FROM t UNION SELECT * FROM (SELECT * FROM last)",
    "TABLE last",
]


@pytest.mark.parametrize("query", READS)
def test_reading_is_found_wherever_it_stands(query: str) -> None:
    if query.startswith("TABLE"):
        assert ordered("last: SELECT 1", f"v: {query}") == ["last", "v"]
    else:
        assert ordered(f"v: {query}", "last: SELECT 1") == ["last", "v"]


def test_a_name_that_with_defines_is_not_read() -> None:
    names = ordered("v: WITH w AS (SELECT 1) SELECT * FROM w", "w: SELECT * FROM v")
    assert names == ["v", "w"]


def test_sql_that_only_spark_can_parse_keeps_its_place() -> None:
    names = ordered(
        "a: SELECT 1", "v: SELECT * FROM a GROUP SIDEWAYS <=> <=>", "b: SELECT * FROM v"
    )
    assert names == ["a", "v", "b"]


@pytest.mark.parametrize(
    ("queries", "circle"),
    [
        (("a: SELECT * FROM b", "b: SELECT * FROM c", "c: SELECT * FROM a"), {"a", "b", "c"}),
        (("a: SELECT * FROM a",), {"a"}),
    ],
)
def test_a_circle_is_refused_by_name(queries: tuple[str, ...], circle: set[str]) -> None:
    with pytest.raises(CatalogError) as refused:
        ordered(*queries)
    names = refused.value.what.partition(": ")[2].split(" -> ")
    assert set(names) == circle
    assert names[0] == names[-1]
    reads = {each[0]: each[-1] for each in queries}
    assert all(reads[one] == other for one, other in pairwise(names))
    assert "views.sql, line 1" in str(refused.value.where)
