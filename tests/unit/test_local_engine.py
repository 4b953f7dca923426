"""What the driver's engine cannot hold or do is handed on, and nothing is left open."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from slackwater.runtime.local.statements import translate_statement

from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.runtime.local.engine import LocalEngine
from slackwater.types import BIGINT, STRING, DecimalType

_WIDE = Context(prec=100)


def test_a_join_beyond_all_bounds_is_left_to_spark() -> None:
    rows = pa.table({"k0": pa.array(["x" * 2000] * 3000)})
    text = "SELECT a, max(b) AS b FROM (SELECT k0 AS a FROM t) CROSS JOIN (SELECT k0 AS b FROM t) "
    statement = translate_statement(text + "GROUP BY a", {"t": {"k0": STRING}})
    engine = LocalEngine(memory="3MB")
    with pytest.raises(NotLocalError, match=r"(?i)memory"):
        engine.execute(statement, {"t": rows})
    engine.close()


def test_the_same_text_over_other_types_is_another_statement() -> None:
    text = "SELECT xxhash64(k0) AS _h FROM t"
    long = translate_statement(text, {"t": {"k0": BIGINT}})
    word = translate_statement(text, {"t": {"k0": STRING}})
    assert long.sql != word.sql


def test_a_table_may_come_again_with_other_columns() -> None:
    engine = LocalEngine()
    for name, dtype, value in (("k0", BIGINT, 1), ("k1", STRING, "x")):
        statement = translate_statement(f"SELECT DISTINCT {name} FROM t", {"t": {name: dtype}})
        found = engine.execute(statement, {"t": pa.table({name: [value]})})
        assert found.to_pylist() == [{name: value}]
    engine.close()


_WIDTHS = st.sampled_from(
    [
        (25, 2, 20, 0),
        (38, 6, 19, 0),
        (15, 2, 15, 2),
        (18, 0, 9, 9),
        (38, 18, 38, 18),
        (18, 18, 38, 0),
        (1, 1, 36, 0),
        (38, 6, 38, 38),
    ]
)


def _unscaled(digits: int) -> st.SearchStrategy[int]:
    sizes = st.integers(1, digits)
    return sizes.flatmap(lambda size: st.integers(1 - 10**size, 10**size - 1))


@settings(deadline=None, max_examples=40)
@given(_WIDTHS, st.data())
def test_quotients_have_every_digit(widths: tuple[int, int, int, int], data: st.DataObject) -> None:
    above, scale, below, other = widths
    operands = st.tuples(_unscaled(above), _unscaled(below).filter(bool))
    pairs = data.draw(st.lists(operands, min_size=1, max_size=20))
    lefts = [Decimal(left).scaleb(-scale, _WIDE) for left, _ in pairs]
    rights = [Decimal(right).scaleb(-other, _WIDE) for _, right in pairs]
    types = {"k0": DecimalType(above, scale), "k1": DecimalType(below, other)}
    statement = translate_statement("SELECT k0, k1, k0 / k1 AS q FROM t", {"t": types})
    result = statement.columns["q"]
    assert isinstance(result, DecimalType)
    expected = [
        _exact(left, right, result.scale) for left, right in zip(lefts, rights, strict=True)
    ]
    assume(all(abs(each) < 10 ** (result.precision - result.scale) for each in expected))
    columns = [
        pa.array(values, pa.decimal128(dtype.precision, dtype.scale))
        for values, dtype in zip((lefts, rights), types.values(), strict=True)
    ]
    engine = LocalEngine()
    found = engine.execute(statement, {"t": pa.table(columns, names=["k0", "k1"])})
    engine.close()
    assert sorted(found.column("q").to_pylist()) == sorted(expected)


def test_a_quotient_is_rounded_once() -> None:
    types = {"k0": DecimalType(18, 18), "k1": DecimalType(38, 0)}
    statement = translate_statement("SELECT k0 / k1 AS q FROM t", {"t": types})
    most = [Decimal(10**18 // 2 - 1).scaleb(-18, _WIDE), Decimal(10**38 - 1)]
    kinds = [pa.decimal128(dtype.precision, dtype.scale) for dtype in types.values()]
    columns = [pa.array([value], kind) for value, kind in zip(most, kinds, strict=True)]
    engine = LocalEngine()
    found = engine.execute(statement, {"t": pa.table(columns, names=["k0", "k1"])})
    engine.close()
    # The first digit that does not fit is a 4, whatever would come behind it.
    assert found.column("q").to_pylist() == [0]


def _exact(left: Decimal, right: Decimal, scale: int) -> Decimal:
    """The quotient rounded half up from all its digits."""
    quotient = abs(Fraction(left) / Fraction(right)) * 10**scale
    whole = int(2 * quotient + 1) // 2
    return Decimal(-whole if (left < 0) != (right < 0) else whole).scaleb(-scale, _WIDE)


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([(38, 15, 19, 6), (38, 20, 38, 2), (19, 1, 18, 0), (38, 37, 12, 10)]), st.data()
)
def test_digits_are_rounded_half_up(widths: tuple[int, int, int, int], data: st.DataObject) -> None:
    digits, scale, kept, kept_scale = widths
    numbers = data.draw(st.lists(st.none() | _unscaled(digits), min_size=1, max_size=20))
    values = [None if n is None else Decimal(n).scaleb(-scale, _WIDE) for n in numbers]
    one, other = DecimalType(digits, scale), DecimalType(kept, kept_scale)
    statement = translate_statement(
        f"SELECT CAST(k0 AS {other.sql()}) AS k1 FROM t", {"t": {"k0": one}}
    )
    expected = [None if each is None else _exact(each, Decimal(1), kept_scale) for each in values]
    table = pa.table([pa.array(values, pa.decimal128(digits, scale))], names=["k0"])
    engine = LocalEngine()
    try:
        if any(each is not None and abs(each) >= 10 ** (kept - kept_scale) for each in expected):
            with pytest.raises(NotLocalError):
                engine.execute(statement, {"t": table})
        else:
            assert engine.execute(statement, {"t": table}).column("k1").to_pylist() == expected
    finally:
        engine.close()
