"""Functions that a user registers after our sessions were cloned from theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import SparkSession


class UserFunctions:
    """Keeps our sessions in step with the temporary functions of the user's session."""

    def __init__(self, user: SparkSession):
        """Remember the functions that clones of the session have from the start."""
        self._user = user
        self._known = dict(self._registered())

    def share_with(self, sessions: Iterable[SparkSession]) -> frozenset[str]:
        """Give all temporary functions to these sessions; the names of those that were replaced.

        A session that is given for the first time gets all of them, so that it may have been
        cloned at any time.
        """
        now = dict(self._registered())
        for session in sessions:
            for function in now.values():
                function.register_in(session)
        replaced = {
            name
            for name, function in now.items()
            if name in self._known and not function.is_same(self._known[name])
        }
        self._known |= now
        return frozenset(name for _registry, name in replaced)

    def _registered(self) -> Iterator[tuple[tuple[str, str], _Function]]:
        """The functions of the user's session that are not Spark's own, by registry and name."""
        state = self._user._jsparkSession.sessionState()
        jvm: Any = self._user._jvm
        analysis = jvm.org.apache.spark.sql.catalyst.analysis
        built_in = {
            "functionRegistry": analysis.FunctionRegistry.builtin(),
            "tableFunctionRegistry": analysis.TableFunctionRegistry.builtin(),
        }
        for registry, spark_own in built_in.items():
            known = getattr(state, registry)()
            added = known.listFunction().diff(spark_own.listFunction())
            for k in range(added.size()):
                identifier = added.apply(k)
                name = str(identifier.funcName())
                yield (registry, name), _Function(registry, identifier, known)


class _Function:
    """One entry of a session's registry."""

    def __init__(self, registry: str, identifier: Any, known: Any):
        self._registry = registry
        self._identifier = identifier
        self._info = known.lookupFunction(identifier).get()
        self._builder = known.lookupFunctionBuilder(identifier).get()

    def is_same(self, other: _Function) -> bool:
        return bool(self._builder.equals(other._builder))

    def register_in(self, session: SparkSession) -> None:
        state = session._jsparkSession.sessionState()
        getattr(state, self._registry)().registerFunction(
            self._identifier, self._info, self._builder
        )
