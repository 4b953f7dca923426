"""What the driver's engine cannot hold or do is handed on, and nothing is left open."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from slackwater.algebra.columns import Column, Output
from slackwater.algebra.operators import Aggregate, Distinct, Join, JoinKind
from slackwater.compiler.duckdb.types import NotLocalError
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.functions import call
from slackwater.expr.nodes import Cast, ColumnId
from slackwater.types import BIGINT, STRING, DecimalType

from .duckdb_rows import Table, run, values

_WIDE = Context(prec=100)


def test_a_join_beyond_all_bounds_is_left_to_spark() -> None:
    left, right = Table("t", a=STRING), Table("t", 2, b=STRING)
    largest = Column(ColumnId(4), "largest", STRING)
    rel = Aggregate(
        Join(JoinKind.CROSS, left.scan, right.scan),
        (Output(Column(ColumnId(3), "a", STRING), left["a"]),),
        (Output(largest, aggregate("max", right["b"])),),
    )
    words = pa.array(["x" * 2000] * 3000)
    engine = LocalEngine(memory="3MB")
    with pytest.raises(NotLocalError, match=r"(?i)memory"):
        run(engine, rel, {"t": pa.table({"a": words, "b": words})})
    engine.close()


def test_a_table_may_come_again_with_other_columns() -> None:
    engine = LocalEngine(few_values=0)
    for table, value in ((Table("t", k0=BIGINT), 1), (Table("t", k1=STRING), "x")):
        assert run(engine, Distinct(table.scan), {"t": table.of((value,))}) == [(value,)]
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
    table = Table("t", k0=DecimalType(above, scale), k1=DecimalType(below, other))
    quotient = call("/", table["k0"], table["k1"])
    result = quotient.dtype
    assert isinstance(result, DecimalType)
    expected = [
        _exact(left, right, result.scale) for left, right in zip(lefts, rights, strict=True)
    ]
    assume(all(abs(each) < 10 ** (result.precision - result.scale) for each in expected))
    engine = LocalEngine()
    found = values(engine, table, quotient, *zip(lefts, rights, strict=True))
    engine.close()
    assert found == expected


def test_a_quotient_is_rounded_once() -> None:
    table = Table("t", k0=DecimalType(18, 18), k1=DecimalType(38, 0))
    most = (Decimal(10**18 // 2 - 1).scaleb(-18, _WIDE), Decimal(10**38 - 1))
    engine = LocalEngine()
    found = values(engine, table, call("/", table["k0"], table["k1"]), most)
    engine.close()
    # The first digit that does not fit is a 4, whatever would come behind it.
    assert found == [0]


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
    given = [None if n is None else Decimal(n).scaleb(-scale, _WIDE) for n in numbers]
    table = Table("t", k0=DecimalType(digits, scale))
    rounded = Cast(table["k0"], DecimalType(kept, kept_scale))
    expected = [None if each is None else _exact(each, Decimal(1), kept_scale) for each in given]
    rows = [(each,) for each in given]
    engine = LocalEngine()
    try:
        if any(each is not None and abs(each) >= 10 ** (kept - kept_scale) for each in expected):
            with pytest.raises(NotLocalError):
                values(engine, table, rounded, *rows)
        else:
            assert values(engine, table, rounded, *rows) == expected
    finally:
        engine.close()
