"""Compiles statements to functions from a few rows to rows.

Where statements run over a handful of rows, handing the rows over to an engine costs more than
computing them. Only what is known to mean the same as in Spark is compiled; a value that does not
fit its type raises an error at once, and the statement is for an engine that judges it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from slackwater.algebra.columns import Column
from slackwater.algebra.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Project,
    Scan,
    Union,
    Values,
)
from slackwater.algebra.rel import Rel
from slackwater.compiler.duckdb.few.bindings import Bindings, Row, unknown
from slackwater.compiler.duckdb.few.conditions import condition
from slackwater.compiler.duckdb.few.evaluators import compile_expression
from slackwater.compiler.duckdb.few.groups import compile_aggregate
from slackwater.compiler.duckdb.few.joins import compile_join
from slackwater.compiler.duckdb.types import NotLocalError, is_exact
from slackwater.expr.nodes import Literal
from slackwater.plan.statements import Statement
from slackwater.types import ArrayType, DataType, StructType

Frames = Mapping[str, Sequence[Row]]
"""Rows by the frame that is read."""
Rows = list[Row]
_Relation = Callable[[Frames], Rows]


@dataclass(frozen=True, slots=True)
class FrameScan:
    """The columns that are read of a frame; a statement may read a frame in several ways."""

    key: str
    frame: str
    columns: tuple[tuple[str, DataType], ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A statement as a function of the rows of its frames, found by the keys of its scans."""

    scans: tuple[FrameScan, ...]
    columns: tuple[tuple[str, DataType], ...]
    compute: Callable[[Frames], Rows]


def compile_statement(
    statement: Statement, parts: tuple[tuple[str, Statement], ...] = ()
) -> Pipeline | None:
    """The statement over a few rows; None if some of it has no form here.

    `parts` are statements that it reads by name instead of frames; each may read earlier ones.
    """
    try:
        return _compile(statement, parts)
    except (NotLocalError, ValueError, RecursionError):
        # A form that nobody thought of is for other engines.
        return None


def _compile(statement: Statement, parts: tuple[tuple[str, Statement], ...]) -> Pipeline:
    if not statement.names:
        raise unknown("rows without columns")
    compiler = _Compiler()
    for name, part in parts:
        compiler.add_part(name, part)
    relation = compiler.relation(statement.rel)
    columns = tuple(
        (name, column.dtype)
        for name, column in zip(statement.names, statement.rel.columns, strict=True)
    )
    for _, dtype in columns:
        _require_simple(dtype)
    return Pipeline(tuple(compiler.scans), columns, compiler.with_parts(relation))


class _Compiler:
    """Compiles the relations of one statement."""

    def __init__(self) -> None:
        self.scans: list[FrameScan] = []
        self._parts: dict[str, tuple[_Relation, tuple[str, ...]]] = {}

    def add_part(self, name: str, part: Statement) -> None:
        """Compile a statement that later ones read by its name."""
        self._parts[name] = self.relation(part.rel), part.names

    def with_parts(self, relation: _Relation) -> _Relation:
        """The relation after its parts, each computed once."""
        parts = [(name, compute) for name, (compute, _) in self._parts.items()]

        def compute(frames: Frames) -> Rows:
            known = dict(frames)
            for name, part in parts:
                known[name] = part(known)
            return relation(known)

        return compute

    def relation(self, rel: Rel) -> _Relation:
        match rel:
            case Scan():
                return self._scan(rel)
            case Filter():
                return self._filter(rel)
            case Project():
                return self._project(rel)
            case Aggregate():
                return self._aggregate(rel)
            case Generate():
                return self._generate(rel)
            case Union(branches=branches):
                return self._union(branches)
            case Join():
                return self._join(rel)
            case Distinct():
                return self._distinct(rel)
            case Values(rows=rows):
                return self._values(rows)
            case _:
                raise unknown(type(rel).__name__)

    def _scan(self, rel: Scan) -> _Relation:
        names = tuple(column.name for column in rel.columns)
        if rel.source in self._parts:
            return _picked(rel.source, self._parts[rel.source][1], names)
        for column in rel.columns:
            _require_readable(column.dtype)
        key = f"{rel.source} {len(self.scans)}"
        columns = tuple((column.name, column.dtype) for column in rel.columns)
        self.scans.append(FrameScan(key, rel.source, columns))
        return lambda frames: list(frames[key])

    def _filter(self, rel: Filter) -> _Relation:
        rows, keeps = self.relation(rel.input), condition(rel.condition, _bindings(rel.input))
        return lambda frames: [row for row in rows(frames) if keeps(row) is True]

    def _project(self, rel: Project) -> _Relation:
        rows, bindings = self.relation(rel.input), _bindings(rel.input)
        values = bindings.evaluators(output.expr for output in rel.outputs)
        return lambda frames: [tuple([value(row) for value in values]) for row in rows(frames)]

    def _aggregate(self, rel: Aggregate) -> _Relation:
        rows, bindings = self.relation(rel.input), _bindings(rel.input)
        for key in rel.keys:
            _require_simple(key.expr.dtype)
        keys = bindings.evaluators(key.expr for key in rel.keys)
        values = [compile_aggregate(each.expr, bindings) for each in rel.aggregates]

        def compute(frames: Frames) -> Rows:
            groups: dict[Row, Rows] = {} if keys else {(): []}
            for row in rows(frames):
                groups.setdefault(tuple([key(row) for key in keys]), []).append(row)
            return [
                (*key, *(value(members) for value in values)) for key, members in groups.items()
            ]

        return compute

    def _generate(self, rel: Generate) -> _Relation:
        generator = rel.generator
        if rel.outer or generator.function != "explode":
            raise unknown("such a generator")
        (given,) = generator.args
        if not isinstance(given.dtype, ArrayType):
            raise unknown("explode of something else than an array")
        rows, values = self.relation(rel.input), _bindings(rel.input).evaluator(given)
        return lambda frames: [(*row, item) for row in rows(frames) for item in values(row) or ()]

    def _union(self, branches: tuple[Rel, ...]) -> _Relation:
        relations = [self.relation(each) for each in branches]
        return lambda frames: list(chain.from_iterable(each(frames) for each in relations))

    def _join(self, rel: Join) -> _Relation:
        left, right = self.relation(rel.left), self.relation(rel.right)
        both = _bindings_of((*rel.left.columns, *rel.right.columns))
        join = compile_join(rel, _bindings(rel.left), _bindings(rel.right), both)
        return lambda frames: join(left(frames), right(frames))

    def _distinct(self, rel: Distinct) -> _Relation:
        rows = self.relation(rel.input)
        for column in rel.columns:
            _require_simple(column.dtype)
        return lambda frames: list(dict.fromkeys(rows(frames)))

    def _values(self, rows: tuple[tuple[Literal, ...], ...]) -> _Relation:
        nothing = _bindings_of(())
        constant = [tuple(value(()) for value in nothing.evaluators(row)) for row in rows]
        return lambda _frames: list(constant)


def _picked(name: str, given: tuple[str, ...], wanted: tuple[str, ...]) -> _Relation:
    """The wanted columns of a part."""
    if given == wanted:
        return lambda frames: list(frames[name])
    places = [given.index(each) for each in wanted]
    return lambda frames: [tuple([row[place] for place in places]) for row in frames[name]]


def _bindings(rel: Rel) -> Bindings:
    return _bindings_of(rel.columns)


def _bindings_of(columns: tuple[Column, ...]) -> Bindings:
    places = {column.id: place for place, column in enumerate(columns)}
    return Bindings(compile_expression, places, len(columns))


def _require_simple(dtype: DataType) -> None:
    if not is_exact(dtype):
        raise unknown(f"values of type {dtype}")


def _require_readable(dtype: DataType) -> None:
    """Refuse columns that have no form as Python values."""
    match dtype:
        case ArrayType(element=element):
            _require_readable(element)
        case StructType(fields=fields):
            for each in fields:
                _require_readable(each.dtype)
        case _:
            _require_simple(dtype)
