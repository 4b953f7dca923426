"""Plans the queries of a session: its tables, functions of users, parts that are left to Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from pyspark.sql import SparkSession

from slackwater.algebra.operators import Recompute
from slackwater.algebra.rel import walk_rel
from slackwater.catalog.definitions import ViewDefinition
from slackwater.catalog.home import Home
from slackwater.errors import CatalogError, SlackwaterError
from slackwater.frontend.sql.planner import Fragment, Planner
from slackwater.frontend.sql.sessions import clone_session
from slackwater.frontend.sql.user_functions import UserFunctions
from slackwater.planning.declare import offer_view
from slackwater.planning.views import called_functions
from slackwater.spark.pinned_settings import apply_pinned_settings


class Queries:
    """The planner of a home, kept in step with the home and with the user's session."""

    def __init__(self, home: Home, spark: SparkSession):
        """Clone the session, and learn what can be read."""
        self._home = home
        self.session = clone_session(spark)
        """As the user's, but for the settings that the home has pinned."""
        apply_pinned_settings(self.session, home.catalog().pinned)
        self.planner = Planner(self.session)
        self.fragments: dict[str, Fragment] = {}
        self.outdated: dict[str, str] = {}
        """Views that must start over, and why."""
        self._functions = UserFunctions(spark)
        self._learn_tables()

    def forget_tables(self) -> None:
        """Begin with another planner, as one cannot forget a table."""
        self.planner = Planner(self.session)
        self._learn_tables()

    def adopt(self, planner: Planner, fragments: Mapping[str, Fragment]) -> None:
        """Plan from now on with a planner that knows what was declared."""
        self.planner = planner
        self.fragments |= fragments

    def share_functions(self, sessions: Iterable[SparkSession]) -> None:
        """Take over functions registered since; views that call a replaced one start over."""
        replaced = self._functions.share_with((self.session, self.planner.session, *sessions))
        if not replaced:
            return
        self.fragments.clear()
        for view in self._home.catalog().views.values():
            for name in sorted(replaced & called_functions(view.plan, view.sql)):
                self.outdated[view.name] = f"function {name} has been registered anew"

    def find_fragments(self, view: ViewDefinition) -> None:
        """Plan again what Spark runs itself: its plans live only as long as the process."""
        wanted = {each.fragment for each in walk_rel(view.plan) if isinstance(each, Recompute)}
        if wanted <= self.fragments.keys() or view.sql is None:
            return
        found = dict(self.planner.plan_sql(view.sql).fragments)
        if isinstance(view.plan, Recompute):
            # Spark may plan it another way this time, but all of it is what the text says.
            found[view.plan.fragment] = Fragment(None, view.sql)
        if not wanted <= found.keys():
            raise CatalogError(
                "a part of the view that is left to Spark is planned another way than before",
                where=f"view {view.name}",
                hint="Drop the view and create it again; nothing else is affected.",
            )
        self.fragments |= {name: found[name] for name in wanted}

    def _learn_tables(self) -> None:
        """Tell the planner of everything that can be read, and find fragments again."""
        catalog = self._home.catalog()
        for source in catalog.sources.values():
            self.planner.add_table(source.table(None))
        for view in catalog.views.values():
            offer_view(self.planner, view)
        for view in catalog.views.values():
            # A view that cannot be planned now must not keep others, or the home, from use.
            with suppress(SlackwaterError):
                self.find_fragments(view)
