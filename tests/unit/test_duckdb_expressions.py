"""Each form of an expression gives in DuckDB the value that Spark gives, or is left to Spark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Context, Decimal

import pytest

from slackwater.compiler.duckdb.expressions import FORMS
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.functions import FUNCTIONS, call
from slackwater.expr.nodes import (
    Call,
    Cast,
    CastMode,
    Expr,
    FieldAccess,
    Lambda,
    LambdaVariable,
    Literal,
    UserCall,
)
from slackwater.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    Field,
    StringType,
    StructType,
)

from .duckdb_rows import (
    FEW_VALUES,
    Table,
    bigint,
    integer,
    named,
    project,
    string,
    value_of,
    values,
)

_MOST = 2**31 - 1
_WIDE = DecimalType(38, 6)
_PAIR = StructType((Field("x", INTEGER), Field('odd "name"', STRING)))
T = Table(
    "t",
    y=TINYINT,
    h=SMALLINT,
    i=INTEGER,
    j=BIGINT,
    n=DecimalType(5, 0),
    d=DecimalType(12, 2),
    e=DecimalType(30, 4),
    w=_WIDE,
    f=DOUBLE,
    s=STRING,
    u=STRING,
    t=DATE,
    b=BOOLEAN,
    c=BOOLEAN,
    p=TIMESTAMP,
    q=TIMESTAMP_NTZ,
    l=ArrayType(INTEGER),
    r=_PAIR,
    v=StringType("UTF8_LCASE"),
)


@pytest.fixture(scope="module", params=FEW_VALUES)
def engine(request: pytest.FixtureRequest) -> Iterator[LocalEngine]:
    engine = LocalEngine(few_values=request.param)
    yield engine
    engine.close()


def _over(
    engine: LocalEngine, columns: str, build: Expr, *rows: tuple[object, ...]
) -> list[object]:
    """Values of an expression over some of the columns of T."""
    table = Table("t", **{name: T.columns[name].dtype for name in columns})
    table.columns = {name: T.columns[name] for name in columns}
    return values(engine, table, build, *rows)


@pytest.mark.parametrize(
    ("text", "dtype", "value"),
    [
        ("-128", TINYINT, -128),
        ("32767", SMALLINT, 32767),
        ("-2147483648", INTEGER, -(2**31)),
        ("-9223372036854775808", BIGINT, -(2**63)),
        ("9223372036854775807", BIGINT, 2**63 - 1),
        ("true", BOOLEAN, True),
        ("false", BOOLEAN, False),
        ("it's \\ 🦉\n", STRING, "it's \\ 🦉\n"),
        ("", STRING, ""),
        ("1.50", DecimalType(3, 2), Decimal("1.50")),
        ("0E-10", DecimalType(11, 10), Decimal("0E-10")),
        ("-1E+3", DecimalType(4, 0), Decimal(-1000)),
        ("9" * 38, DecimalType(38, 0), Decimal("9" * 38)),
        ("0." + "9" * 38, DecimalType(38, 38), Decimal("0." + "9" * 38)),
        ("0001-01-01", DATE, date(1, 1, 1)),
        ("9999-12-31", DATE, date(9999, 12, 31)),
        ("1585443600000001", TIMESTAMP, datetime(2020, 3, 29, 1, 0, 0, 1, UTC)),
        ("-1", TIMESTAMP_NTZ, datetime(1969, 12, 31, 23, 59, 59, 999999)),
        ("-62135596800000000", TIMESTAMP_NTZ, datetime(1, 1, 1)),
        ("1.5E-7", DOUBLE, 1.5e-7),
        *((None, dtype, None) for dtype in (INTEGER, STRING, _WIDE, ArrayType(DATE), _PAIR)),
    ],
)
def test_literals(engine: LocalEngine, text: str | None, dtype: DataType, value: object) -> None:
    assert value_of(engine, Literal(text, dtype)) == value


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("1.555", DecimalType(3, 2)),
        ("100.00", DecimalType(3, 2)),
        ("NaN", DecimalType(3, 2)),
        ("12020-01-01", DATE),
        ("a\x00b", STRING),
        ("array(1)", ArrayType(INTEGER)),
        (None, VOID),
    ],
)
def test_literals_that_only_spark_reads(text: str | None, dtype: DataType) -> None:
    _refused(Literal(text, dtype))


def _refused(expr: Expr, reason: str | None = None) -> None:
    with pytest.raises(NotLocalError, match=reason):
        print_duckdb(named(project(T.scan, expr)))


_CASTS = [
    ("i", BIGINT, [_MOST, -(2**31), None], [_MOST, -(2**31), None]),
    ("j", STRING, [-(2**63), 0, None], ["-9223372036854775808", "0", None]),
    ("i", DecimalType(12, 2), [_MOST, None], [Decimal("2147483647.00"), None]),
    ("n", BIGINT, [Decimal(-99999), None], [-99999, None]),
    ("d", DecimalType(13, 1), [Decimal("0.05"), Decimal("-0.05")], [Decimal("0.1")] * 2),
    ("e", DecimalType(38, 2), [Decimal("0.0050"), None], [Decimal("0.01"), None]),
    ("w", DecimalType(38, 0), [Decimal("0.5")], [Decimal(1)]),
]


@pytest.mark.parametrize(("name", "target", "given", "expected"), _CASTS)
def test_casts(
    engine: LocalEngine, name: str, target: DataType, given: list[object], expected: list[object]
) -> None:
    found = _over(engine, name, Cast(T[name], target), *((each,) for each in given))
    signs = [
        -1 if isinstance(each, Decimal) and each < 0 and target != BIGINT else 1 for each in given
    ]
    assert found == [
        each if sign == 1 else -Decimal(str(each))
        for each, sign in zip(expected, signs, strict=True)
    ]


@pytest.mark.parametrize(
    ("name", "target", "value"),
    [
        ("i", TINYINT, 128),
        ("j", INTEGER, 2**31),
        ("i", DecimalType(5, 0), 100000),
        ("w", DecimalType(10, 6), Decimal(10000)),
        ("e", DecimalType(3, 2), Decimal("9.9950")),
    ],
)
def test_a_cast_that_does_not_fit_fails(
    engine: LocalEngine, name: str, target: DataType, value: object
) -> None:
    with pytest.raises(NotLocalError, match="fails here"):
        _over(engine, name, Cast(T[name], target), (value,))


@pytest.mark.parametrize(
    "expr",
    [
        Cast(T["i"], TINYINT, CastMode.TRY),
        Cast(T["e"], INTEGER),
        Cast(T["b"], DecimalType(1, 0)),
        Cast(T["s"], FLOAT),
        Cast(T["s"], DATE, CastMode.TRY),
        Cast(T["t"], INTEGER),
        Cast(string("1e3"), DecimalType(4, 0)),
        Cast(string("2020-1-1"), DATE),
        Cast(T["l"], ArrayType(BIGINT)),
    ],
)
def test_casts_that_only_spark_does(expr: Expr) -> None:
    _refused(expr, "cast")


def test_casts_of_decimals_and_booleans(engine: LocalEngine) -> None:
    money = [(Decimal("-1.99"),), (Decimal("0.05"),), (None,)]
    assert _over(engine, "d", Cast(T["d"], INTEGER), *money) == [-1, 0, None]
    assert _over(engine, "d", Cast(T["d"], STRING), *money) == ["-1.99", "0.05", None]
    assert _over(engine, "b", Cast(T["b"], INTEGER), (True,), (False,), (None,)) == [1, 0, None]


def test_casts_that_change_nothing_or_read_what_is_written(engine: LocalEngine) -> None:
    assert value_of(engine, Cast(string("2000-02-29"), DATE)) == date(2000, 2, 29)
    assert value_of(engine, Cast(string("-1.50"), DecimalType(3, 2))) == Decimal("-1.50")
    assert value_of(engine, Cast(Literal(None, VOID), DATE)) is None
    assert _over(engine, "i", Cast(T["i"], BIGINT, CastMode.TRY), (5,)) == [5]
    assert _over(engine, "l", Cast(T["l"], ArrayType(INTEGER, False)), ([1],)) == [[1]]


_TRUTH = [(a, b) for a in (True, False, None) for b in (True, False, None)]


def test_connectives(engine: LocalEngine) -> None:
    both = _over(engine, "bc", call("and", T["b"], T["c"]), *_TRUTH)
    assert both == [True, False, None, False, False, False, None, False, None]
    either = _over(engine, "bc", call("or", T["b"], T["c"]), *_TRUTH)
    assert either == [True, True, True, True, False, None, True, None, None]
    assert _over(engine, "b", call("not", T["b"]), (True,), (None,)) == [False, None]
    nested = call("or", call("or", T["b"], T["c"]), call("isnull", T["b"]))
    assert _over(engine, "bc", nested, (None, False), (False, False)) == [True, False]


_PAIRS = [(1, 1), (1, 2), (2, 1), (None, 1), (None, None)]


@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("=", [True, False, False, None, None]),
        ("<", [False, True, False, None, None]),
        ("<=", [True, True, False, None, None]),
        (">", [False, False, True, None, None]),
        (">=", [True, False, True, None, None]),
        ("<=>", [True, False, False, False, True]),
        ("in", [True, False, False, None, None]),
    ],
)
def test_comparisons(engine: LocalEngine, sign: str, expected: list[object]) -> None:
    pair = Table("t", i=INTEGER, k=INTEGER)
    assert values(engine, pair, call(sign, pair["i"], pair["k"]), *_PAIRS) == expected


def test_texts_are_compared_by_their_bytes(engine: LocalEngine) -> None:
    pairs = [("a", "B"), ("e\u0301", "é"), ("\uffff", "🦉"), ("a", "a ")]
    assert _over(engine, "su", call("<", T["s"], T["u"]), *pairs) == [False, True, True, True]
    assert _over(engine, "su", call("=", T["s"], T["u"]), *pairs) == [False] * 4


def test_decimals_of_other_scales_are_compared(engine: LocalEngine) -> None:
    rows = [(Decimal("1.50"), Decimal("1.5000")), (Decimal("1.50"), Decimal("1.5001"))]
    assert _over(engine, "de", call("=", T["d"], T["e"]), *rows) == [True, False]


@pytest.mark.parametrize("sign", ["=", "<", "<=", ">", ">=", "<=>", "in"])
@pytest.mark.parametrize(
    ("name", "target", "constants"),
    [
        ("y", BIGINT, ["300", "-129", "127", "5"]),
        ("y", DecimalType(12, 2), ["5.50", "127.49", "128.00", "-128.50"]),
        ("d", DecimalType(30, 4), ["1.5001", "1.4999", "9999999999.9999", "99999999999999.0000"]),
    ],
)
def test_a_cast_that_always_fits_is_compared_with_all_its_digits(
    engine: LocalEngine, name: str, target: DataType, constants: list[str], sign: str
) -> None:
    given = [Decimal("1.5"), Decimal("9999999999.99")] if name == "d" else [-128, 5, 6, 127]
    for constant in constants:
        test = call(sign, Cast(T[name], target), Literal(constant, target))
        found = _over(engine, name, test, *((each,) for each in given))
        right = Decimal(constant)
        expected = {
            "=": [each == right for each in given],
            "<": [each < right for each in given],
            "<=": [each <= right for each in given],
            ">": [each > right for each in given],
            ">=": [each >= right for each in given],
        }
        assert found == expected.get(sign, expected["="])


def test_membership_with_null(engine: LocalEngine) -> None:
    member = call("in", T["i"], integer(1), Literal(None, INTEGER))
    assert _over(engine, "i", member, (1,), (2,), (None,)) == [True, None, None]


def test_choices(engine: LocalEngine) -> None:
    case = call("case", T["b"], T["i"], call("isnull", T["i"]), integer(7))
    assert _over(engine, "bi", case, (True, 1), (False, 1), (None, None)) == [1, None, 7]
    other = call("case", T["b"], string("x"), T["s"])
    assert _over(engine, "bs", other, (True, "y"), (None, "y")) == ["x", "y"]
    choice = call("if", T["b"], T["d"], Literal(None, DecimalType(12, 2)))
    assert _over(engine, "bd", choice, (True, Decimal(1)), (False, Decimal(1))) == [
        Decimal(1),
        None,
    ]
    filled = call("coalesce", T["s"], T["u"], string("-"))
    assert _over(engine, "su", filled, (None, "u"), (None, None)) == ["u", "-"]
    assert _over(engine, "r", call("coalesce", T["r"], T["r"]), (None,)) == [None]
    assert _over(engine, "ij", call("greatest", T["j"], bigint(0)), (None, -5), (0, 9)) == [0, 9]
    assert _over(engine, "su", call("least", T["s"], T["u"]), ("b", "a"), (None, "c")) == ["a", "c"]


def test_a_choice_may_hold_a_narrower_value_but_no_wider_one(engine: LocalEngine) -> None:
    narrow = call("if", T["b"], T["d"], Literal("1", DecimalType(1, 0)))
    assert _over(engine, "bd", narrow, (False, None)) == [Decimal("1.00")]
    _refused(call("if", T["b"], T["i"], T["j"]), "INT is expected")
    _refused(call("if", T["b"], T["i"], T["s"]), "common type")


_LARGE = Context(prec=50)


@pytest.mark.parametrize(
    ("expr", "row", "value"),
    [
        (call("+", T["i"], T["i"]), (3,), 6),
        (call("-", T["y"], T["y"]), (-128,), 0),
        (call("*", T["j"], bigint(-1)), (2**63 - 1,), -(2**63) + 1),
        (call("%", T["i"], integer(7)), (-(2**31),), -2),
        (call("%", T["j"], Cast(integer(10), BIGINT)), (-3,), -3),
        (call("negative", T["y"]), (127,), -127),
        (call("negative", T["d"]), (Decimal("0.01"),), Decimal("-0.01")),
        (call("abs", T["i"]), (-5,), 5),
        (call("positive", T["d"]), (Decimal("0.01"),), Decimal("0.01")),
        (call("+", T["w"], T["w"]), (Decimal("4e31"),), Decimal("8e31")),
        (
            call("*", T["e"], Literal("7.25", DecimalType(3, 2))),
            (Decimal("1.5001"),),
            Decimal("10.875725"),
        ),
        (
            call("/", T["d"], Literal("7.0", DecimalType(2, 1))),
            (Decimal("1.00"),),
            Decimal("0.142857"),
        ),
    ],
)
def test_arithmetic(
    engine: LocalEngine, expr: Expr, row: tuple[object, ...], value: object
) -> None:
    name = next(each for each in "yijndew" if T[each] in expr.children)
    assert _over(engine, name, expr, row, (None,)) == [value, None]


@pytest.mark.parametrize(
    ("expr", "row"),
    [
        (call("+", T["i"], integer(1)), (_MOST,)),
        (call("negative", T["j"]), (-(2**63),)),
        (call("abs", T["i"]), (-(2**31),)),
        (call("+", T["w"], T["w"]), (Decimal("6e31"),)),
        (call("/", T["d"], Literal("0.0", DecimalType(2, 1))), (Decimal(1),)),
    ],
)
def test_arithmetic_that_overflows_is_left_to_spark(
    engine: LocalEngine, expr: Expr, row: tuple[object, ...]
) -> None:
    name = next(each for each in "yijdw" if T[each] in expr.children)
    with pytest.raises(NotLocalError):
        _over(engine, name, expr, row)


@pytest.mark.parametrize(
    "expr",
    [
        call("/", T["i"], T["i"]),
        call("%", T["d"], T["d"]),
        call("pmod", T["d"], T["d"]),
        call("div", T["d"], T["d"]),
        call("%", T["i"], T["j"]),
        call("round", T["f"], integer(-1)),
        call("round", T["f"], T["i"]),
        call("round", T["f"], integer(16)),
        call("bround", T["d"], integer(1)),
        call("floor", T["i"]),
        call("+", T["i"], T["j"]),
        call("-", T["t"], T["t"]),
        call("negative", T["w"]),
        call("abs", T["w"]),
        call("*", T["w"], T["e"]),
        call("*", T["w"], T["w"]),
        Call("+", (T["d"], T["d"]), DecimalType(20, 2), True),
    ],
)
def test_arithmetic_that_only_spark_does(expr: Expr) -> None:
    _refused(expr)


def test_texts(engine: LocalEngine) -> None:
    assert _over(engine, "s", call("length", T["s"]), ("🦉x",), ("",), (None,)) == [2, 0, None]
    cut = call("substring", T["s"], integer(2), integer(2))
    assert _over(engine, "s", cut, ("日本語x",), ("a",), (None,)) == ["本語", "", None]
    rest = call("substring", T["s"], integer(2), integer(_MOST))
    assert _over(engine, "s", rest, ("abc",)) == ["bc"]
    for name, expected in (("startswith", False), ("endswith", True), ("contains", True)):
        assert _over(engine, "su", call(name, T["s"], T["u"]), ("ab", "b")) == [expected]
        assert _over(engine, "su", call(name, T["s"], T["u"]), ("ab", None)) == [None]


def _like(pattern: str, escape: str = "'\\\\'") -> Call:
    return call("like", T["s"], string(pattern), params=(escape,))


def test_patterns(engine: LocalEngine) -> None:
    rows = [("ab",), ("a\nb",), ("🦉",), ("",), (None,)]
    assert _over(engine, "s", _like("a%"), *rows) == [True, True, False, False, None]
    assert _over(engine, "s", _like("_"), *rows) == [False, False, True, False, None]
    assert _over(engine, "s", _like("a_b", "'!'"), *rows) == [False, True, False, False, None]
    for pattern in (_like("a\\%"), _like("a!_", "'!'"), call("like", T["s"], T["u"])):
        _refused(pattern, "pattern")


@pytest.mark.parametrize(
    "expr",
    [
        call("length", T["v"]),
        call("substring", T["s"], integer(1), T["j"]),
        call("substring", T["s"], Literal("1.5", DecimalType(2, 1)), integer(2)),
        call("startswith", T["v"], T["v"]),
        call("year", T["p"]),
        call("upper", T["v"]),
        call("=", T["v"], T["v"]),
        call("<", T["l"], T["l"]),
        call("greatest", T["r"], T["r"]),
        call("<", T["d"], T["f"]),
    ],
)
def test_what_is_not_known_to_agree_is_left_to_spark(expr: Expr) -> None:
    _refused(expr)


def test_quotients_and_roots_of_doubles(engine: LocalEngine) -> None:
    table = Table("t", f=DOUBLE, g=DOUBLE)
    quotient = call("/", table["f"], table["g"])
    assert values(engine, table, quotient, (1.0, 3.0), (None, 0.5)) == [1.0 / 3.0, None]
    with pytest.raises(NotLocalError, match="division by zero"):
        values(engine, table, quotient, (1.0, -0.0))
    root, minus = values(engine, table, call("sqrt", table["f"]), (2.0, 0.0), (-1.0, 0.0))
    assert root == 2.0**0.5
    assert str(minus) == "nan"


def test_parts_of_dates(engine: LocalEngine) -> None:
    day = (date(2000, 2, 29),)
    parts = [_over(engine, "t", call(part, T["t"]), day)[0] for part in ("year", "month", "day")]
    assert parts == [2000, 2, 29]
    assert _over(engine, "t", call("year", T["t"]), (None,)) == [None]


def test_arrays_and_structs(engine: LocalEngine) -> None:
    assert _over(engine, "su", call("array", T["s"], T["u"]), ("a", None)) == [["a", None]]
    struct = call("named_struct", string("x"), T["i"], string('odd "name"'), T["s"])
    assert _over(engine, "is", struct, (1, "a")) == [{"x": 1, 'odd "name"': "a"}]
    field = FieldAccess(T["r"], 'odd "name"', STRING, True)
    assert _over(engine, "r", field, ({"x": 1, 'odd "name"': "a"},), (None,)) == ["a", None]
    _refused(FieldAccess(T["r"], "z", STRING, True), "field")
    _refused(Call("array", (), ArrayType(INTEGER), False), "such an array")


@pytest.mark.parametrize(
    "path", ["c2.x", "c2.c1.x", "c2.c1.x.y.z", "c1.c2.c0", "t1.c0.k1", "c2.c2.c2.c2.c2.c2"]
)
def test_fields_may_be_called_as_columns_and_tables_are(engine: LocalEngine, path: str) -> None:
    names = path.split(".")
    types: list[DataType] = [INTEGER]
    value: object = 1
    for name in reversed(names):
        types.append(StructType((Field(name, types[-1]),)))
        value = {name: value}
    others: dict[str, DataType] = dict.fromkeys(sorted({"c1", "x", "y", *names} - {"c0"}), types[1])
    table = Table("t", c0=types[-1], **others)
    expr: Expr = table["c0"]
    for name, dtype in zip(names, types[-2::-1], strict=True):
        expr = FieldAccess(expr, name, dtype, True)
    assert values(engine, table, expr, (value, *[{names[-1]: 2}] * len(others))) == [1]


def test_the_size_of_an_array(engine: LocalEngine) -> None:
    sizes = _over(engine, "l", call("size", T["l"]), ([],), ([1, None],), (None,))
    assert sizes == [0, 2, None]
    _refused(call("size", T["s"]), "the size of")


@pytest.mark.parametrize(
    ("place", "value"), [(-3, None), (-2, None), (-1, None), (0, 7), (2, 9), (3, None)]
)
def test_get_counts_from_the_first_only(engine: LocalEngine, place: int, value: int | None) -> None:
    row = ([7, 8, 9], place)
    assert _over(engine, "li", call("get", T["l"], T["i"]), row) == [value]
    assert _over(engine, "li", call("get", T["l"], integer(place)), row) == [value]


_ELEMENT, _OTHER = (LambdaVariable(name, INTEGER, True) for name in ("x", "i"))


def test_lambdas(engine: LocalEngine) -> None:
    above = call("filter", T["l"], Lambda((_ELEMENT,), call(">", _ELEMENT, T["i"])))
    assert _over(engine, "li", above, ([1, None, 3], 1), (None, 1)) == [[3], None]
    grown = call("transform", T["l"], Lambda((_ELEMENT,), call("+", _ELEMENT, integer(1))))
    assert _over(engine, "l", grown, ([1, None],), ([],), (None,)) == [[2, None], [], None]
    inner = call("filter", T["l"], Lambda((_OTHER,), call(">", _OTHER, _ELEMENT)))
    not_last = Lambda((_ELEMENT,), call("isnotnull", call("get", inner, integer(0))))
    assert _over(engine, "li", call("filter", T["l"], not_last), ([1, 2, 3], 9)) == [[1, 2]]
    place = Lambda((_ELEMENT, _OTHER), call(">", _OTHER, integer(0)))
    assert _over(engine, "l", call("filter", T["l"], place), ([5, None, 7],)) == [[None, 7]]


def test_hashes_go_on_from_column_to_column(engine: LocalEngine) -> None:
    # Spark: xxhash64(1), xxhash64('Spark'), xxhash64(NULL).
    assert _over(engine, "i", call("xxhash64", T["i"]), (1,), (None,)) == [-6698625589789238999, 42]
    assert _over(engine, "s", call("xxhash64", T["s"]), ("Spark",)) == [-4294468057691064905]
    both = _over(engine, "is", call("xxhash64", T["i"], T["s"]), (None, "Spark"))
    assert both == [-4294468057691064905]
    assert value_of(engine, call("xxhash64", Literal(None, VOID), integer(1))) == (
        -6698625589789238999
    )
    # Spark: xxhash64(1.5D), xxhash64(0D), xxhash64(double('NaN')).
    floats = _over(engine, "f", call("xxhash64", T["f"]), (1.5,), (-0.0,), (float("nan"),))
    assert floats == [7738255526519901366, -5252525462095825812, -3127944061524951246]
    _refused(call("xxhash64", T["v"]), "hash")


def test_structs_and_arrays_hash_as_their_parts(engine: LocalEngine) -> None:
    parts = call("xxhash64", integer(1), Literal(None, INTEGER), integer(2))
    found = _over(engine, "l", call("xxhash64", T["l"]), ([1, None, 2],), ([],), (None,))
    assert found == [value_of(engine, parts), 42, 42]
    row = {"x": 1, 'odd "name"': "a"}
    both = call("xxhash64", integer(1), string("a"))
    found = _over(engine, "r", call("xxhash64", T["r"]), (row,), (None,))
    assert found == [value_of(engine, both), 42]


def test_small_decimals_hash_as_numbers(engine: LocalEngine) -> None:
    found = _over(engine, "dj", call("xxhash64", T["d"]), (Decimal("-1.50"), 0))
    assert found == _over(engine, "dj", call("xxhash64", T["j"]), (None, -150))


def test_every_function_is_known_or_refused() -> None:
    assert set(FORMS) <= set(FUNCTIONS)
    for function in sorted(set(FUNCTIONS) - set(FORMS)):
        _refused(Call(function, (T["s"], T["s"]), STRING, True, ("1",)), "the function")
    _refused(UserCall("mine", (T["s"],), STRING), "such an expression")
    _refused(call("isnull", call("raise_error", T["s"])), "raise_error")
    _refused(call("isnull", call("+", T["i"], T["j"])), "unknown type")
