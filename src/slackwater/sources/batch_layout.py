"""Decides what a batch is from the names of its columns: which is which, and what is missing."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from slackwater.catalog.source_spec import WEIGHT, SourceSpec
from slackwater.errors import DataError
from slackwater.sources.change_feed import CHANGE_TYPE, IGNORED_COLUMNS
from slackwater.types import Field


class BatchOp(StrEnum):
    """What the rows of a batch are."""

    INSERT = "insert"
    DELETE = "delete"
    DELETE_KEYS = "delete_keys"
    """Keys alone; the rows to delete are those the source holds under them."""
    UPSERT = "upsert"
    """New rows that replace what the source holds under their keys."""
    CHANGES = "changes"
    """Rows with weights of their own."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a batch holds the columns of its source, and where their weights come from."""

    op: BatchOp
    fields: tuple[Field, ...]
    places: tuple[int, ...]
    weight_at: int | None = None
    change_type_at: int | None = None


def plan_layout(
    spec: SourceSpec, given: Sequence[str], op: str | None, weight: str | None
) -> Layout:
    """Match the columns of a batch with those of the source, by name; the order is free.

    Names are matched as they are, or else in another case if only one column fits.
    """
    _check_distinct(spec, given)
    kind = _requested(spec, op, weight)
    if kind is not None:
        return _matched(spec, given, kind)
    if weight is not None:
        return _with_weight(spec, given, weight)
    if CHANGE_TYPE in given and not spec.has_column(CHANGE_TYPE):
        return _with_change_type(spec, given)
    if WEIGHT in given and not spec.has_column(WEIGHT):
        return _with_weight(spec, given, WEIGHT)
    return _matched(spec, given, BatchOp.INSERT)


def batch_place(spec: SourceSpec) -> str:
    """How messages call a batch of the source."""
    return f"a batch for source {spec.name}"


def _requested(spec: SourceSpec, op: str | None, weight: str | None) -> BatchOp | None:
    """The operation the caller names, if it does, and if the source allows it."""
    if op is None:
        return None
    if op not in (BatchOp.INSERT, BatchOp.DELETE, BatchOp.UPSERT):
        raise _refused(spec, f"{op!r} is not an operation", "Write insert, delete or upsert.")
    if weight is not None:
        what = f"the batch has both op={op!r} and weight={weight!r}"
        raise _refused(spec, what, "Weights say by themselves what is inserted and deleted.")
    if op == BatchOp.UPSERT and not spec.key:
        what = "the source has no key, so nothing says which row an upsert replaces"
        raise _refused(spec, what, "Create the source with key=[...], or give _w weights.")
    if spec.append_only and op != BatchOp.INSERT:
        what = f"the source is append-only and takes no {op}"
        raise _refused(spec, what, "Create the source without append_only to change its rows.")
    return BatchOp(op)


def _with_weight(spec: SourceSpec, given: Sequence[str], weight: str) -> Layout:
    if weight not in given:
        what = f"the batch has no column {weight} to take the weights from"
        raise _refused(spec, what, f"Its columns are {', '.join(given)}.")
    if spec.has_column(weight):
        what = f"column {weight} belongs to the source itself and cannot be the weight"
        raise _refused(spec, what, "Give the weights in a column of another name.")
    at = list(given).index(weight)
    return _matched(spec, given, BatchOp.CHANGES, weight_at=at)


def _with_change_type(spec: SourceSpec, given: Sequence[str]) -> Layout:
    if WEIGHT in given and not spec.has_column(WEIGHT):
        what = f"the batch has both {CHANGE_TYPE} and {WEIGHT}"
        raise _refused(spec, what, "Drop one of the two columns.")
    at = list(given).index(CHANGE_TYPE)
    return _matched(spec, given, BatchOp.CHANGES, change_type_at=at)


def _matched(
    spec: SourceSpec,
    given: Sequence[str],
    op: BatchOp,
    weight_at: int | None = None,
    change_type_at: int | None = None,
) -> Layout:
    special = {at for at in (weight_at, change_type_at) if at is not None}
    free = {name: at for at, name in enumerate(given) if at not in special}
    if change_type_at is not None:
        free = {n: at for n, at in free.items() if n not in IGNORED_COLUMNS or spec.has_column(n)}
    fields = spec.schema.fields
    if op is BatchOp.DELETE and spec.key and len(free) == len(spec.key) < len(fields):
        op, fields = BatchOp.DELETE_KEYS, spec.key_fields()
    found = _find(tuple(field.name for field in fields), free)
    missing = [field.name for field in fields if field.name not in found]
    extra = [name for name, at in free.items() if at not in found.values()]
    if missing or extra:
        raise _wrong_columns(spec, missing, extra)
    places = tuple(found[field.name] for field in fields)
    return Layout(op, fields, places, weight_at, change_type_at)


def _find(wanted: Sequence[str], free: Mapping[str, int]) -> dict[str, int]:
    """The place of each wanted column; the case matters only where it tells columns apart."""
    folded: dict[str, list[int]] = {}
    for name, at in free.items():
        folded.setdefault(name.lower(), []).append(at)
    found = {name: free[name] for name in wanted if name in free}
    for name in wanted:
        places = folded.get(name.lower(), [])
        if name not in found and len(places) == 1:
            found[name] = places[0]
    return found


def _check_distinct(spec: SourceSpec, given: Sequence[str]) -> None:
    for name in given:
        if given.count(name) > 1:
            what = f"the batch has {given.count(name)} columns called {name}"
            raise _refused(spec, what, "Give each column a name of its own.")


def _wrong_columns(spec: SourceSpec, missing: list[str], extra: list[str]) -> DataError:
    parts = [f"missing {', '.join(missing)}"] if missing else []
    parts += [f"unknown {', '.join(extra)}"] if extra else []
    close = {
        name: near[0] for name in missing if (near := difflib.get_close_matches(name, extra, 1))
    }
    if close:
        renames = ", ".join(f"{near} to {name}" for name, near in close.items())
        hint = f"Did you mean to rename {renames}?"
    elif WEIGHT in extra:
        hint = f"Leave op out to have {WEIGHT} read as the weight of each row."
    else:
        hint = f"The columns of {spec.name} are {', '.join(spec.columns)}."
    return _refused(spec, f"the columns are not those of the source: {'; '.join(parts)}", hint)


def _refused(spec: SourceSpec, what: str, hint: str) -> DataError:
    return DataError(what, where=batch_place(spec), hint=hint)
