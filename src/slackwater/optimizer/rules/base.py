"""What a delta rule is, and what it can ask for while it writes its statements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from slackwater.algebra.operators import Recompute, Scan
from slackwater.algebra.rel import Rel, UnaryRel
from slackwater.algebra.sql import OperatorPrinter, column_name
from slackwater.expr.facts import may_raise
from slackwater.expr.sql import quote_name
from slackwater.optimizer.facts import Facts
from slackwater.optimizer.phantoms import holds_phantoms
from slackwater.plan.arrangements import Arrangement
from slackwater.state.storage_types import hashable_sql
from slackwater.types import (
    CALENDAR_INTERVAL,
    VARIANT,
    ArrayType,
    DataType,
    MapType,
    OpaqueType,
    StructType,
    is_collated,
    is_floating,
    parts_of,
    without_collation,
)

WEIGHT = "_w"
PRINTER = OperatorPrinter()


@dataclass(frozen=True, slots=True)
class Need:
    """State a rule keeps: the arrangement, and the relation whose changes it takes.

    `settled` says that its key might fail on changes that cancel out.
    """

    arrangement: Arrangement
    owner: Rel
    settled: bool = False


class Builder(Protocol):
    """Collects the steps of a program; rules speak to it."""

    @property
    def facts(self) -> Facts:
        """What is known of sources and settings."""

    def delta(self, rel: Rel) -> str | None:
        """The frame with the changes of a relation in this run; None if it cannot change."""

    def rows(self, rel: Rel) -> str:
        """The frame with all rows of a relation after this run, unweighted."""

    def scan_delta(self, scan: Scan) -> str | None:
        """The frame with what a source, or a view, received."""

    def scan_rows(self, scan: Scan) -> str:
        """The frame with all rows of a source or view."""

    def fragment_rows(self, rel: Recompute) -> str:
        """The frame with all rows of a part that Spark runs itself."""

    def touched(self, rel: Rel) -> bool:
        """Whether a source below the relation has changes."""

    def behind(self, scan: Scan) -> Rel | None:
        """The relation whose changes, as its rules find them, a scan reads; None if none is."""

    def sql(self, rel: Rel, part: str, text: str, reads: tuple[str, ...]) -> str:
        """A frame made by a statement; `part` names it among those of the relation."""

    def look_up(
        self,
        rel: Rel,
        part: str,
        frame: str,
        arrangement: Arrangement,
        carried: tuple[DataType, ...] = (),
    ) -> str:
        """The frame's rows, which carry columns of these types, with the state rows they hit."""

    def look_up_nested(self, rel: Rel, part: str, frame: str, arrangement: Arrangement) -> str:
        """The frame's rows, each with an array of the state rows of equal hash."""

    def gather(self, rel: Rel, part: str, frame: str, arrangement: Arrangement) -> str:
        """All rows under the hashes of the frame, with weights before and after."""

    def state_rows(
        self, rel: Rel, part: str, arrangement: Arrangement, beside: str | None = None
    ) -> str:
        """What an arrangement held before this run; may be empty if the frame `beside` is."""

    def append(self, arrangement: Arrangement, frame: str) -> None:
        """Add changes (k0, ..., _w) to an arrangement."""


R = TypeVar("R", bound=Rel)


class Rule(ABC, Generic[R]):
    """Turns the changes of an operator's inputs into the changes of its output."""

    name: str
    operator: type[R]

    def refuses(self, _rel: R, _facts: Facts) -> str | None:
        """Why the rule does not fit this instance of its operator; None if it fits."""
        return None

    def recomputes(self, _rel: R) -> str | None:
        """Why the work follows the size of the relation, not of the change; None if it does not."""
        return None

    def needs(self, _rel: R, _facts: Facts) -> tuple[Need, ...]:
        """The state the rule keeps."""
        return ()

    def unstable(self, _rel: R) -> bool:
        """Whether computing the same rows twice may give answers that differ in a last bit."""
        return False

    @abstractmethod
    def delta(self, rel: R, builder: Builder) -> str | None:
        """The frame with the operator's changes; None if nothing can have changed."""

    def rows(self, rel: R, builder: Builder) -> str:
        """The frame with all of the operator's rows, computed from scratch."""
        inputs = tuple(builder.rows(each) for each in rel.inputs)
        texts = tuple(map(plain_input, rel.inputs, inputs))
        return builder.sql(rel, "rows", positional(rel, PRINTER.select(rel, texts)), inputs)


def positions(rel: Rel) -> tuple[str, ...]:
    """The names of a relation's columns in a frame."""
    return tuple(f"k{position}" for position in range(len(rel.columns)))


def plain_input(rel: Rel, frame: str) -> str:
    """A frame as a table whose columns have the names that expressions use."""
    return _renamed(rel, frame, ())


def weighted_input(rel: Rel, frame: str) -> str:
    """A frame of changes as such a table, with the weight."""
    return _renamed(rel, frame, (WEIGHT,))


def _renamed(rel: Rel, frame: str, extra: tuple[str, ...]) -> str:
    pairs = [f"k{n} AS {column_name(column)}" for n, column in enumerate(rel.columns)]
    return f"(SELECT {', '.join([*pairs, *extra]) or 'TRUE AS no_columns'} FROM {frame})"


def positional(rel: Rel, select: str, weight: str | None = None) -> str:
    """A statement whose columns are named by position again; `weight` is the weight's SQL."""
    return f"SELECT {output_list(rel, weight)} FROM ({select})"


def output_list(rel: Rel, weight: str | None = None) -> str:
    """The select list that gives a relation's columns their frame names."""
    items = [f"{column_name(column)} AS k{n}" for n, column in enumerate(rel.columns)]
    if weight is not None:
        items.append(WEIGHT if weight == WEIGHT else f"{weight} AS {WEIGHT}")
    return ", ".join(items) or "TRUE AS no_columns"


def consolidated(rel: Rel, table: str, *, first: bool = False) -> str:
    """The net changes of a frame or subquery: equal rows added up, zeros left out.

    Rows that Spark cannot group stay as they come; whoever keeps them adds them up. With
    `first` they too are added up, by values in forms that it can group, and nothing that reads
    the result is computed before: Spark moves conditions ahead of a grouping, but only those
    that read the grouping columns themselves.
    """
    columns = ", ".join(positions(rel))
    fits = _has_form if first else adds_up
    if not all(fits(column.dtype) for column in rel.columns):
        return f"SELECT {columns}, _w FROM {table}"
    if not columns:
        return f"SELECT sum(_w) AS _w FROM {table} HAVING coalesce(sum(_w), 0) <> 0"
    exact = [
        _as_is(column.dtype, name, bare=not first)
        for name, column in zip(positions(rel), rel.columns, strict=True)
    ]
    keys = ", ".join(key for _, keys in exact for key in keys)
    outputs = ", ".join(output for output, _ in exact)
    return f"SELECT {outputs}, sum(_w) AS _w FROM {table} GROUP BY {keys} HAVING sum(_w) <> 0"


def _as_is(dtype: DataType, name: str, *, bare: bool) -> tuple[str, tuple[str, ...]]:
    """A grouped column as it came, and what it is grouped by.

    -0.0 and 0.0 are one value to GROUP BY, and texts that their collation calls equal, but rows
    that differ in them are different rows.
    """
    keys = [name] if adds_up(dtype) else [*_form(dtype, name)]
    if is_floating(dtype):
        keys.append(f"CASE WHEN {name} = 0 THEN CAST({name} AS STRING) END")
    elif adds_up(dtype) and any(map(is_floating, parts_of(dtype))):
        keys.append(f"CAST({name} AS STRING)")
    if adds_up(dtype) and is_collated(dtype):
        keys.append(f"CAST({name} AS {without_collation(dtype).sql()})")
    output = name if bare and len(keys) == 1 else f"any_value({name}) AS {name}"
    return output, tuple(keys)


def _has_form(dtype: DataType) -> bool:
    """Whether Spark groups values of the type, as they are or in another form."""
    parts = parts_of(dtype)
    inside = any(isinstance(part, OpaqueType) or part == VARIANT for part in parts)
    return adds_up(dtype) or dtype == VARIANT or not inside


def _form(dtype: DataType, name: str) -> tuple[str, ...]:
    """What is different for different values of a type that Spark cannot group by."""
    if dtype == VARIANT:
        return f"to_json({name})", f"schema_of_variant({name})"
    text = f"CAST({name} AS STRING)"
    # The text of a map does not say where a key ends.
    return (text,) if dtype == CALENDAR_INTERVAL else (hashable_sql(dtype, name), text)


def repeated(columns: Iterable[str], weighted: str) -> str:
    """Columns of a frame's rows without weights, each row as often as it counts."""
    named = ", ".join(columns) or "TRUE AS no_columns"
    copies = "LATERAL VIEW explode(sequence(CAST(1 AS BIGINT), _w)) copies AS copy"
    return f"SELECT {named} FROM (SELECT * FROM {weighted} WHERE _w > 0) {copies}"


def settled(rel: Rel, builder: Builder) -> str | None:
    """The changes of a relation, added up first if some of them might only cancel out."""
    changes = builder.delta(rel)
    if changes is None or not holds_phantoms(rel, builder):
        return changes
    return builder.sql(rel, "settled", consolidated(rel, changes, first=True), (changes,))


def settled_changes(rel: UnaryRel, builder: Builder) -> str | None:
    """The changes of an operator's input, settled if its expressions might fail on some."""
    if any(map(may_raise, rel.expressions)):
        return settled(rel.input, builder)
    return builder.delta(rel.input)


def groupable(dtype: DataType) -> bool:
    """Whether Spark groups values of the type, and only equal ones: the sign of zeros aside."""
    return adds_up(dtype) and not is_collated(dtype)


def adds_up(dtype: DataType) -> bool:
    """Whether Spark groups values of the type, so that rows which hold them can be added up."""
    unfit = (CALENDAR_INTERVAL, VARIANT)
    parts = parts_of(dtype)
    return not any(isinstance(part, MapType | OpaqueType) or part in unfit for part in parts)


def comparable(dtype: DataType, text: str, depth: int = 0) -> str:
    """The value in a form that Spark can compare: maps, which it groups by, as sorted entries.

    >>> from slackwater.types import INTEGER
    >>> comparable(INTEGER, "x")
    'x'
    """
    if not _holds_map(dtype):
        return text
    one, deeper = f"p{depth}", depth + 1
    match dtype:
        case ArrayType(element=element):
            return f"transform({text}, {one} -> {comparable(element, one, deeper)})"
        case MapType(key=key, value=value):
            pair = f"{comparable(key, f'{one}.key', deeper)}, "
            pair += comparable(value, f"{one}.value", deeper)
            return f"array_sort(transform(map_entries({text}), {one} -> struct({pair})))"
        case StructType(fields=fields):
            parts = [
                comparable(each.dtype, f"{text}.{quote_name(each.name)}", deeper) for each in fields
            ]
            return f"CASE WHEN {text} IS NOT NULL THEN struct({', '.join(parts)}) END"
    return text


def _holds_map(dtype: DataType) -> bool:
    return any(isinstance(part, MapType) for part in parts_of(dtype))
