"""Change feeds: the changes of a view's answer between commits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import DataFrame

from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import ViewDefinition
from slackwater.catalog.home import Home
from slackwater.catalog.lineage import is_filled
from slackwater.errors import DataError
from slackwater.reading.reader import Reader
from slackwater.state.columns import column_names
from slackwater.state.metadata.records import Commit
from slackwater.state.segments import SegmentFile

_VERSION = ("_commit_version", "_commit_timestamp")


class ChangeReader:
    """Reads the change feed of views.

    A run appends the net change of every answer to its state, so that the feed is what is
    stored anyway. A view with a limit at its root stores more than it answers; there the
    answers before and after each run are compared.
    """

    def __init__(self, home: Home, reader: Reader):
        """Nothing is read yet."""
        self._home = home
        self._reader = reader
        self._catalog: Catalog = home.catalog()

    def changes(self, view: ViewDefinition, since: int, *, zset: bool) -> DataFrame:
        """Every change after a commit, in the columns that Spark's change feeds have."""
        self._require_kept(view, since)
        return self._reader.handed_over(self._feed(view, since, zset=zset))

    def _feed(self, view: ViewDefinition, since: int, *, zset: bool) -> DataFrame:
        """The same in a session of ours: no setting of the user's reads what is written here."""
        parts = [
            self._labelled(frame, commit, view, zset=zset)
            for commit, frame in self._by_commit(view, since)
        ]
        if not parts:
            empty = self._weighted_answer(view, None).where("FALSE")
            (commit, *_) = self._home.store.commits(self._catalog.state.commit - 1)
            return self._labelled(empty, commit, view, zset=zset)
        return reduce(DataFrame.unionAll, parts)

    def _require_kept(self, view: ViewDefinition, since: int) -> None:
        created = self._catalog.state.views[view.name].created
        oldest = self._home.store.retained_from()
        if since < oldest and created < oldest:
            raise DataError(
                f"changes since commit {since} are no longer kept",
                where=f"view {view.name}",
                hint=f"Ask for changes since commit {oldest} or later, or read the whole answer.",
            )

    def _by_commit(self, view: ViewDefinition, since: int) -> Iterator[tuple[Commit, DataFrame]]:
        first = self._first_run(view, since)
        if first is not None:
            yield first, self._whole(view, first.version)
        after = since if first is None else first.version
        commits = {each.version: each for each in self._home.store.commits(after)}
        segments = self._home.store.segments_between(self._catalog.answer(view.name), after, None)
        for version in sorted({each.created for each in segments if each.created in commits}):
            if view.root.limits:
                # Between the two a merge may have made a LIMIT choose otherwise among ties.
                yield commits[version], self._compared(view, after, version)
                after = version
            else:
                files = tuple(each.file for each in segments if each.created == version)
                yield commits[version], self._weighted(view, files)

    def _first_run(self, view: ViewDefinition, since: int) -> Commit | None:
        """The run that filled the view, if it came after `since`.

        Its state may have been there before, as that of another view.
        """
        created = self._catalog.state.views[view.name].created
        if since >= created and is_filled(view, self._home.catalog(since)):
            return None
        later = self._home.store.commits(max(since, created))
        return next((each for each in later if each.kind == "run"), None)

    def _whole(self, view: ViewDefinition, version: int) -> DataFrame:
        """All of an answer, as changes from nothing."""
        if view.root.limits:
            return self._weighted_answer(view, version)
        return self._weighted(
            view, self._home.catalog(version).files(self._catalog.answer(view.name))
        )

    def _weighted(self, view: ViewDefinition, files: tuple[SegmentFile, ...]) -> DataFrame:
        types = tuple(column.dtype for column in view.stored.columns)
        return self._reader.finished_weighted(view, self._reader.weighted(types, files))

    def _compared(self, view: ViewDefinition, earlier: int, version: int) -> DataFrame:
        """The difference of the answers at two commits."""
        now = self._weighted_answer(view, version)
        before = self._weighted_answer(view, earlier)
        columns = _positions(view)
        both = now.unionAll(before.selectExpr(*columns, "-_w AS _w"))
        return both.groupBy(*columns).agg({"_w": "sum"}).toDF(*columns, "_w").where("_w <> 0")

    def _weighted_answer(self, view: ViewDefinition, version: int | None) -> DataFrame:
        """An answer, its columns by position, because two of them may have one name."""
        answer = self._reader.answer(view, self._home.catalog(version)).toDF(*_positions(view))
        return answer.selectExpr("*", "CAST(1 AS BIGINT) AS _w")

    def _labelled(
        self, frame: DataFrame, commit: Commit, view: ViewDefinition, *, zset: bool
    ) -> DataFrame:
        """Changes under the names that users know, which come last: a column may be called _w."""
        columns = _positions(view)
        moment = commit.time.strftime("%Y-%m-%d %H:%M:%S.%f+00:00")
        version = [f"CAST({commit.version} AS BIGINT)", f"TIMESTAMP_LTZ '{moment}'"]
        if zset:
            named = frame.selectExpr(*columns, "_w", *version)
            return named.toDF(*view.columns, "_w", *_VERSION)
        kind = "CASE WHEN _w > 0 THEN 'insert' ELSE 'delete' END"
        copies = "explode(sequence(CAST(1 AS BIGINT), abs(_w))) AS _copy"
        named = frame.selectExpr(*columns, kind, *version, copies).drop("_copy")
        return named.toDF(*view.columns, "_change_type", *_VERSION)


def _positions(view: ViewDefinition) -> list[str]:
    return column_names("k", len(view.columns))
