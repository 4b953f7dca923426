"""Where stored rows are when each partition reads its own range of hashes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from slackwater.compiler.placement.division import Place
from slackwater.compiler.placement.terms import Term, read_term
from slackwater.expr.build import replaced, value_of_stored
from slackwater.expr.nodes import ColumnId, ColumnRef, Expr, walk
from slackwater.plan.arrangements import Arrangement, key_hash
from slackwater.plan.program import SourceChangesStep, SourceRowsStep, StateRowsStep, Step
from slackwater.types import DataType
from slackwater.types.storage import needs_encoding, storage_type


@lru_cache(maxsize=4096)
def hash_of_stored(arrangement: Arrangement, prefix: str) -> Term | None:
    """The hash under which rows are stored, in terms of stored columns of such names."""
    values = {
        ColumnId(n): _value(f"{prefix}{n}", dtype) for n, dtype in enumerate(arrangement.types)
    }
    hashed = key_hash(tuple(replaced(each, values) for each in arrangement.key))
    return read_term(hashed, lambda column: column.name)


def _value(name: str, dtype: DataType) -> Expr:
    if not needs_encoding(dtype):
        return ColumnRef(ColumnId(0), name, dtype, True)
    stored = ColumnRef(ColumnId(0), name, storage_type(dtype), True)
    return value_of_stored(stored, dtype)


def natural_place(step: Step, sources: Mapping[str, tuple[Expr, ...]]) -> Place:
    """The place of rows that each partition reads by its own range."""
    term: Term | None = None
    match step:
        case StateRowsStep(arrangement=arrangement):
            term = hash_of_stored(arrangement, "k")
        case SourceChangesStep(source=source) | SourceRowsStep(source=source):
            key = sources.get(source)
            if key is not None and not any(map(_is_encoded, key)):
                term = read_term(key_hash(key), lambda column: column.name)
    return Place() if term is None else Place((term,))


def _is_encoded(expr: Expr) -> bool:
    """Whether an expression reads values that are stored in another form than their own."""
    return any(isinstance(each, ColumnRef) and needs_encoding(each.dtype) for each in walk(expr))
