"""Definitions of sources and views, as values and as the JSON that the catalog stores."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import lru_cache
from typing import cast

from slackwater.algebra.rel import Rel
from slackwater.algebra.root import SplitRoot, split_root, stored_scan
from slackwater.algebra.serial import dump_plan, load_plan
from slackwater.catalog.goals import Goal
from slackwater.catalog.source_spec import SourceSpec
from slackwater.catalog.tables import Statistics, TableDefinition
from slackwater.errors import CatalogError
from slackwater.plan.arrangements import Arrangement, Role, hashable, stored_column
from slackwater.types import DataType, StructType, parse_spark_type


class OnMissing(Enum):
    """The treatment of a delete of a row that is not there."""

    ERROR = "error"
    IGNORE = "ignore"


class RefreshPolicy(Enum):
    """The ways in which a view may be brought up to date."""

    AUTO = "auto"
    """Incrementally, or rebuilt when so much has changed that this is cheaper."""
    INCREMENTAL = "incremental"
    """Always incrementally, as far as rules go."""
    STRICT = "strict"
    """Like incremental, but refused at creation if any part would be recomputed."""
    FULL = "full"
    """Computed anew whenever a source has changed; only the answer is kept."""


@lru_cache(maxsize=512)
def _parsed_schema(text: str) -> StructType:
    return cast("StructType", parse_spark_type(json.loads(text)))


@dataclass(frozen=True, slots=True)
class SourceDefinition:
    """A source as it was declared."""

    name: str
    spark_schema: str
    key: tuple[str, ...] = ()
    append_only: bool = False
    on_missing: str = OnMissing.ERROR.value

    @property
    def schema(self) -> StructType:
        """The columns."""
        return _parsed_schema(self.spark_schema)

    @property
    def types(self) -> tuple[DataType, ...]:
        """The types of the columns."""
        return tuple(each.dtype for each in self.schema.fields)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(each.name for each in self.schema.fields)

    @property
    def spec(self) -> SourceSpec:
        """The declaration that batches are validated against."""
        return SourceSpec(self.name, self.schema, self.key, self.append_only)

    @property
    def key_positions(self) -> tuple[int, ...]:
        """The positions of the key columns; without a key, of all columns."""
        names = [name.lower() for name in self.columns]
        return tuple(names.index(name.lower()) for name in self.key) or tuple(range(len(names)))

    @property
    def arrangement(self) -> Arrangement:
        """The source's rows, found by its key or, without one, by the whole row."""
        types = self.types
        found = (hashable(stored_column(n, types[n])) for n in self.key_positions)
        key = tuple(each for each in found if each is not None)
        return Arrangement(f"source {self.name}", Role.CONTENTS, types, key)

    def table(self, rows: int | None) -> TableDefinition:
        """The source as the planner sees it."""
        return TableDefinition(self.name, self.schema, self.spark_schema, Statistics(rows))

    def dump(self) -> str:
        """Write the definition as JSON for the catalog."""
        return json.dumps(asdict(self))

    @staticmethod
    def load(text: str) -> SourceDefinition:
        """Read a definition as the catalog has it."""
        content = json.loads(text)
        return SourceDefinition(**{**content, "key": tuple(content["key"])})


@dataclass(frozen=True, slots=True)
class ViewDefinition:
    """A view as it was declared, with the plan it is kept by."""

    name: str
    sql: str | None
    plan: Rel
    """The whole plan, order and limit at the root included."""
    columns: tuple[str, ...]
    spark_schema: str
    query: Rel | None = None
    """The plan as it was given, where no SQL text says it."""
    policy: RefreshPolicy = RefreshPolicy.AUTO
    goal: Goal | None = None
    """The time by which its answer is needed; the catalog keeps that beside the definition."""
    scope: str = "all"
    notes: tuple[str, ...] = field(default=())

    @property
    def root(self) -> SplitRoot:
        """The query in two parts: what is stored, and what is applied on read."""
        return split_root(self.plan)

    @property
    def stored(self) -> Rel:
        """The part of the plan whose rows are stored."""
        return self.root.stored

    @property
    def read(self) -> Rel:
        """The answer as a plan over a scan of the stored rows."""
        return self.root.as_table(stored_scan(self.name, self.stored))

    def table(self, rows: int | None) -> TableDefinition:
        """The view as the planner sees it.

        Where Spark knows that a column is never NULL and our plan does not, readers are to
        reckon with NULLs too: their plans are held against ours.
        """
        content = json.loads(self.spark_schema)
        for each, column in zip(content["fields"], self.plan.columns, strict=True):
            each["nullable"] = each["nullable"] or column.nullable
        schema = cast("StructType", parse_spark_type(content))
        return TableDefinition(self.name, schema, json.dumps(content), Statistics(rows))

    def dump(self) -> str:
        """Write the definition as JSON for the catalog, without the goal."""
        return json.dumps(
            {
                "name": self.name,
                "sql": self.sql,
                "plan": dump_plan(self.plan),
                "columns": self.columns,
                "spark_schema": self.spark_schema,
                "query": None if self.query is None else dump_plan(self.query),
                "policy": self.policy.value,
                "scope": self.scope,
                "notes": self.notes,
            }
        )

    @staticmethod
    def load(text: str) -> ViewDefinition:
        """Read a definition as the catalog has it, without the goal."""
        content = json.loads(text)
        content["plan"] = load_plan(content["plan"])
        content["query"] = None if content["query"] is None else load_plan(content["query"])
        content["policy"] = RefreshPolicy(content["policy"])
        content["columns"] = tuple(content["columns"])
        content["notes"] = tuple(content["notes"])
        return ViewDefinition(**content)


def read_policy(text: str) -> RefreshPolicy:
    """A refresh policy by name."""
    try:
        return RefreshPolicy(text)
    except ValueError:
        known = ", ".join(policy.value for policy in RefreshPolicy)
        raise CatalogError(
            f"{text!r} is not a refresh policy", hint=f"Choose one of: {known}."
        ) from None


def read_scope(text: str, view: str) -> str:
    """Read the name of a scope, which says what a view keeps when a window ends: everything."""
    if text == "all":
        return text
    what = "is not kept yet" if text == "window" else "is not a scope"
    raise CatalogError(f"scope {text!r} {what}", where=f"view {view}", hint='Use scope="all".')


def read_on_missing(text: str) -> OnMissing:
    """A policy for deletes of rows that are not there, by name."""
    try:
        return OnMissing(text)
    except ValueError:
        raise CatalogError(
            f"{text!r} is no policy for deletes of missing rows",
            hint="Choose error or ignore.",
        ) from None
