"""Functions that DuckDB is taught, so that statements mean what they mean in Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
from duckdb.func import ARROW, SPECIAL

from slackwater.compiler.duckdb.functions import ZONE_FUNCTIONS, nested_hashes
from slackwater.executors.driver.decimals import DecimalFunction, decimal_functions
from slackwater.executors.driver.half_rounding import half_even, half_up
from slackwater.executors.driver.hashing import (
    hash_doubles,
    hash_floats,
    hash_instants,
    hash_ints,
    hash_longs,
    hash_moments,
    hash_nested,
    hash_texts,
    hash_wide_decimals,
)
from slackwater.executors.driver.limbs import (
    SIGNATURES,
    add_limbs,
    comoment,
    far_limbs,
    limbs_value,
)
from slackwater.executors.driver.zones import Zone

_HASHES = {
    hash_ints: "INTEGER",
    hash_longs: "BIGINT",
    hash_moments: "TIMESTAMP",
    hash_instants: "TIMESTAMPTZ",
    hash_texts: "VARCHAR",
    hash_doubles: "DOUBLE",
    hash_floats: "FLOAT",
    hash_wide_decimals: "VARCHAR",
}


class EngineFunctions:
    """The functions of one connection: some from the start, others once a statement calls them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, zone: Callable[[], Zone]):
        """`zone` is asked for the session's time zone by the first statement that needs it."""
        self._connection = connection
        self._zone: Callable[[], Zone] | None = zone
        self._decimal: set[DecimalFunction] = set()
        self._nested: set[str] = set()
        """The names of functions that hash structs and arrays."""
        for function, argument in _HASHES.items():
            self._create(function.__name__, function, ["BIGINT", argument], "BIGINT")
        for rounding in (half_up, half_even):
            self._create(rounding.__name__, rounding, ["DOUBLE", "INTEGER"], "BIGINT")
        for limbs in (far_limbs, add_limbs, limbs_value, comoment):
            arguments, result = SIGNATURES[limbs.__name__]
            self._create(limbs.__name__, limbs, arguments, result)

    def learn(self, sql: str) -> None:
        """Add the functions of the time zone and of the types that a statement works on."""
        if self._zone is not None and any(name in sql for name in ZONE_FUNCTIONS):
            zone, self._zone = self._zone(), None
            self._learn_zone(zone)
        for name, argument in nested_hashes(sql).items():
            if name not in self._nested:
                self._create(name, hash_nested, ["BIGINT", argument], "BIGINT")
                self._nested.add(name)
        for function in decimal_functions(sql) - self._decimal:
            *arguments, result = function.signature
            self._create(function.name, function.function(), arguments, result)
            self._decimal.add(function)

    def _learn_zone(self, zone: Zone) -> None:
        if not zone.transitions:
            for head, body in zone.macros().items():
                self._connection.execute(f"CREATE MACRO {head} AS {body}")
            return
        for name, function in zone.functions().items():
            self._create(name, function, *ZONE_FUNCTIONS[name])

    def _create(
        self, name: str, function: Callable[..., Any], arguments: Sequence[str], result: str
    ) -> None:
        self._connection.create_function(
            name, function, [*arguments], result, type=ARROW, null_handling=SPECIAL
        )
