"""What holds for the layout of the tables, and for homes of every layout there has been.

Each layout has a fixture for each database: a dump of `build_example`, made while that layout
was the newest, by Python's `sqlite3` (`iterdump`) and by `pg_dump --inserts --no-owner`.
`settings-0002` has in addition what layout 2 kept as rows of a table `settings`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from slackwater.state.metadata import schema
from slackwater.state.metadata.database import open_engine, reading, writing
from slackwater.state.metadata.errors import MetadataError, NewerLayoutError, RetentionError
from slackwater.state.metadata.migrations import MIGRATIONS, Migration, layout_of, migrate
from slackwater.state.metadata.records import GoalRecord
from slackwater.state.metadata.store import MetadataStore

from .metadata_values import GOAL, MOMENT, OBSERVED, commit, ingest, segment_file

FIXTURES = Path(__file__).parents[1] / "fixtures" / "metadata"


def _add_a_column(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE sources ADD COLUMN comment TEXT"))


def _fail(connection: Connection) -> None:
    _add_a_column(connection)
    connection.execute(text("SELECT nonsense"))


class LayoutContract:
    """The migrations make the tables that the code speaks of, out of any earlier ones."""

    database: str

    def load(self, address: str, script: str) -> None:
        """Run a dump in an empty database."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, address: str) -> Iterator[MetadataStore]:
        with MetadataStore.open(address) as store:
            yield store

    def test_tables_are_as_declared(self, store: MetadataStore) -> None:
        found = inspect(store.engine)
        assert set(found.get_table_names()) == set(schema.TABLES.tables)
        for name, table in schema.TABLES.tables.items():
            columns = {column["name"]: column for column in found.get_columns(name)}
            assert list(columns) == [column.name for column in table.columns]
            for column in table.columns:
                declared = column.nullable or column.primary_key
                assert columns[column.name]["nullable"] <= declared
                assert columns[column.name]["type"]._type_affinity is column.type._type_affinity

    def test_segments_belong_to_a_known_arrangement(self, store: MetadataStore) -> None:
        (key,) = inspect(store.engine).get_foreign_keys("segments")
        assert key["constrained_columns"] == ["arrangement"]
        assert key["referred_table"] == "arrangements"

    def test_opening_again_changes_nothing(self, store: MetadataStore, address: str) -> None:
        with MetadataStore.open(address) as again:
            assert again.head() == store.head()

    @pytest.mark.parametrize("number", [step.number for step in MIGRATIONS])
    def test_every_old_layout_opens(self, address: str, number: int) -> None:
        self.load(address, self.fixture(number))
        with MetadataStore.open(address) as store:
            state = store.state()
            assert (state.commit, store.retained_from()) == (10, 5)
            assert state.sources["orders"].definition == '{"key": []}'
            assert state.views["revenue"].created == 3
            assert state.arrangements.keys() == {"orders", "revenue"}
            assert state.files("orders") == (segment_file("orders/1"), segment_file("orders/2"))
            assert state.files("revenue") == (segment_file("revenue/merged"),)
            assert state.offsets == {"orders": 2}
            assert state.progress == {("revenue", "orders"): 2}
            assert store.state(7).sources.keys() == {"orders", "parts"}
            assert [batch.offset for batch in store.batches("orders")] == [2]
            assert [row.started for row in store.history()] == [MOMENT, MOMENT]
            if number >= 2:
                assert state.plans == {"revenue": '{"root": "second"}'}
                assert store.state(7).plans == {"revenue": '{"root": "first"}'}
                assert store.observations() == (OBSERVED,)
            if number >= 3:
                assert state.goals == {"revenue": GOAL}
                assert (state.pinned, state.lossy) == ({"zone": "UTC"}, {"orders"})
                assert (state.filled, state.sums_outgrown) == ({"revenue"}, True)
                assert store.positions("orders") == {"a.csv": "1"}
                assert not store.state(9).goals
            with pytest.raises(RetentionError):
                store.state(4)
            assert commit(store, ingest(3)).version == 11

    def test_settings_become_records_of_their_kinds(self, address: str) -> None:
        self.load(address, self.fixture(2, "settings"))
        with MetadataStore.open(address) as store:
            state = store.state()
            assert state.goals == {
                "soon": GoalRecord("soon", slack="30s"),
                "cheap": GoalRecord("cheap", final_work=0.1),
                "fresh": GoalRecord("fresh", fresh=True),
            }
            assert store.state(19).goals.keys() == {"soon", "cheap", "fresh", "gone"}
            assert store.state(15).goals.keys() == {"soon"}
            definitions = [json.loads(each.definition) for each in state.views.values()]
            assert not any("goal" in each for each in definitions)
            assert {"name": "soon", "sql": "...", "scope": "all"} in definitions
            assert state.pinned == {
                "spark.sql.ansi.enabled": "TRUE",
                "spark.sql.session.timeZone": "Europe/Berlin",
            }
            assert store.state(5).pinned == state.pinned
            assert state.lossy == {"a", "a.1"}
            assert (state.filled, state.sums_outgrown) == ({"plain"}, True)
            assert store.positions("a") == {"1.y.csv": "3 4", "x.csv": "1 2"}
            assert store.positions("a.1") == {"x.csv": "7 8"}
            assert store.positions('"quoted"') == {"100% ü.csv": ""}
            assert store.positions("straße.é") == {"z": "9"}
            assert store.positions("parts") == store.positions("orders") == {}
            assert commit(store, ingest(3)).version == 22

    def test_settings_stay_if_a_migration_after_them_fails(self, address: str) -> None:
        self.load(address, self.fixture(2, "settings"))
        with pytest.raises(MetadataError, match="nonsense"):
            self.migrate(address, Migration(len(MIGRATIONS) + 1, "fail", _fail))
        engine = open_engine(address)
        with reading(engine) as connection:
            assert layout_of(connection) == 2
            assert connection.scalar(text("SELECT count(*) FROM settings")) == 17
            assert not inspect(connection).has_table("positions")
        engine.dispose()

    def test_a_later_migration_starts_where_the_home_stands(self, address: str) -> None:
        self.load(address, self.fixture(MIGRATIONS[-1].number))
        later = Migration(len(MIGRATIONS) + 1, "add a column", _add_a_column)
        self.migrate(address, later)
        columns = inspect(open_engine(address)).get_columns("sources")
        assert [column["name"] for column in columns][-1] == "comment"

    def test_a_newer_layout_is_refused(self, address: str) -> None:
        later = Migration(len(MIGRATIONS) + 1, "add a column", _add_a_column)
        self.migrate(address, later)
        with pytest.raises(NewerLayoutError, match=rf"layout {later.number}(.|\n)*Upgrade"):
            MetadataStore.open(address)

    def test_a_migration_that_fails_leaves_the_old_layout(self, address: str) -> None:
        self.load(address, self.fixture(MIGRATIONS[-1].number))
        with pytest.raises(MetadataError, match="nonsense"):
            self.migrate(address, Migration(len(MIGRATIONS) + 1, "fail", _fail))
        with MetadataStore.open(address) as store:
            assert store.state().commit == 10

    def fixture(self, number: int, kind: str = "layout") -> str:
        """The dump of a home of this layout; of `kind` settings, one with settings of all kinds."""
        return (FIXTURES / f"{kind}-{number:04}.{self.database}.sql").read_text()

    def migrate(self, address: str, later: Migration) -> None:
        """Open a home with a Slackwater that knows one more layout."""
        engine = open_engine(address)
        try:
            with writing(engine) as connection:
                migrate(connection, (*MIGRATIONS, later))
                assert layout_of(connection) == later.number
        finally:
            engine.dispose()
