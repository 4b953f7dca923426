from __future__ import annotations

import math
from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.workloads.adversarial import adversarial_tables, write_adversarial

TABLES = adversarial_tables()
VALUES = {name: table.to_pydict() for name, table in TABLES.items()}


def by_group(name: str, column: str) -> dict[str | None, list[object]]:
    groups: dict[str | None, list[object]] = defaultdict(list)
    for group, value in zip(VALUES[name]["g"], VALUES[name][column], strict=True):
        if value is not None:
            groups[group].append(value)
    return groups


def whole_rows(name: str) -> Counter[str]:
    return Counter(repr(row) for row in TABLES[name].to_pylist())


def test_tables_are_small_and_repeatable() -> None:
    again = adversarial_tables()
    for name, table in TABLES.items():
        expected = {"t_empty": [0], "t_skew": [400]}.get(name, range(20, 81))
        assert table.num_rows in expected, name
        assert repr(again[name].to_pylist()) == repr(table.to_pylist())


def test_written_files_hold_the_same_types_and_values(tmp_path: Path) -> None:
    paths = write_adversarial(tmp_path / "new" / "folder")
    assert set(paths) == set(TABLES)
    for name, path in paths.items():
        assert path.name == f"{name}.parquet"
        read = pq.read_table(path)
        assert read.schema == TABLES[name].schema
        assert repr(read.to_pylist()) == repr(TABLES[name].to_pylist())


@pytest.mark.parametrize("name", ["t_nulls", "t_right", "t_nonull", "t_nested", "t_names"])
def test_some_whole_rows_occur_several_times(name: str) -> None:
    assert max(whole_rows(name).values()) > 1


def test_nulls_has_null_keys_and_groups_without_values() -> None:
    rows = TABLES["t_nulls"]
    assert rows.column("k").null_count >= 10
    assert rows.column("g").null_count >= 8
    assert {"v", "d", "ts"} == {c for c in ("v", "d", "ts") if "void" not in by_group("t_nulls", c)}
    assert "void" in VALUES["t_nulls"]["g"]


def test_join_partners_lack_keys_on_both_sides() -> None:
    for column in ("k", "g"):
        left, right = set(VALUES["t_nulls"][column]), set(VALUES["t_right"][column])
        assert left - right
        assert right - left
        assert None in left & right
        assert len(left & right) > 3


def test_nonull_is_nullable_without_a_null() -> None:
    for field, column in zip(TABLES["t_nonull"].schema, TABLES["t_nonull"].columns, strict=True):
        assert field.nullable
        assert column.null_count == 0


def test_empty_has_the_columns_of_nulls() -> None:
    assert TABLES["t_empty"].schema == TABLES["t_nulls"].schema


def test_one_key_of_skew_dominates() -> None:
    _, most = Counter(VALUES["t_skew"]["k"]).most_common(1)[0]
    assert most >= 0.9 * TABLES["t_skew"].num_rows


@pytest.mark.parametrize(
    ("column", "limit"),
    [
        ("small", Decimal(10) ** 13),
        ("big", Decimal(10) ** 38),
        ("wide", Decimal(10) ** 20),
        ("money", Decimal(10) ** 24),
    ],
)
def test_decimal_sums_by_group_fit_in_any_order(column: str, limit: Decimal) -> None:
    for values in by_group("t_dec", column).values():
        decimals = [value for value in values if isinstance(value, Decimal)]
        with localcontext(prec=60):
            assert sum(value for value in decimals if value > 0) < limit
            assert sum(value for value in decimals if value < 0) > -limit


def test_decimals_reach_their_limits() -> None:
    assert {Decimal("999.99"), Decimal("-999.99")} <= set(VALUES["t_dec"]["small"])
    assert {Decimal("9" * 38), Decimal("-" + "9" * 38)} <= set(VALUES["t_dec"]["big"])
    assert Decimal("1e-18") in VALUES["t_dec"]["wide"]
    assert Decimal("9" * 20 + "." + "9" * 18) in VALUES["t_dec"]["wide"]
    assert Decimal("99999999999999.9999") in VALUES["t_dec"]["money"]


@pytest.mark.parametrize("column", ["f", "x"])
def test_float_sums_by_group_do_not_depend_on_order(column: str) -> None:
    for values in by_group("t_float", column).values():
        numbers = [value for value in values if isinstance(value, float)]
        assert not {math.inf, -math.inf} <= set(numbers)
        finite = [value for value in numbers if math.isfinite(value)]
        assert math.isfinite(sum(abs(value) for value in finite))
        assert abs(sum(finite)) > 1e-6 * sum(abs(value) for value in finite) or not any(finite)


def test_floats_hold_every_special_value() -> None:
    numbers = [x for x in VALUES["t_float"]["x"] if x is not None]
    assert {math.copysign(1, x) for x in numbers if x == 0} == {1.0, -1.0}
    assert {math.copysign(1, x) for x in numbers if math.isnan(x)} == {1.0, -1.0}
    assert {math.inf, -math.inf, 1e308, 5e-324} <= set(numbers)


def test_nested_values_are_null_at_every_level() -> None:
    rows = TABLES["t_nested"].to_pylist()
    for column in ("tags", "nums", "attrs", "items"):
        lists = [row[column] for row in rows]
        assert None in lists
        assert [] in lists
    assert any(row["tags"] and None in row["tags"] for row in rows)
    assert any(row["items"] and None in row["items"] for row in rows)
    assert any(row["items"] and {"sku": None, "qty": None} in row["items"] for row in rows)
    assert any(row["attrs"] and ("x", None) in row["attrs"] for row in rows)
    assert {"x": None, "y": None, "label": None} in [row["point"] for row in rows]


def test_maps_have_no_key_twice() -> None:
    for attributes in VALUES["t_nested"]["attrs"]:
        names = [name for name, _ in attributes or []]
        assert len(names) == len(set(names))


def test_times_have_zones_only_where_they_should() -> None:
    schema = TABLES["t_time"].schema
    assert schema.field("ts").type == pa.timestamp("us", tz="UTC")
    assert schema.field("tsn").type == pa.timestamp("us")
