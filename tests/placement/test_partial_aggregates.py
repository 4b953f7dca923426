"""An aggregate in two parts gives what it gives as one."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Aggregate, Distinct, Filter
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.statements import print_duckdb
from slackwater.compiler.placement.partial_aggregates import split
from slackwater.executors.driver.engine import LocalEngine
from slackwater.expr.aggregates import aggregate
from slackwater.expr.build import number
from slackwater.expr.functions import call
from slackwater.plan.frames import Fresh
from slackwater.plan.statements import Statement
from slackwater.types import BIGINT, DOUBLE, DecimalType

from ..unit.duckdb_rows import Table, named

ROWS = Table("rows", k0=BIGINT, k1=BIGINT, k2=DecimalType(38, 4))
PARTS = (
    ROWS.of((1, 5, Decimal("1.5")), (1, None, None), (None, 2, Decimal("-7"))),
    ROWS.of((1, -5, Decimal("2.25")), (None, None, None), (2, 0, Decimal("9" * 33))),
    ROWS.of(),
)


def _calls() -> tuple[Rel, ...]:
    value, amount = ROWS["k1"], ROWS["k2"]
    wanted = (
        aggregate("sum", value),
        aggregate("sum", amount, where=call(">", amount, number(0, DecimalType(1, 0)))),
        aggregate("count", value),
        aggregate("count", number(1)),
        aggregate("min", value),
        aggregate("max", amount),
        aggregate("bit_or", value),
    )
    scan, key = ROWS.scan, ROWS.columns["k0"]
    outputs = Fresh(scan).outputs(wanted)
    by_key = Aggregate(scan, (pass_through(key),), outputs)
    several = call(">", outputs[3].column.ref(), number(1))
    return (by_key, Aggregate(scan, (), outputs), Filter(by_key, several), Distinct(scan))


@pytest.mark.parametrize("rel", _calls())
def test_parts_are_put_together(rel: Rel) -> None:
    engine = LocalEngine()
    statement = named(rel)
    parts = split(statement, "partial")
    assert parts is not None
    assert parts.final.fields == statement.fields
    whole = _rows(engine, statement, {"rows": pa.concat_tables(PARTS)})
    each = [engine.execute(print_duckdb(parts.partial), {"rows": part}) for part in PARTS]
    assert _rows(engine, parts.final, {"partial": pa.concat_tables(each)}) == whole


def _rows(engine: LocalEngine, statement: Statement, tables: dict[str, pa.Table]) -> list[str]:
    found = engine.execute(print_duckdb(statement), tables)
    return sorted(str(tuple(row.values())) for row in found.to_pylist())


def test_what_needs_all_rows_of_a_group_is_not_taken_apart() -> None:
    scan, key = ROWS.scan, pass_through(ROWS.columns["k0"])
    for wanted in (
        aggregate("collect_list", ROWS["k1"]),
        aggregate("count", ROWS["k1"], distinct=True),
        aggregate("avg", ROWS["k1"]),
    ):
        outputs = Fresh(scan).outputs((wanted,))
        assert split(named(Aggregate(scan, (key,), outputs)), "partial") is None
    first = Fresh(scan).outputs((aggregate("first", ROWS["k1"]),))
    assert split(named(Aggregate(scan, (key,), first)), "partial") is not None
    assert split(named(Aggregate(scan, (), first)), "partial") is None, "of no rows there is none"


def test_a_sum_of_floating_numbers_depends_on_its_order_in_any_case() -> None:
    table = Table("rows", k0=BIGINT, k1=DOUBLE)
    sums = Fresh(table.scan).outputs((aggregate("sum", table["k1"]),))
    rel = Aggregate(table.scan, (pass_through(table.columns["k0"]),), sums)
    assert split(named(rel), "partial") is not None
