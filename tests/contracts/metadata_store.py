"""What every metadata store keeps to, whichever database it is in.

A test module subclasses these and has the fixture `address`: the URL of an empty database.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from slackwater.errors import CatalogError, DataError, InvariantError
from slackwater.state.metadata import schema
from slackwater.state.metadata.database import reading
from slackwater.state.metadata.errors import ConflictError, MetadataError, RetentionError
from slackwater.state.metadata.records import (
    BatchRecord,
    Commit,
    GoalRecord,
    NewSegment,
    PositionRecord,
    ProgressRecord,
    Transaction,
)
from slackwater.state.metadata.store import MetadataStore

from .metadata_values import (
    MOMENT,
    commit,
    compact,
    create_source,
    create_view,
    drop_source,
    ingest,
    run,
    segment_file,
)


class _WithStore:
    @pytest.fixture
    def store(self, address: str) -> Iterator[MetadataStore]:
        with MetadataStore.open(address) as store:
            yield store


class CommitContract(_WithStore):
    """A commit makes all its changes or none."""

    def test_a_new_home_is_empty(self, store: MetadataStore) -> None:
        state = store.state()
        assert state.commit == 0
        assert not state.sources
        assert not state.views
        assert not state.segments
        assert store.commits() == ()
        assert store.retained_from() == 0

    def test_what_was_committed_is_read_back_by_another_store(
        self, store: MetadataStore, address: str
    ) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1))
        with MetadataStore.open(address) as other:
            state = other.state()
        assert state == store.state()
        assert state.commit == 4
        assert state.sources["orders"].definition == '{"key": []}'
        assert state.sources["orders"].created == 1
        assert state.views["revenue"].created == 2
        assert state.arrangements["revenue"].definition == '{"of": "view"}'
        assert state.files("orders") == (segment_file("orders/1"),)
        assert state.segments["orders"][0].offset == 1
        assert state.segments["revenue"][0].offset is None
        assert state.progress == {("revenue", "orders"): 1}
        assert state.offsets == {"orders": 1}

    def test_versions_have_no_gaps(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1))
        with pytest.raises(InvariantError, match="offset 1 of source 'orders' does not follow 1"):
            commit(store, Transaction("ingest", batches=(BatchRecord("orders", 1),)))
        commit(store, ingest(2), ingest(3))
        made = store.commits()
        assert [each.version for each in made] == [1, 2, 3, 4]
        assert [each.kind for each in made] == ["create_source", "ingest", "ingest", "ingest"]
        assert sorted(each.time for each in made) == [each.time for each in made]
        assert store.commits(after=3) == made[3:]

    def test_a_commit_after_an_old_state_is_refused_whole(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1))
        before = store.state()
        with pytest.raises(ConflictError, match="follows commit 1, but the newest is 2"):
            store.commit(ingest(2), expected=1)
        with pytest.raises(ConflictError, match="follows commit 9"):
            store.commit(ingest(2), expected=9)
        assert store.state() == before

    @pytest.mark.parametrize(
        ("transaction", "message"),
        [
            (create_source(), "already is the arrangement 'orders'"),
            (Transaction("drop_view", drop_views=("nope",)), "no view 'nope'"),
            (Transaction("drop_source", drop_sources=("nope",)), "no source 'nope'"),
            (Transaction("compact", remove_segments=(77,)), "no live segment 77"),
            (Transaction("run", drop_arrangements=("nope",)), "no arrangement 'nope'"),
            (Transaction("run", progress=(ProgressRecord("nope", "orders", 1),)), "no view"),
            (Transaction("ingest", batches=(BatchRecord("nope", 1),)), "no source 'nope'"),
            (
                Transaction("run", add_segments=(NewSegment("nope", segment_file("x")),)),
                "no arrangement 'nope'",
            ),
        ],
    )
    def test_a_commit_that_makes_no_sense_changes_nothing(
        self, store: MetadataStore, transaction: Transaction, message: str
    ) -> None:
        commit(store, create_source(), ingest(1))
        before = store.state()
        with pytest.raises(CatalogError, match=message):
            commit(store, transaction)
        assert store.state() == before
        assert len(store.commits()) == 2

    def test_a_file_cannot_belong_to_two_segments(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1))
        again = NewSegment("orders", segment_file("orders/1"))
        with pytest.raises(InvariantError, match="orders/1"):
            commit(store, Transaction("run", add_segments=(again,)))
        assert store.state().commit == 2

    def test_one_commit_replaces_a_view(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1))
        made = create_view(offset=0)
        replaced = Transaction(
            "create_view",
            drop_views=("revenue",),
            drop_arrangements=("revenue",),
            add_arrangements=made.add_arrangements,
            add_views=made.add_views,
            progress=made.progress,
        )
        commit(store, replaced)
        state = store.state()
        assert state.views["revenue"].created == 5
        assert state.segments["revenue"] == ()
        assert state.progress == {("revenue", "orders"): 0}

    def test_a_recreated_source_starts_anew(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), ingest(2))
        commit(store, drop_source())
        state = store.state()
        assert (dict(state.offsets), dict(state.progress)) == ({}, {})
        assert state.segments.keys() == {"revenue"}
        assert store.batches("orders") == ()
        commit(store, create_source(), Transaction("ingest", batches=(BatchRecord("orders", 1),)))
        assert [batch.commit for batch in store.batches("orders")] == [7]
        assert store.segments_between("orders", after=0) == ()

    def test_progress_can_be_forgotten_alone(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1))
        commit(store, Transaction("run", drop_progress=("revenue",)))
        assert not store.state().progress
        assert store.state().views.keys() == {"revenue"}

    def test_a_commit_may_be_large(self, store: MetadataStore) -> None:
        commit(store, create_source())
        files = [segment_file(f"orders/{number}") for number in range(2_500)]
        commit(
            store, Transaction("run", add_segments=tuple(NewSegment("orders", f) for f in files))
        )
        assert store.state().files("orders") == tuple(files)
        commit(store, compact(store, "orders", "merged"))
        assert store.state().files("orders") == (segment_file("orders/merged"),)

    def test_history(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), create_view("other"))
        for offset in (1, 2):
            commit(store, ingest(offset), run(offset), run(offset, "other"))
        latest = store.history(limit=3)
        assert [(row.commit, row.view) for row in latest] == [
            (9, "other"),
            (8, "revenue"),
            (6, "other"),
        ]
        assert [row.commit for row in store.history("revenue")] == [8, 5]
        assert latest[0].started == MOMENT
        assert (latest[0].seconds, latest[0].details) == (0.25, '{"rows": 3}')

    def test_runs_are_noted_afterwards(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), create_view("other"))
        commit(store, ingest(1), run(1), run(1, "other"))
        before = {row.view: row for row in store.history()}
        store.note_runs(
            before["revenue"].commit, {"revenue": ('{"more": 1}', 0.5), "none": ("", 1)}
        )
        after = {row.view: row for row in store.history()}
        assert after["other"] == before["other"]
        assert after["revenue"] == replace(before["revenue"], details='{"more": 1}', seconds=0.5)
        commit(store, ingest(2), run(2))

    def test_pinned_settings_are_replaced_by_name(self, store: MetadataStore) -> None:
        commit(store, Transaction("run", pinned={"budget": "1g", "zone": "UTC", "%": "1"}))
        commit(store, Transaction("run", pinned={"budget": "2g", "Zone": "CET"}))
        assert store.state().pinned == {"budget": "2g", "zone": "UTC", "%": "1", "Zone": "CET"}
        assert store.state(1).pinned == {"budget": "1g", "zone": "UTC", "%": "1"}

    def test_positions_are_replaced_by_item(self, store: MetadataStore) -> None:
        commit(store, create_source("a"), create_source("a.1"))
        items = ("1.x", "%a", "A", "a", "", "\U0010ffff", "'; --")
        added = tuple(PositionRecord("a", item, "old") for item in items)
        other = PositionRecord("a.1", "x", "other")
        commit(store, Transaction("ingest", positions=(*added, other)))
        commit(store, Transaction("ingest", positions=(PositionRecord("a", "A", "new"),)))
        assert store.positions("a") == {**dict.fromkeys(items, "old"), "A": "new"}
        assert store.positions("a.1") == {"x": "other"}
        assert store.positions("none") == {}
        with pytest.raises(CatalogError, match="'none'"):
            commit(store, Transaction("ingest", positions=(PositionRecord("none", "x", ""),)))

    def test_of_repeated_positions_the_last_stays(self, store: MetadataStore) -> None:
        twice = (PositionRecord("orders", "x", "1"), PositionRecord("orders", "x", "2"))
        commit(store, create_source(), Transaction("ingest", positions=twice))
        assert store.positions("orders") == {"x": "2"}

    def test_what_is_known_of_a_source_goes_with_it(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_source("parts"))
        both = tuple(PositionRecord(name, "x", "1") for name in ("orders", "parts"))
        commit(store, Transaction("ingest", lossy=("orders", "parts"), positions=both))
        commit(store, Transaction("ingest", lossy=("orders",)))
        assert store.state().lossy == {"orders", "parts"}
        commit(store, drop_source(), create_source())
        assert store.state().lossy == {"parts"}
        assert (store.positions("orders"), store.positions("parts")) == ({}, {"x": "1"})
        assert store.state(3).lossy == {"orders", "parts"}
        with pytest.raises(CatalogError, match="'none'"):
            commit(store, Transaction("ingest", lossy=("none",)))

    def test_what_is_known_of_a_view_goes_with_it(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), create_view("other"))
        goal, other = GoalRecord("revenue", slack="30s"), GoalRecord("other", final_work=0.1)
        commit(store, Transaction("run", goals=(goal, other), filled=("revenue", "other")))
        assert store.state().goals == {"revenue": goal, "other": other}
        with pytest.raises(CatalogError, match="goal of view 'other'"):
            commit(store, Transaction("run", goals=(other,)))
        again = replace(
            create_view(),
            drop_views=("revenue",),
            drop_arrangements=("revenue",),
            goals=(GoalRecord("revenue", fresh=True),),
        )
        commit(store, again)
        assert store.state().goals == {
            "revenue": GoalRecord("revenue", None, None, True),
            "other": other,
        }
        assert store.state().filled == {"other"}
        assert store.state(4).filled == {"other", "revenue"}

    def test_outgrown_sums_stay_outgrown(self, store: MetadataStore) -> None:
        commit(store, create_source())
        assert not store.state().sums_outgrown
        commit(store, *[Transaction("run", sums_outgrown=True)] * 2, Transaction("run"))
        assert store.state().sums_outgrown
        assert not store.state(1).sums_outgrown

    def test_ended_facts_are_forgotten(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view())
        goal = GoalRecord("revenue", fresh=True)
        commit(store, Transaction("run", lossy=("orders",), filled=("revenue",), goals=(goal,)))
        commit(store, *(Transaction("run", pinned={"zone": zone}) for zone in ("UTC", "CET")))
        commit(store, Transaction("drop_view", drop_views=("revenue",)), drop_source())
        store.prune(store.state().commit)
        tables = (schema.goals, schema.lossy_sources, schema.filled_views, schema.pinned_settings)
        with reading(store.engine) as connection:
            left = [connection.execute(select(table)).all() for table in tables]
        assert [len(rows) for rows in left] == [0, 0, 0, 1]
        assert store.state().pinned == {"zone": "CET"}

    def test_a_commit_whose_answer_was_lost_is_recognised(
        self, store: MetadataStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit(store, create_source())
        made = store._commit

        def lose_the_answer(transaction: Transaction, expected: int, token: str) -> Commit:
            made(transaction, expected, token)
            raise MetadataError("connection lost")

        monkeypatch.setattr(store, "_commit", lose_the_answer)
        assert store.commit(ingest(1), expected=1).version == 2
        assert store.state().offsets == {"orders": 1}

    def test_names_may_be_anything(self, store: MetadataStore) -> None:
        name = "Ünïcode `name` 'with' \"quotes\"; DROP TABLE head; --"
        commit(store, create_source(name), ingest(1, name))
        assert store.state().offsets == {name: 1}


class TimeContract(_WithStore):
    """The past is readable while it is retained, and leaves nothing behind afterwards."""

    def test_older_commits_stay_readable(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1), ingest(2), run(2))
        states = [store.state(number) for number in range(7)]
        commit(store, compact(store, "revenue", "merged"), drop_source())
        assert [store.state(number).files("revenue") for number in (3, 4, 6)] == [
            (),
            (segment_file("revenue/1"),),
            (segment_file("revenue/1"), segment_file("revenue/2")),
        ]
        assert store.state(4).progress == {("revenue", "orders"): 1}
        assert store.state(5).offsets == {"orders": 2}
        assert [state.sources.keys() for state in (states[0], store.state(6))] == [
            set(),
            {"orders"},
        ]
        assert [store.state(before.commit) for before in states] == states

    @pytest.mark.parametrize("number", [-1, 2, 9])
    def test_commits_out_of_range_are_refused(self, store: MetadataStore, number: int) -> None:
        commit(store, create_source(), ingest(1), ingest(2), ingest(3))
        assert store.prune(3) == 3
        assert store.retained_from() == 3
        with pytest.raises(RetentionError, match=rf"commit {number} cannot(.|\n)*3 to 4"):
            store.state(number)
        assert isinstance(RetentionError("x"), DataError)
        assert store.state(3).offsets == {"orders": 2}

    def test_pruning_by_time_keeps_what_was_live_then(self, store: MetadataStore) -> None:
        commit(store, create_source())
        last = commit(store, ingest(1))
        assert store.prune(last.time - timedelta(days=1)) == 0
        assert store.commit_at(last.time) == 2
        assert store.prune(last.time + timedelta(days=1)) == 2
        assert [each.version for each in store.commits()] == [2]
        commit(store, ingest(2))
        assert store.state().commit == 3

    def test_pruning_never_goes_back(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1), ingest(2))
        assert [store.prune(2), store.prune(1), store.prune(99)] == [2, 2, 3]

    def test_changes_since_a_commit_outlive_compaction(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1), ingest(2), run(2))
        commit(store, compact(store, "revenue", "merged"), ingest(3), run(3))
        between = store.segments_between("revenue", after=4)
        assert [(each.created, each.removed) for each in between] == [(6, 7), (9, None)]
        only = store.segments_between("revenue", after=4, upto=6)
        assert [each.file for each in only] == [segment_file("revenue/2")]

    def test_changes_that_are_gone_are_refused(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1))
        commit(store, compact(store, "revenue", "merged"), ingest(2), run(2))
        store.prune(6)
        with pytest.raises(RetentionError):
            store.segments_between("revenue", after=4)
        assert len(store.segments_between("revenue", after=6)) == 1

    def test_all_changes_of_a_young_arrangement_are_there(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1), ingest(2))
        store.prune(3)
        commit(store, create_view(), run(2))
        assert len(store.segments_between("revenue", after=0)) == 1
        with pytest.raises(CatalogError, match="no arrangement"):
            store.segments_between("nope", after=3)

    def test_garbage_is_what_no_retained_commit_needs(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1), ingest(2))
        commit(store, compact(store, "orders", "a"), ingest(3))
        commit(store, compact(store, "orders", "b"))
        assert [segment.removed for segment in store.garbage(4)] == [4, 4]
        assert {segment.file.path for segment in store.garbage(6)} == {
            segment_file(f"orders/{name}").path for name in ("1", "2", "3", "a")
        }

    def test_only_unneeded_segments_are_forgotten(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1))
        commit(store, compact(store, "orders", "a"))
        store.forget(range(100))
        assert store.state(2).files("orders") == (segment_file("orders/1"),)
        assert store.state().files("orders") == (segment_file("orders/a"),)
        store.prune(3)
        store.forget(range(100))
        assert store.garbage(99) == ()
        assert store.state().files("orders") == (segment_file("orders/a"),)
        assert store.named_paths() == {segment_file("orders/a").path}

    def test_a_reader_that_slept_long_catches_up(self, store: MetadataStore, address: str) -> None:
        commit(store, create_source(), ingest(1), ingest(2))
        with MetadataStore.open(address) as reader:
            assert len(reader.state().files("orders")) == 2
            commit(store, compact(store, "orders", "a"), ingest(3))
            assert reader.state() == store.state()
            commit(store, compact(store, "orders", "b"), drop_source(), create_source())
            store.forget(each.id for each in store.garbage(store.prune(99)))
            assert reader.state() == store.state()
            assert reader.state().segments == {"orders": ()}

    def test_a_state_made_from_the_last_equals_one_read_afresh(
        self, store: MetadataStore, address: str
    ) -> None:
        steps = random.Random(20261116)
        commit(store, create_source(), create_view())
        with MetadataStore.open(address) as fresh:
            for offset in range(1, 25):
                commit(store, ingest(offset))
                if steps.random() < 0.5:
                    commit(store, run(offset))
                if steps.random() < 0.3:
                    commit(store, compact(store, "orders", f"m{offset}"))
                if steps.random() < 0.2:
                    floor = store.prune(store.state().commit - steps.randrange(4))
                    store.forget(each.id for each in store.garbage(floor))
                fresh._newest = None
                assert store.state() == fresh.state()

    def test_batches_stay_until_they_are_consumed(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view(), ingest(1), run(1), ingest(2), ingest(3))
        store.prune(6)
        assert [batch.offset for batch in store.batches("orders")] == [2, 3]
        assert store.batches("orders", after=2) == (
            BatchRecord("orders", 3, commit=6, inserted=2, deleted=1, bytes=100),
        )
        commit(store, run(3))
        store.prune(7)
        assert store.batches("orders") == ()
        assert store.state().offsets == {"orders": 3}

    def test_nothing_grows_over_many_runs(self, store: MetadataStore) -> None:
        commit(store, create_source(), create_view())
        sizes = []
        for offset in range(1, 31):
            commit(store, ingest(offset), run(offset))
            commit(store, compact(store, "orders", f"m{offset}"))
            commit(store, compact(store, "revenue", f"m{offset}"))
            newest = store.state().commit
            floor = store.prune(newest - 8, history=newest - 20)
            store.forget(segment.id for segment in store.garbage(floor))
            sizes.append(_row_counts(store))
        assert sizes[10] == sizes[20] == sizes[29]

    def test_dropped_things_leave_no_rows(self, store: MetadataStore) -> None:
        empty = _row_counts(store)
        commit(store, create_source(), create_view(), ingest(1), run(1))
        commit(store, Transaction("drop_view", drop_views=("revenue",)))
        commit(store, Transaction("drop_view", drop_arrangements=("revenue",)), drop_source())
        floor = store.prune(99, history=99)
        store.forget(segment.id for segment in store.garbage(floor))
        assert _row_counts(store) == {**empty, "commits": 1}


class ConcurrencyContract(_WithStore):
    """Readers see whole commits; of two writers one wins."""

    def test_of_racing_commits_one_wins(self, store: MetadataStore, address: str) -> None:
        commit(store, create_source())
        start = threading.Barrier(4)

        def race(offset: int) -> int:
            with MetadataStore.open(address) as own:
                start.wait(timeout=30)
                try:
                    return own.commit(ingest(offset), expected=1).version
                except ConflictError:
                    return 0

        with ThreadPoolExecutor(4) as pool:
            results = sorted(pool.map(race, range(1, 5)))
        assert results == [0, 0, 0, 2]
        assert len(store.state().segments["orders"]) == 1

    def test_a_new_home_may_be_opened_by_many_at_once(self, address: str) -> None:
        start = threading.Barrier(4)

        def identity(_number: int) -> str:
            start.wait(timeout=30)
            with MetadataStore.open(address) as own:
                return own.head().identity

        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(identity, range(4)))) == 1

    def test_readers_see_whole_commits(self, store: MetadataStore, address: str) -> None:
        commit(store, create_source(), create_view())
        stop = threading.Event()

        def watch(_number: int) -> int:
            seen = 0
            with MetadataStore.open(address) as own:
                while not stop.is_set():
                    state = own.state()
                    offset = state.offsets.get("orders", 0)
                    assert len(state.segments["orders"]) == offset
                    assert state.commit == 2 + offset
                    seen = state.commit
            return seen

        with ThreadPoolExecutor(2) as pool:
            watchers = pool.map(watch, range(2))
            for offset in range(1, 31):
                commit(store, ingest(offset))
            stop.set()
            assert all(seen > 0 for seen in watchers)

    def test_one_store_serves_many_threads(self, store: MetadataStore) -> None:
        commit(store, create_source(), ingest(1))
        with ThreadPoolExecutor(4) as pool:
            states = list(pool.map(lambda _: store.state(), range(40)))
        assert all(state == states[0] for state in states)


def _row_counts(store: MetadataStore) -> dict[str, int]:
    with reading(store.engine) as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in schema.TABLES.tables.items()
        }
