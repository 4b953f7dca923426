from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from slackwater.errors import CatalogError
from slackwater.workloads.corpus import DATA_SETS, CorpusQuery, load_corpus

FOLDER = Path(__file__).parents[1] / "oracle" / "queries"
CORPUS = load_corpus(FOLDER)
PUBLISHED = ("tpch", "finance")
UNREPEATABLE = re.compile(
    r"\b(rand|randn|random|uuid|shuffle|now|current_\w+|monotonically_increasing_id|"
    r"spark_partition_id|input_file_name|histogram_numeric|tablesample)\b",
    re.IGNORECASE,
)
GOOD = "-- title: t\n-- data: tpch\n-- covers: sum, count\nSELECT 1\n"


def _folder(query: CorpusQuery) -> str:
    return query.name.split("/")[0]


def _write(folder: Path, text: str, name: str = "a/q.sql") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _outermost(sql: str) -> str:
    """The text outside all parentheses: what applies to the whole answer."""
    depth, kept = 0, []
    for character in sql:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            kept.append(character)
    return "".join(kept)


def test_a_file_becomes_a_query(tmp_path: Path) -> None:
    path = _write(tmp_path, GOOD.replace("SELECT", "-- order: total\n\n-- why\nSELECT"))
    assert load_corpus(tmp_path) == (
        CorpusQuery(
            name="a/q",
            title="t",
            data="tpch",
            covers=frozenset({"sum", "count"}),
            ordered=True,
            sql="-- why\nSELECT 1",
            path=path,
        ),
    )


def test_queries_come_sorted_by_name(tmp_path: Path) -> None:
    for name in ("b/x.sql", "a_b/y.sql", "a/z.sql", "a/deep/w.sql"):
        _write(tmp_path, GOOD, name)
    names = [query.name for query in load_corpus(tmp_path)]
    assert names == ["a/deep/w", "a/z", "a_b/y", "b/x"]
    assert not any(query.ordered for query in load_corpus(tmp_path))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GOOD.replace("-- title: t\n", ""), "lacks: title"),
        (GOOD.replace("title: t", "title:"), "lacks: title"),
        (GOOD.replace("-- data: tpch\n", ""), "lacks: data"),
        (GOOD.replace("-- covers: sum, count\n", ""), "lacks: covers"),
        (GOOD.replace("tpch", "tpcds"), "'tpcds' is not one of tpch, adversarial, finance"),
        (GOOD.replace("count", ""), "tag '' is not"),
        (GOOD.replace("count", "Group By"), "tag 'Group By' is not"),
        (GOOD.replace("count", "sum"), "names a tag twice"),
        (GOOD.replace("SELECT", "-- order: partial\nSELECT"), "'partial', which is not 'total'"),
        (GOOD.replace("SELECT", "-- note: n\nSELECT"), "'note' is unknown or given twice"),
        (GOOD.replace("SELECT", "-- data: tpch\nSELECT"), "'data' is unknown or given twice"),
        (GOOD.replace("SELECT 1\n", ""), "no SQL"),
        (GOOD.replace("SELECT 1", "  "), "no SQL"),
        (GOOD.replace("SELECT 1", "SELECT 1;"), "ends with a semicolon"),
        ("SELECT 1\n", "lacks: title, data, covers"),
        ("", "no SQL"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(CatalogError, match=re.escape(reason)) as caught:
        load_corpus(tmp_path)
    assert caught.value.where == str(path)
    assert caught.value.hint


def test_a_folder_without_queries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no queries"):
        load_corpus(tmp_path)


def test_the_published_workloads_are_complete() -> None:
    names = {query.name for query in CORPUS if _folder(query) in PUBLISHED}
    finance = ("axf", "bsp", "bsv", "mst", "psp", "vwap")
    assert names == {f"tpch/q{number:02}" for number in range(1, 23)} | {
        f"finance/{name}" for name in finance
    }


def test_the_other_queries_are_many_and_spread() -> None:
    own = [query for query in CORPUS if _folder(query) not in PUBLISHED]
    by_data = Counter(query.data for query in own)
    assert len(own) >= 140
    assert set(by_data) == set(DATA_SETS)
    assert min(by_data["tpch"], by_data["adversarial"]) >= 100


def test_titles_differ_and_queries_differ() -> None:
    for field in ("title", "sql"):
        repeated = [
            text
            for text, times in Counter(getattr(query, field) for query in CORPUS).items()
            if times > 1
        ]
        assert not repeated


def test_the_readme_lists_exactly_the_tags_and_folders_in_use() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    folders, tags = readme.split("## Folders")[1].split("## Tags")
    first_cells = re.findall(r"^\| (`.*?) \|", folders, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(first_cells))) == {_folder(q) for q in CORPUS}
    listed = re.findall(r"`(\w+)`", tags)
    assert len(listed) == len(set(listed))
    assert set(listed) == {tag for query in CORPUS for tag in query.covers}


@pytest.mark.parametrize("query", CORPUS, ids=lambda query: query.name)
def test_the_answer_is_determined_as_far_as_the_text_shows(query: CorpusQuery) -> None:
    assert not UNREPEATABLE.search(query.sql)
    outermost = _outermost(query.sql).upper()
    if query.ordered or re.search(r"\b(LIMIT|OFFSET)\b", outermost):
        assert "ORDER BY" in outermost
    assert ("order_by" in query.covers) or not query.ordered
