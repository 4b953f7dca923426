"""What changed in a view's answer between commits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import DataFrame

from slackwater.engine.definitions import ViewDefinition
from slackwater.engine.home import Catalog, Home
from slackwater.engine.reading import Reader
from slackwater.errors import DataError
from slackwater.expr.sql import quote_name
from slackwater.optimizer.rules.keys import whole_row
from slackwater.state.metadata.records import Commit


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

    def _by_commit(self, view: ViewDefinition, since: int) -> Iterable[tuple[Commit, DataFrame]]:
        commits = {each.version: each for each in self._home.store.commits(since)}
        answer = whole_row(view.stored).id
        segments = self._home.store.segments_between(answer, since, None)
        runs = sorted({each.created for each in segments if each.created in commits})
        for version in runs:
            if view.root.limits:
                yield commits[version], self._compared(view, version)
            else:
                files = tuple(each.file for each in segments if each.created == version)
                types = tuple(column.dtype for column in view.stored.columns)
                yield (
                    commits[version],
                    self._reader.finished_weighted(view, self._reader.weighted(types, files)),
                )

    def _compared(self, view: ViewDefinition, version: int) -> DataFrame:
        """The difference of the answers at a commit and just before it."""
        now = self._weighted_answer(view, version)
        created = self._catalog.state.views[view.name].created
        if version - 1 < created:
            return now
        before = self._weighted_answer(view, version - 1)
        columns = [quote_name(name) for name in view.columns]
        both = now.unionAll(before.selectExpr(*columns, "-_w AS _w"))
        return both.groupBy(*columns).agg({"_w": "sum"}).toDF(*view.columns, "_w").where("_w <> 0")

    def _weighted_answer(self, view: ViewDefinition, version: int | None) -> DataFrame:
        catalog = self._home.catalog(version)
        answer = self._reader.view(view, catalog)
        columns = [quote_name(name) for name in view.columns]
        return answer.selectExpr(*columns, "CAST(1 AS BIGINT) AS _w")

    def _labelled(
        self, frame: DataFrame, commit: Commit, view: ViewDefinition, *, zset: bool
    ) -> DataFrame:
        columns = [quote_name(name) for name in view.columns]
        moment = commit.time.strftime("%Y-%m-%d %H:%M:%S.%f+00:00")
        version = [
            f"CAST({commit.version} AS BIGINT) AS _commit_version",
            f"TIMESTAMP '{moment}' AS _commit_timestamp",
        ]
        if zset:
            return frame.selectExpr(*columns, "_w", *version)
        kind = "CASE WHEN _w > 0 THEN 'insert' ELSE 'delete' END AS _change_type"
        copies = "explode(sequence(CAST(1 AS BIGINT), abs(_w))) AS _copy"
        return frame.selectExpr(*columns, kind, *version, copies).drop("_copy")
