"""Texts, documents, arrays, maps and bytes that are hard, and expressions over them."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.types import BINARY, INTEGER, STRING, ArrayType, DataType, MapType

_DOCUMENTS = [
    *('{"a":1}', '{"a": {"b": 2, "c": "x"}}', '{"a":1.0}', '{"a":1.10}', '{"a":1e3}', '{"a":-0}'),
    *('{"a":123456789012345678901}', '{"a":1e400}', '{"a":12345678.5}', '{"a":0.0001}'),
    *(
        '{"a":0.001}',
        '{"a":0.05}',
        '{"a":-0.0}',
        '{"a":3.14159}',
        '{"a":9999999.999}',
        '{"a":null}',
    ),
    *(
        '{"a":null,"a":1}',
        '{"a":{"x":1},"a":{"b":2}}',
        '{"a":{"b":null,"b":2}}',
        '{"a":1,"a":null}',
    ),
    *('{"a":"\\u00e9\\/\\n\\u0000x"}', '{"a":{"b":1.50,"c":"\\u001f"}}', '{"a":[1, "x", null]}'),
    *('{"a":[{"b":1},{"b":2}]}', "{'a':1}", '{"a":1,}', '{"a":NaN}', '{"a":[1,],"b":-inf }'),
    *('{"a":"x\ty"}', '{"a":"\\ud800"}', '{"a":1', "not json", "", " ", '\n\t {"a":true}', "[1]"),
    *(
        '[{"a":1}]',
        '"a"',
        "1",
        "null",
        "tru",
        '\ufeff{"a":1}',
        '\x0b{"a":1}',
        '{"a":1} x',
        '{"a":1}}',
    ),
    *('{"A":1}', '{"\\u0061":{"b":"\\u00e9"}}', '{"b":{"a":1},"a":2}', '{"a":"🦉","b":"é"}'),
    *('{"a":{"b":{"c":1}}}', '{"a":2147483648}', '{"a":"1"}', '{"a":"","b":""}', "{}", '{"a":{}}'),
    '{"a":' * 1001 + "1" + "}" * 1001,
    '{"a":' + "1" * 1001 + "}",
    '{"a":{"b":"🦉"}}',
    '{"a":"' + "x" * 400 + '", "b": [1, 2]}',
]
_WRITTEN = [
    *("1", "-1", "+1", "007", " 5 ", "5.5", "1e2", "1e999", ".5", "5.", "5e", "1d", "", " ", "-"),
    *("abc", "true", "T", "yes ", "No", "0", "inf", "NaN", "1_000", "\t7", "7\n", "2147483648"),
    *(
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "0x1F",
        "1,5",
        "\u06f1",
    ),
    *("0.1", "123456789.123456789", "1E-5", "-0", "-0.0", "99.99", "999.995", "1e22", "3.0000000"),
    "9007199254740993",
]
_PHRASES = [
    *("a,b,c", ",a,", "a", ",", ",,", "a.b.c", ".", "x|y|z", "/a/b?ref=r17&x", "ref=r0", "A-1 b_2"),
    *(
        "foo\r\nbar",
        "foo\n",
        "foo\r\n",
        "foo\u0085",
        "foo\u2028",
        "foo\x0bbar",
        "tab\there",
        "aaaa",
    ),
    *("user@example.com", "2020-01-02T03:04", "É", "straße", "İstanbul", "ΟΔΟΣ", "ǆ", "ﬁ", "xXyYx"),
    *(
        "  padded  ",
        "\u00a0nbsp\u00a0",
        "\u3000",
        "日本,語",
        "e\u0301,x",
        "🦉,🦉",
        "abcabc",
        "ab12cd",
    ),
    *("naïve Öl", "привет", "Ünïted", "mixed CASE 日本"),
]
_LISTS = [["b", "a", None, "a"], [], [None], ["x"], ["", "é", "🦉"], ["sale", "new"], ["a", "b"]]
_PAIRS = [[("a", 1), ("b", None)], [], [("", 0)], [("é", -1), ("a", 5)]]
_MATRICES = [[[1, 2], [3]], [[]], [], [None, [1]], [[None], [2, 2]]]
TABLE: dict[str, tuple[DataType, list[object]]] = {
    "js": (STRING, [*_DOCUMENTS]),
    "nt": (STRING, [*_WRITTEN]),
    "ph": (STRING, [*_PHRASES]),
    "sa": (ArrayType(STRING), [*_LISTS]),
    "sb": (ArrayType(STRING), [*_LISTS]),
    "mk": (MapType(STRING, INTEGER), [*_PAIRS]),
    "bn": (BINARY, [b"", b"\x00", b"\x80\xff", b"abc", b"x" * 57, b"x" * 58]),
    "ll": (ArrayType(ArrayType(INTEGER)), [*_MATRICES]),
}
NESTED = frozenset(("sa", "sb", "mk", "bn", "ll"))
"""Columns whose values engines need not compare alike."""
_PATTERNS = [
    *(
        "a",
        "^a",
        "c$",
        "^foo$",
        "a|b",
        "a.b",
        "[a-c]+",
        "[^a-z]",
        "\\\\d+",
        "\\\\w+@\\\\w+",
        "\\\\s",
    ),
    *("(a)(b)?", "(?:ab)+", "x{2,3}", "a{2}", "r([0-9]+)", "ref=r([0-9]+)&", "o.b", "^[A-Z]-\\\\d"),
    *(
        "\\\\.",
        "[.|]",
        "é",
        "[à-ÿ]+",
        "a+?",
        "(\\\\d{4})-(\\\\d{2})",
        "foo\\\\W",
        "[\\\\w-]+",
        "a*$",
    ),
]
_MATCHED = [*(each for each in _PATTERNS if each not in ("a*$",))]


def computed() -> Iterator[str]:
    """Values of every form."""
    yield from _of_texts()
    yield from _of_lists()
    yield from _of_documents()
    for target in (
        "TINYINT",
        "INT",
        "BIGINT",
        "DOUBLE",
        "BOOLEAN",
        "DECIMAL(5,2)",
        "DECIMAL(20,0)",
    ):
        yield from (f"CAST(nt AS {target})", f"try_cast(nt AS {target})")
    yield from (
        "CAST(js AS DOUBLE)",
        "CAST(b AS STRING)",
        "CAST(s AS BINARY)",
        "CAST(trim(nt) AS INT)",
    )
    yield from ("md5(s)", "sha1(s)", "sha2(s, 256)", "sha2(bn, 0)", "md5(bn)", "hex(s)", "hex(bn)")
    yield from ("hex(j)", "base64(bn)", "bn", "mk", "coalesce(bn, bn)", "coalesce(mk, mk)")
    yield from ("named_struct('m', mk, 'b', bn)", "if(b, mk, NULL)", "array(mk)", "array(bn, bn)")


def _of_texts() -> Iterator[str]:
    for text in ("s", "ph", "js"):
        yield from (f"{name}({text})" for name in ("upper", "lower", "trim", "ltrim", "rtrim"))
        yield from (f"{name}({text})" for name in ("reverse", "ascii", "octet_length", "length"))
        yield from (f"substring({text}, {at})" for at in ("-2", "0", "i", "-3, 2", "0, 2", "y, 2"))
        yield from (
            f"substring({text}, {at})" for at in ("2, -1", "-9, 9", "h, i", "1, i", "NULL, 1")
        )
        yield from (
            f"left({text}, 3)",
            f"right({text}, 3)",
            f"right({text}, y)",
            f"left({text}, i)",
        )
        yield from (
            f"split({text}, '{by}')" for by in (",", "\\\\.", "\\\\|", "a", "ab", "日", " ")
        )
        yield from (f"lpad({text}, {size}, 'xy')" for size in ("0", "3", "-1", "y"))
        yield from (f"rpad({text}, 5)", f"rpad({text}, 4, 'é')", f"repeat({text}, 2)")
        yield from (
            f"substring_index({text}, {by})" for by in ("',', 1", "',', -1", "'.', 2", "'a', -3")
        )
        yield from (f"instr({text}, {part})" for part in ("u", "'a'", "''", "'🦉'"))
        yield from (f"locate({part}, {text})" for part in ("u", "'b'"))
        yield from (f"locate('a', {text}, {at})" for at in (2, 4, 90))
        yield from (f"trim(BOTH 'ax' FROM {text})", f"trim(LEADING 'é🦉' FROM {text})")
        yield from (f"split_part({text}, ',', {at})" for at in (1, 2, 9, -1, -2))
        yield from (f"translate({text}, 'abé', 'x🦉')", f"translate({text}, '', 'x')")
        yield from (
            f"replace({text}, {parts})" for parts in ("'a', 'b'", "u, 's'", "'', 'x'", "'é'")
        )
        yield from (f"concat({text}, u, '-')", f"{text} || u", f"concat_ws('-', {text}, u, NULL)")
    yield from (
        "concat(s)",
        "concat(s, NULL)",
        "concat_ws(s, ph)",
        "concat_ws(u, ph, s)",
        "concat()",
    )
    yield from (
        "concat_ws('-', sa)",
        "concat_ws('-', sa, ph, sb)",
        "concat_ws('-')",
        "concat(i, s)",
    )
    yield from (
        "repeat(ph, y % 3)",
        "concat(i, s)",
        "lower(split(ph, ',')[0])",
        "upper(substring(ph, -3, 2))",
    )
    for pattern in _MATCHED:
        yield from (f"regexp_extract({text}, '{pattern}', 0)" for text in ("ph", "s"))
        yield f"regexp_replace(ph, '{pattern}', '<{{}}>')"
    yield from ("regexp_extract(ph, 'ref=r([0-9]+)', 1)", "regexp_extract(ph, '(a)(b)?', 2)")
    yield from (
        "regexp_extract(ph, '(\\\\d+)-(\\\\d+)', 2)",
        "regexp_extract(ph, '(\\\\w+)@(\\\\w+)')",
    )


def _of_lists() -> Iterator[str]:
    for values in ("l", "sa", "split(ph, ',')"):
        yield from (f"{values}[{at}]" for at in ("0", "1", "-1", "i", "y"))
        yield from (
            f"{name}({values}, {at})" for name in ("element_at", "try_element_at") for at in _AT
        )
        yield from (f"{name}({values})" for name in ("array_max", "array_min", "array_distinct"))
        yield from (f"{name}({values})" for name in ("size", "sort_array", "array_sort", "reverse"))
        yield from (f"sort_array({values}, false)", f"array_compact({values})", f"concat({values})")
        yield from (
            f"slice({values}, {part})" for part in ("1, 2", "2, 9", "-2, 1", "-9, 9", "2, 0")
        )
    yield from ("array_contains(l, 1)", "array_contains(l, i)", "array_contains(sa, 'a')")
    yield from ("array_contains(sa, s)", "array_position(sa, 'a')", "array_position(l, i)")
    yield from ("array_remove(sa, 'a')", "array_remove(sa, s)", "array_remove(l, -1)")
    yield from (
        "arrays_overlap(sa, sb)",
        "arrays_overlap(l, array(i, y))",
        "concat(sa, sb, array(s))",
    )
    yield from ("array_join(sa, ',')", "array_join(sa, ',', '-')", "array_join(sa, '', u)")
    yield from ("flatten(ll)", "flatten(array(l, l))", "size(ll)", "ll[0][0]", "get(ll[0], 1)")
    yield from ("exists(l, v -> v > 0)", "forall(l, v -> v > 0)", "exists(sa, v -> v = s)")
    yield from ("transform(l, (v, at) -> at)", "transform(l, (v, at) -> v % 7 + at)")
    yield from ("filter(l, (v, at) -> at > 0)", "transform(sa, v -> upper(v))")
    yield from ("transform(sa, v -> concat(v, s))", "transform(ll, v -> size(v))")
    yield from ("transform(ll, v -> array_max(v))", "filter(sa, v -> array_contains(sb, v))")
    yield from ("transform(sa, v -> split(v, 'a')[0])", "m.x", "m.k1", "exists(m, v -> v.x = 1)")
    yield from ("mk['a']", "mk[s]", "element_at(mk, 'b')", "try_element_at(mk, 'zz')", "size(mk)")
    yield from ("map_keys(mk)", "map_values(mk)", "map_entries(mk)", "map_contains_key(mk, 'a')")
    yield from ("map('a', i, 'b', y)", "map('a', s)['a']", "cardinality(l)", "array_size(l)")
    yield from (
        "coalesce(sa, sb)",
        "coalesce(sa, array(s))",
        "if(b, sa, sb)",
        "coalesce(mk['a'], 0)",
    )


_AT = ("1", "-1", "2", "0", "y", "h")


def _of_documents() -> Iterator[str]:
    for path in ("$.a", "$.b", "$.a.b", "$.a.b.c", "$.A"):
        yield from (f"get_json_object(js, '{path}')", f"get_json_object(trim(js), '{path}')")
    yield from ("get_json_object(s, '$.a')", "CAST(get_json_object(js, '$.a') AS DOUBLE)")
    for kind in ("TINYINT", "INT", "BIGINT", "DOUBLE", "BOOLEAN", "STRING"):
        yield f"from_json(js, 'a {kind}')"
    yield from (
        "from_json(js, 'a STRUCT<b: INT, c: STRING>, b STRING')",
        "from_json(js, 'b INT').b",
    )
    yield from (
        "from_json(js, 'a STRUCT<b: STRUCT<c: BIGINT>>')",
        "from_json(js, 'A INT, zz STRING')",
    )


def conditions() -> Iterator[str]:
    """Conditions of every form."""
    yield from (f"ph RLIKE '{pattern}'" for pattern in _PATTERNS)
    yield from (f"s RLIKE '{pattern}'" for pattern in ("a", "^.$", "[^a]", "\\\\W", "^$"))
    yield from ("upper(ph) = 'A'", "trim(ph) = 'padded'", "mk['a'] = 1", "l[0] = 1", "sa[0] = 'b'")
    yield from ("array_contains(sa, 'a') AND i + 1 > 0", "get_json_object(js, '$.a') = '1'")
    yield from ("CAST(nt AS INT) > 0", "CAST(nt AS INT) + 1 = 2 AND b", "size(split(ph, ',')) > 1")
    yield from (
        "lower(ph) LIKE 'a%'",
        "ph ILIKE '%A%'",
        "exists(l, v -> v > 0) OR b",
        "NOT exists(sa, v -> v = 'a')",
    )


STATEMENTS = [
    "SELECT mk['a'] AS v, count(*) AS n FROM t GROUP BY mk['a']",
    "SELECT id, mk, bn, sa FROM t WHERE b",
    "SELECT id, v FROM t LATERAL VIEW explode(sa) exploded AS v",
    "SELECT concat(s, '-', u) AS v, count(*) AS n FROM t GROUP BY concat(s, '-', u)",
    "SELECT a, c FROM (SELECT mk AS a, id FROM t) JOIN (SELECT bn AS c, id FROM t) USING (id)",
    "SELECT mk, bn FROM t UNION ALL SELECT NULL, NULL FROM t",
]
