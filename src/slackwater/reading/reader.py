"""Answers: what a view or source holds at a commit, as a DataFrame of the user's session."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from slackwater.algebra.columns import pass_through
from slackwater.algebra.operators import Project, Scan
from slackwater.algebra.rel import Rel
from slackwater.algebra.root import stored_scan
from slackwater.catalog.catalog import Catalog
from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.catalog.home import Home
from slackwater.compiler.batch import compile_batch
from slackwater.expr.sql import quote_name
from slackwater.frontend.sql.sessions import clone_session, rebind
from slackwater.plan.frames import Fresh
from slackwater.spark.pinned_settings import apply_pinned_settings
from slackwater.spark.printed import expect_printed
from slackwater.state.columns import column_names
from slackwater.state.frames import COPIES, Stored, snapshot
from slackwater.state.segments import SegmentFile
from slackwater.types import DataType
from slackwater.types.storage import decode_sql


class Reader:
    """Reads committed rows; nothing a reader does changes the home."""

    def __init__(self, home: Home, spark: SparkSession):
        """Answers belong to the user's session, but are computed under the home's settings."""
        self._home = home
        self._spark = spark
        self._session = clone_session(spark)
        apply_pinned_settings(self._session, home.catalog().pinned)
        expect_printed(self._session)
        # Stored rows have no statistics that Spark could know, and it takes them for tiny.
        self._session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")

    def view(self, view: ViewDefinition, catalog: Catalog) -> DataFrame:
        """A view's answer at the catalog's commit, for the user."""
        return self.handed_over(self.answer(view, catalog))

    def answer(self, view: ViewDefinition, catalog: Catalog) -> DataFrame:
        """The same in a session of our own, for further queries of ours."""
        stored, root = view.stored, view.root
        rows = self.stored(view, catalog)
        if not root.finish:
            columns = [f"k{n} AS {quote_name(name)}" for n, name in enumerate(view.columns)]
            return rows.selectExpr(*columns)
        statement = compile_batch(root.finished(stored_scan("stored", stored)), view.columns)
        session = clone_session(self._session)
        bind_table(session, "stored", rows)
        return session.sql(statement.sql)

    def stored(self, view: ViewDefinition, catalog: Catalog) -> DataFrame:
        """The rows of a view before its order and limit, as k0, k1, ..."""
        types = tuple(column.dtype for column in view.stored.columns)
        return self.rows(types, catalog.files(catalog.answer(view.name)))

    def finished_weighted(self, view: ViewDefinition, rows: DataFrame) -> DataFrame:
        """Stored changes as k0, k1, ..., _w; projections at the root apply to each row."""
        projections = [each for each in view.root.finish if isinstance(each, Project)]
        if not projections:
            return rows
        weight = Fresh(view.plan).weight()
        rel: Rel = Scan("stored", (*stored_scan("stored", view.stored).columns, weight))
        for each in reversed(projections):
            rel = Project(rel, (*each.outputs, pass_through(weight)))
        statement = compile_batch(rel, (*column_names("k", len(view.columns)), "_w"))
        session = clone_session(self._session)
        bind_table(session, "stored", rows)
        return session.sql(statement.sql)

    def source(self, source: SourceDefinition, catalog: Catalog, upto: int | None) -> DataFrame:
        """A source's rows in a session of ours, up to an offset or all of them."""
        segments = catalog.segments(catalog.contents(source.name))
        files = tuple(each.file for each in segments if upto is None or (each.offset or 0) <= upto)
        rows = self.rows(source.types, files)
        columns = [f"k{n} AS {quote_name(name)}" for n, name in enumerate(source.columns)]
        return rows.selectExpr(*columns)

    def rows(self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...]) -> DataFrame:
        """Stored rows as k0, k1, ..., each as often as it counts."""
        frame = self.weighted(types, files)
        columns = [f"k{n}" for n in range(len(types))]
        return frame.selectExpr(*columns, f"{COPIES} AS copy").drop("copy")

    def weighted(self, types: tuple[DataType, ...], files: tuple[SegmentFile, ...]) -> DataFrame:
        """Stored rows as k0, k1, ..., _w."""
        stored = Stored(self._home.folder, types, files)
        columns = [f"{decode_sql(dtype, f'k{n}')} AS k{n}" for n, dtype in enumerate(types)]
        return snapshot(self._session, stored).selectExpr(*columns, "_w")

    def handed_over(self, frame: DataFrame) -> DataFrame:
        """A frame of ours as one of the user's session."""
        return rebind(frame, self._spark)


def bind_table(session: SparkSession, name: str, frame: DataFrame) -> None:
    """Make a frame of another session known by name."""
    rebind(frame, session).createOrReplaceTempView(quote_name(name))
