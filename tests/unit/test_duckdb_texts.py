"""Texts, documents, arrays and maps in DuckDB: Spark's values, an error, or left to Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from slackwater.compiler.duckdb.regexes import UnlikeError, plain_text, read_regex
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.build import with_type
from slackwater.expr.functions import call
from slackwater.expr.nodes import Call, Cast, Expr, Lambda, LambdaVariable, Literal
from slackwater.types import (
    BINARY,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    MapType,
    StructType,
)

from .duckdb_rows import Table, integer, named, project, string, values

_DOCUMENT = StructType(
    (Field("n", INTEGER), Field("p", StructType((Field("lang", STRING), Field("x", DOUBLE)))))
)
T = Table(
    "t",
    s=STRING,
    u=STRING,
    i=INTEGER,
    a=ArrayType(STRING),
    m=MapType(STRING, INTEGER),
    o=BINARY,
    f=ArrayType(DOUBLE),
)


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=0)
    yield engine
    engine.close()


def _over(engine: LocalEngine, columns: str, expr: Expr, *rows: tuple[object, ...]) -> list[object]:
    """Values of an expression over some of the columns of T."""
    table = Table("t", **{name: T.columns[name].dtype for name in columns})
    table.columns = {name: T.columns[name] for name in columns}
    return values(engine, table, expr, *rows)


def _fails(engine: LocalEngine, columns: str, expr: Expr, *row: object) -> None:
    with pytest.raises(NotLocalError, match="fails here"):
        _over(engine, columns, expr, row)


def _refused(expr: Expr) -> None:
    with pytest.raises(NotLocalError):
        print_duckdb(named(project(T.scan, expr)))


@pytest.mark.parametrize(
    ("expr", "given", "expected"),
    [
        (call("upper", T["s"]), "aé日", "AÉ日"),
        (call("lower", T["s"]), "ÀB", "àb"),
        (call("trim", T["s"]), " \t a ", "\t a"),
        (call("ltrim", T["s"], string("xy")), "yxax", "ax"),
        (call("split", T["s"], string("\\."), integer(-1)), "a.b.", ["a", "b", ""]),
        (call("split", T["s"], string(","), integer(-1)), "", [""]),
        (call("substring", T["s"], integer(-2), integer(9)), "abc", "bc"),
        (call("substring", T["s"], integer(-5), integer(3)), "abc", "a"),
        (call("substring", T["s"], integer(0), integer(2)), "abc", "ab"),
        (call("lpad", T["s"], integer(4), string("xy")), "abc", "xabc"),
        (call("rpad", T["s"], integer(-1), string("x")), "abc", ""),
        (call("reverse", T["s"]), "ab", "ba"),
        (call("instr", T["s"], string("本")), "日本", 2),
        (call("locate", string("b"), T["s"], integer(3)), "abcb", 4),
        (call("substring_index", T["s"], string("."), integer(-2)), "a.b.c", "b.c"),
        (call("translate", T["s"], string("ab"), string("x")), "abc", "xc"),
        (call("replace", T["s"], string("a"), string("")), "abca", "bc"),
        (call("concat_ws", string("-"), T["s"], Literal(None, STRING)), "a", "a"),
        (call("concat", T["s"], string("-")), "a", "a-"),
        (call("md5", Cast(T["s"], BINARY)), "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (call("regexp_extract", T["s"], string("r([0-9]+)"), integer(1)), "ref=r17", "17"),
        (call("regexp_extract", T["s"], string("(x)?f"), integer(1)), "ref", ""),
        (call("regexp_replace", T["s"], string("\\d"), string("#"), integer(1)), "a1", "a#"),
        (call("rlike", T["s"], string("^a.c$")), "a\rc", False),
        (Cast(T["s"], INTEGER), " 007", 7),
        (Cast(T["s"], DOUBLE), "1.5e-3", 0.0015),
        (Cast(T["s"], BOOLEAN), "Yes", True),
    ],
)
def test_texts(engine: LocalEngine, expr: Expr, given: str, expected: object) -> None:
    missing = "" if isinstance(expr, Call) and expr.function == "concat_ws" else None
    assert _over(engine, "s", expr, (given,), (None,)) == [expected, missing]


@pytest.mark.parametrize(
    ("expr", "given"),
    [
        (call("upper", T["s"]), "straße"),
        (call("lower", T["s"]), "ΟΔΟΣ"),
        (call("reverse", T["s"]), "é"),
        (call("rlike", T["s"], string("a$")), "a\n"),
        (call("subscript", call("split", T["s"], string(","), integer(-1)), integer(1)), "a"),
        (Cast(T["s"], INTEGER), "5.5"),
        (Cast(T["s"], INTEGER), "2147483648"),
        (Cast(T["s"], DOUBLE), "1e999"),
        (Cast(T["s"], BOOLEAN), "maybe"),
        (Cast(T["s"], DecimalType(4, 2)), "1.005"),
        (call("get_json_object", T["s"], string("$.a")), '{"a":NaN}'),
        (call("get_json_object", T["s"], string("$.a")), '{"a":1,}'),
        (call("get_json_object", T["s"], string("$.a")), "{'a':1}"),
        (call("get_json_object", T["s"], string("$.a")), '{"a":null,"a":1}'),
        (call("get_json_object", T["s"], string("$.a")), '{"a":1e-5}'),
    ],
)
def test_texts_of_which_engines_may_think_differently(
    engine: LocalEngine, expr: Expr, given: str
) -> None:
    _fails(engine, "s", expr, given)


@pytest.mark.parametrize(
    "expr",
    [
        call("split", T["s"], string("[,;]"), integer(-1)),
        call("split", T["s"], string(","), integer(2)),
        call("split", T["s"], T["u"], integer(-1)),
        call("lpad", T["s"], integer(4), string("")),
        call("substring_index", T["s"], string("aa"), integer(1)),
        call("translate", T["s"], string("aa"), string("xy")),
        call("regexp_replace", T["s"], string("a*"), string("b"), integer(1)),
        call("regexp_replace", T["s"], string("a"), string("$0"), integer(1)),
        call("regexp_extract", T["s"], string("a"), integer(1)),
        call("rlike", T["s"], T["u"]),
        call("get_json_object", T["s"], string("$.a[*]")),
        call("get_json_object", T["s"], T["u"]),
        call("array_contains", T["f"], Literal("1.0", DOUBLE)),
        call("array_join", T["a"], T["u"]),
        call("slice", T["a"], T["i"], integer(1)),
        call("=", T["o"], T["o"]),
        call("sha2", T["o"], integer(512)),
        with_type(call("from_json", T["s"], params=("'ARRAY<INT>'",)), ArrayType(INTEGER)),
        with_type(call("map", T["s"], T["i"]), MapType(STRING, INTEGER)),
    ],
)
def test_what_is_left_to_spark(expr: Expr) -> None:
    _refused(expr)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a.b", r"a[^\n\r\x{85}\x{2028}\x{2029}]b"),
        (r"^\d{2,}?$", r"^[0-9]{2,}?\z"),
        (r"[\w.-]+", r"[a-zA-Z_0-9\.\-]+"),
        ("(a|bc)?", "(a|bc)?"),
        ("[^/]*/", "[^/]*/"),
    ],
)
def test_patterns_are_written_for_re2(pattern: str, expected: str) -> None:
    assert read_regex(pattern).text == expected


@pytest.mark.parametrize(
    "pattern",
    [
        *("(?i)a", "(?=a)", r"\ba", r"(a)\1", "a*+", "(a*)*", "[a&&b]", "[[a]b]", "a{1001}", "(a"),
        *(
            "a)",
            "[a",
            "a$b",
            "(^a)",
            r"\p{L}",
            "[z-a]",
            "a**",
            "{2}",
            r"\Qa",
            "((a)b)+",
            "a\x00",
            "\\",
        ),
    ],
)
def test_patterns_that_only_java_reads(pattern: str) -> None:
    with pytest.raises(UnlikeError):
        read_regex(pattern)


def test_separators_are_plain_texts() -> None:
    assert plain_text(", ") == ", "
    assert plain_text("\\|") == "|"
    assert plain_text("\\d") is None
    assert plain_text("a\\") is None


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('{"a":{"b":"x"}}', "x"),
        ('{"a":{"b":"\\u00e9"}}', "é"),
        ('{"a":{"b":19.99}}', "19.99"),
        ('{"a":{"b":[1, "y"]}}', '[1,"y"]'),
        ('{"a":{"b":null}}', None),
        ('{"a":[{"b":1}]}', None),
        ("[1]", None),
        ("no", None),
        ("", None),
        (None, None),
    ],
)
def test_values_of_documents(
    engine: LocalEngine, document: str | None, expected: str | None
) -> None:
    found = call("get_json_object", T["s"], string("$.a.b"))
    assert _over(engine, "s", found, (document,)) == [expected]


def test_documents_as_structs(engine: LocalEngine) -> None:
    read = with_type(call("from_json", T["s"], params=("'...'",)), _DOCUMENT)
    rows = ['{"n":5,"p":{"lang":"de","x":1.5},"z":0}', '{"p":null}', '{"p":{}}', None]
    assert _over(engine, "s", read, *((row,) for row in rows)) == [
        {"n": 5, "p": {"lang": "de", "x": 1.5}},
        {"n": None, "p": None},
        {"n": None, "p": {"lang": None, "x": None}},
        None,
    ]
    for other in ("[]", '{"n":"5"}', '{"n":1.5}', '{"n":1,"n":2}', '{"p":{"lang":1}}', '{"n":'):
        _fails(engine, "s", read, other)


_TAGS = ["b", None, "a", "b"]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (call("array_contains", T["a"], string("a")), True),
        (call("array_contains", T["a"], string("z")), None),
        (call("array_distinct", T["a"]), ["b", None, "a"]),
        (call("array_max", T["a"]), "b"),
        (call("array_position", T["a"], string("a")), 3),
        (call("array_remove", T["a"], string("b")), [None, "a"]),
        (call("array_join", T["a"], string("-")), "b-a-b"),
        (call("arrays_overlap", T["a"], T["a"]), True),
        (call("slice", T["a"], integer(-2), integer(9)), ["a", "b"]),
        (call("sort_array", T["a"], Literal("false", BOOLEAN)), ["b", "b", "a", None]),
        (call("element_at", T["a"], integer(-1)), "b"),
        (call("try_element_at", T["a"], integer(9)), None),
        (call("subscript", T["a"], integer(2)), "a"),
        (call("concat", T["a"], T["a"]), _TAGS * 2),
    ],
)
def test_arrays(engine: LocalEngine, expr: Expr, expected: object) -> None:
    assert _over(engine, "a", expr, (_TAGS,), (None,)) == [expected, None]


def test_places_outside_of_arrays_fail(engine: LocalEngine) -> None:
    _fails(engine, "a", call("subscript", T["a"], integer(-1)), _TAGS)
    _fails(engine, "a", call("element_at", T["a"], integer(0)), _TAGS)
    _fails(engine, "ai", call("element_at", T["a"], T["i"]), _TAGS, 9)


def test_conditions_on_elements_are_null_where_a_null_decides(engine: LocalEngine) -> None:
    each = LambdaVariable("x", STRING, True)
    for name, wanted in (("exists", [True, None, False]), ("forall", [None, False, True])):
        test = call(name, T["a"], Lambda((each,), call("=", each, string("a"))))
        rows = [(["a", None],), (["b", None] if name == "forall" else [None],), ([],)]
        assert _over(engine, "a", test, *rows) == wanted


def test_maps_and_bytes_pass_through(engine: LocalEngine) -> None:
    pairs = [("a", 1), ("b", None)]
    assert _over(engine, "m", call("coalesce", T["m"], T["m"]), (pairs,), (None,)) == [pairs, None]
    assert _over(engine, "m", call("subscript", T["m"], string("a")), (pairs,), ([],)) == [1, None]
    assert _over(engine, "m", call("map_keys", T["m"]), (pairs,)) == [["a", "b"]]
    assert _over(engine, "m", call("size", T["m"]), (pairs,)) == [2]
    assert _over(engine, "o", call("coalesce", T["o"], T["o"]), (b"\x80",)) == [b"\x80"]
    assert _over(engine, "o", call("hex", T["o"]), (b"\x80",)) == ["80"]


@pytest.mark.parametrize("dtype", [MapType(STRING, ArrayType(INTEGER)), ArrayType(BINARY)])
def test_nested_values_pass_through(engine: LocalEngine, dtype: DataType) -> None:
    table = Table("t", x=dtype)
    given: object = [("a", [1, None])] if isinstance(dtype, MapType) else [b"", None]
    assert values(engine, table, table["x"], (given,), (None,)) == [given, None]
