"""The laws of change streams, checked by an oracle that knows only rows as Python tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.errors import DataError
from slackwater.workloads.change_stream import (
    BatchKind,
    ChangeBatch,
    ChangeSpec,
    apply_changes,
    change_stream,
)
from slackwater.workloads.table_keys import ForeignKey, TableKeys
from slackwater.workloads.tpch import TPCH_KEYS, ensure_tpch, read_tpch

Bag = Counter[tuple[object, ...]]
Tables = Mapping[str, pa.Table]

SHOP_KEYS = {
    "sale": TableKeys(
        ("shop", "number"),
        (ForeignKey(("shop",), "shop"), ForeignKey(("maker", "model"), "product")),
    ),
    "product": TableKeys(("maker", "model"), (ForeignKey(("home",), "shop"),)),
    "shop": TableKeys(("shop",)),
    "visit": TableKeys((), (ForeignKey(("shop",), "shop"),)),
}

SHOP_SCHEMAS = {
    "shop": pa.schema([("shop", pa.string()), ("size", pa.int32())]),
    "product": pa.schema(
        [
            ("maker", pa.int64()),
            ("model", pa.string()),
            ("home", pa.string()),
            ("parts", pa.list_(pa.int32())),
        ]
    ),
    "sale": pa.schema(
        [
            ("shop", pa.string()),
            ("number", pa.int16()),
            ("maker", pa.int32()),
            ("model", pa.string()),
            ("price", pa.decimal128(9, 2)),
        ]
    ),
    "visit": pa.schema([("shop", pa.string()), ("mood", pa.int8())]),
}


def rows_of(table: pa.Table, columns: tuple[str, ...] | None = None) -> list[tuple[object, ...]]:
    """Rows as tuples; values that cannot be hashed are printed."""
    names = columns or tuple(name for name in table.column_names if name != "_w")
    lists = [
        [repr(value) if isinstance(value, list | dict) else value for value in column.to_pylist()]
        for column in (table.column(name) for name in names)
    ]
    return list(zip(*lists, strict=True))


def weights_of(change: pa.Table) -> list[int]:
    weights: list[int] = change.column("_w").to_pylist()
    return weights


def replay(stream: Iterator[ChangeBatch]) -> Iterator[tuple[ChangeBatch, dict[str, Bag]]]:
    """Each batch with the database after it, refusing to delete what is not there."""
    database: dict[str, Bag] = {}
    for batch in stream:
        for name, change in batch.items():
            bag = database.setdefault(name, Counter())
            for row, weight in zip(rows_of(change), weights_of(change), strict=True):
                assert weight != 0
                bag[row] += weight
            assert min(bag.values(), default=0) >= 0
            database[name] = +bag
        yield batch, database


def key_values(table: pa.Table, bag: Bag, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    places = [table.column_names.index(name) for name in columns]
    return [tuple(row[place] for place in places) for row in bag.elements()]


def assert_keys_hold(
    tables: Tables, keys: Mapping[str, TableKeys], database: Mapping[str, Bag]
) -> None:
    for name, bag in database.items():
        own = key_values(tables[name], bag, keys[name].primary)
        assert not keys[name].primary or len(own) == len(set(own))
        for foreign in keys[name].foreign:
            primary = keys[foreign.parent].primary
            parents = database.get(foreign.parent, Counter())
            named = set(key_values(tables[name], bag, foreign.columns))
            bound = {key for key in named if None not in key}
            assert bound <= set(key_values(tables[foreign.parent], parents, primary))


@st.composite
def shops(draw: st.DrawFn) -> dict[str, pa.Table]:
    """Shops, products of a shop or none, sales of a product or none, visits as a bag."""
    count = st.integers(0, 6)
    shop = [(f"s{number}", draw(st.integers(0, 2))) for number in range(draw(count))]
    names = st.sampled_from([name for name, _ in shop]) if shop else st.none()
    product = [
        (maker, model, draw(st.none() | names), draw(st.lists(st.integers(0, 1), max_size=2)))
        for maker in range(draw(st.integers(0, 3)))
        for model in ("x", "y")
    ]
    models = [(maker, model) for maker, model, _, _ in product]
    made = st.just((None, "x")) | (st.sampled_from(models) if models else st.just((None, None)))
    sale = [
        (name, number, *draw(made), Decimal(draw(st.integers(0, 300))) / 100)
        for name, _ in shop
        for number in range(draw(count))
    ]
    visit = [(draw(st.none() | names), draw(st.integers(0, 1))) for _ in range(draw(count))]
    rows = {"shop": shop, "product": product, "sale": sale, "visit": visit}
    return {
        name: pa.Table.from_pylist(
            [dict(zip(schema.names, row, strict=True)) for row in rows[name]], schema=schema
        )
        for name, schema in SHOP_SCHEMAS.items()
    }


@st.composite
def specs(draw: st.DrawFn) -> ChangeSpec:
    share = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])
    deletes = draw(share)
    return ChangeSpec(
        seed=draw(st.integers(0, 1000)),
        batches=draw(st.integers(4, 8)),
        delete_share=deletes,
        update_share=min(draw(share), 1 - deletes),
        initial_share=draw(share),
        include_empty=draw(st.booleans()),
        include_undo=draw(st.booleans()),
    )


@settings(max_examples=60, deadline=None)
@given(shops(), specs())
def test_every_stream_is_lawful(tables: Tables, spec: ChangeSpec) -> None:
    count = 0
    for batch, database in replay(change_stream(tables, SHOP_KEYS, spec)):
        assert_keys_hold(tables, SHOP_KEYS, database)
        for name, change in batch.items():
            assert change.num_rows > 0
            assert change.schema == tables[name].schema.append(pa.field("_w", pa.int64()))
        count += 1
    assert count == spec.batches


@settings(max_examples=20, deadline=None)
@given(shops(), specs())
def test_the_arrow_oracle_agrees_with_the_plain_one(tables: Tables, spec: ChangeSpec) -> None:
    applied = {name: table.slice(0, 0) for name, table in tables.items()}
    for batch, database in replay(change_stream(tables, SHOP_KEYS, spec)):
        for name, change in batch.items():
            applied[name] = apply_changes(applied[name], change)
            assert Counter(rows_of(applied[name])) == database[name]


@settings(max_examples=20, deadline=None)
@given(shops(), specs())
def test_a_seed_gives_the_same_stream_again(tables: Tables, spec: ChangeSpec) -> None:
    once = list(change_stream(tables, SHOP_KEYS, spec))
    assert list(change_stream(tables, SHOP_KEYS, spec)) == once


@settings(max_examples=40, deadline=None)
@given(specs())
def test_kinds_contain_what_was_asked_for(spec: ChangeSpec) -> None:
    kinds = spec.kinds()
    assert len(kinds) == spec.batches
    assert (BatchKind.EMPTY in kinds) == spec.include_empty
    assert (BatchKind.UNDO in kinds) == spec.include_undo
    assert (kinds[0] is BatchKind.LOAD) == (spec.initial_share > 0)
    for before, kind in pairwise(kinds):
        assert kind is not BatchKind.UNDO or before is BatchKind.CHANGE


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    return read_tpch(ensure_tpch(0.001, tmp_path_factory.getbasetemp() / "cache"))


def net_changes(change: pa.Table, primary: tuple[str, ...]) -> Counter[str]:
    """How many keys a batch inserts, deletes and updates."""
    kinds: dict[tuple[object, ...], set[int]] = {}
    for key, weight in zip(rows_of(change, primary), weights_of(change), strict=True):
        kinds.setdefault(key, set()).add(weight)
    names = {(1,): "insert", (-1,): "delete", (-1, 1): "update"}
    return Counter(names[tuple(sorted(weights))] for weights in kinds.values())


@pytest.mark.parametrize(
    ("delete_share", "update_share"), [(0.2, 0.3), (0.0, 0.5), (0.4, 0.0), (0.0, 0.0), (0.3, 0.7)]
)
def test_shares_are_honoured(tpch: Tables, delete_share: float, update_share: float) -> None:
    spec = ChangeSpec(11, 10, delete_share, update_share)
    made: Counter[str] = Counter()
    for batch in list(change_stream(tpch, TPCH_KEYS, spec))[1:]:
        for name, change in batch.items():
            made += net_changes(change, TPCH_KEYS[name].primary)
    total = sum(table.num_rows for table in tpch.values()) / 2
    assert made.total() == pytest.approx(total, rel=0.02)
    assert made["delete"] / made.total() == pytest.approx(delete_share, abs=0.01)
    assert made["update"] / made.total() == pytest.approx(update_share, abs=0.01)


def test_the_first_batch_loads_its_share(tpch: Tables) -> None:
    total = sum(table.num_rows for table in tpch.values())
    for share in (0.2, 0.5, 1.0):
        first = next(change_stream(tpch, TPCH_KEYS, ChangeSpec(1, 2, 0, 0, initial_share=share)))
        loaded = sum(change.num_rows for change in first.values())
        assert loaded / total == pytest.approx(share, abs=0.001)


def test_tpch_stays_consistent_and_every_table_changes(tpch: Tables) -> None:
    spec = ChangeSpec(7, 12, 0.3, 0.3, include_empty=True, include_undo=True)
    changed = set()
    for number, (batch, database) in enumerate(replay(change_stream(tpch, TPCH_KEYS, spec))):
        assert_keys_hold(tpch, TPCH_KEYS, database)
        changed |= set(batch) if number else set()
    assert changed == set(TPCH_KEYS)


def test_updates_change_values_and_sometimes_parents(tpch: Tables) -> None:
    stream = list(change_stream(tpch, TPCH_KEYS, ChangeSpec(2, 4, 0.0, 1.0)))[1:]
    moved = kept = 0
    for batch in stream:
        change = batch["lineitem"]
        versions: dict[object, dict[int, tuple[object, ...]]] = {}
        keys = rows_of(change, ("l_orderkey", "l_linenumber"))
        for key, row, weight in zip(keys, rows_of(change), weights_of(change), strict=True):
            versions.setdefault(key, {})[weight] = row
        for both in versions.values():
            assert both[1] != both[-1]
            moved += both[1][1:3] != both[-1][1:3]
            kept += both[1][1:3] == both[-1][1:3]
    assert 0.02 < moved / (moved + kept) < 0.3


def test_an_undo_takes_back_the_batch_before(tpch: Tables) -> None:
    spec = ChangeSpec(4, 6, 0.2, 0.2, include_undo=True)
    undo = spec.kinds().index(BatchKind.UNDO)
    states = [
        {name: bag.copy() for name, bag in database.items()}
        for _, database in replay(change_stream(tpch, TPCH_KEYS, spec))
    ]
    assert states[undo] == states[undo - 2]
    assert states[undo] != states[undo - 1]


def test_rows_that_were_deleted_may_return(tpch: Tables) -> None:
    deleted: set[object] = set()
    returned = 0
    for batch in change_stream(tpch, TPCH_KEYS, ChangeSpec(9, 8, 0.4, 0.0)):
        change = batch["orders"]
        keys = list(zip(rows_of(change, ("o_orderkey",)), weights_of(change), strict=True))
        returned += sum(weight > 0 and key in deleted for key, weight in keys)
        deleted |= {key for key, weight in keys if weight < 0}
    assert returned > 10


def test_foreign_keys_to_missing_tables_are_left_alone(tpch: Tables) -> None:
    orders = {"orders": tpch["orders"]}
    owner = ("o_orderkey", "o_custkey")
    known = set(rows_of(tpch["orders"], owner))
    for batch, _ in replay(change_stream(orders, TPCH_KEYS, ChangeSpec(1, 3, 0.2, 0.4))):
        assert set(rows_of(batch["orders"], owner)) <= known


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"a": TableKeys(("n",), (ForeignKey(("n",), "a"),))}, "cycle"),
        ({"a": TableKeys((), (ForeignKey(("n",), "b"),)), "b": TableKeys(())}, "primary key"),
        ({"a": TableKeys((), (ForeignKey(("n",), "b"),)), "b": TableKeys(("m",))}, "not unique"),
        ({"a": TableKeys((), (ForeignKey(("n",), "b"),)), "b": TableKeys(("n",))}, "lacks"),
    ],
)
def test_tables_that_break_their_keys_are_refused(keys: dict[str, TableKeys], reason: str) -> None:
    tables = {"a": pa.table({"n": [1, 2, 3]}), "b": pa.table({"n": [1, 2], "m": [1, 1]})}
    with pytest.raises(DataError, match=reason):
        next(change_stream(tables, keys, ChangeSpec(1, 1, 0, 0)))


def test_a_column_named_like_the_weight_is_refused() -> None:
    with pytest.raises(DataError, match="_w"):
        next(change_stream({"a": pa.table({"_w": [1]})}, {}, ChangeSpec(1, 1, 0, 0)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"delete_share": 0.6, "update_share": 0.6},
        {"delete_share": -0.1, "update_share": 0},
        {"delete_share": 0, "update_share": 0, "initial_share": 1.5},
        {"delete_share": 0, "update_share": 0, "batches": 0},
        {"delete_share": 0, "update_share": 0, "batches": 2, "include_undo": True},
    ],
)
def test_an_impossible_spec_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="ChangeSpec"):
        ChangeSpec(**{"seed": 1, "batches": 5, **wrong})  # type: ignore[arg-type]
