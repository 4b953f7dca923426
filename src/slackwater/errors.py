"""Errors a user can meet: each says what is wrong, where, and what to do about it.

A stage raises its own class, so that a caller can tell a mistake in the SQL from a
broken file or a missing Java without reading the message. Command-line users see
`render()`; they never see a stack trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the user's SQL text, as offsets of its first and one-past-last character."""

    text: str
    start: int
    stop: int

    @property
    def line(self) -> int:
        """The one-based line the span starts on."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The one-based column the span starts at."""
        return self.start - (self.text.rfind("\n", 0, self.start) + 1) + 1

    def render(self) -> str:
        """The line of SQL with carets under the span.

        >>> print(Span("SELECT nope FROM t", 7, 11).render())
        line 1, column 8
          SELECT nope FROM t
                 ^^^^
        """
        source = self.text.splitlines()[self.line - 1] if self.text else ""
        width = max(1, min(self.stop - self.start, len(source) - self.column + 1))
        carets = " " * (self.column - 1) + "^" * width
        return f"line {self.line}, column {self.column}\n  {source}\n  {carets}"


class SlackwaterError(Exception):
    """Base of every error Slackwater raises on purpose."""

    stage: ClassVar[str] = "slackwater"

    def __init__(self, what: str, *, where: str | Span | None = None, hint: str | None = None):
        """State `what` went wrong, `where`, and a `hint` on what to do next."""
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """The same text a command-line user sees."""
        return self.render()

    def render(self) -> str:
        """The message in full: what, where and what to do, each on lines of its own.

        >>> print(DataError("not Parquet", where="lake/t.parquet", hint="Remove it.").render())
        not Parquet
        at: lake/t.parquet
        hint: Remove it.
        """
        lines = [self.what]
        if isinstance(self.where, Span):
            lines.append(f"at {self.where.render()}")
        elif self.where is not None:
            lines.append(f"at: {self.where}")
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """The message as data, for `--json` output."""
        where: object = self.where
        if isinstance(where, Span):
            where = {"line": where.line, "column": where.column, "length": where.stop - where.start}
        return {
            "error": type(self).__name__,
            "stage": self.stage,
            "what": self.what,
            "where": where,
            "hint": self.hint,
        }


class SetupError(SlackwaterError):
    """The machine lacks something Slackwater needs, such as Java."""

    stage = "setup"


class DataError(SlackwaterError):
    """A folder or file cannot be read as the table it is meant to hold."""

    stage = "data"


class CatalogError(SlackwaterError):
    """A name is unknown, taken, or defined in a way that cannot work."""

    stage = "catalog"


class SqlError(SlackwaterError):
    """The SQL cannot be parsed or analysed; `condition` is Spark's own error condition."""

    stage = "frontend"

    def __init__(
        self,
        what: str,
        *,
        condition: str | None = None,
        where: str | Span | None = None,
        hint: str | None = None,
    ):
        """Like `SlackwaterError`, with Spark's error condition kept for programs to test."""
        super().__init__(what, where=where, hint=hint)
        self.condition = condition

    def as_dict(self) -> dict[str, object]:
        """The message as data, with Spark's condition."""
        return {**super().as_dict(), "condition": self.condition}


class UnsupportedStatementError(SqlError):
    """The text is valid SQL but not a query: a command such as INSERT or CREATE TABLE."""


class NonDeterministicError(SqlError):
    """The query would give another answer each time it runs on the same data."""


class SignalError(SlackwaterError):
    """A signal pipeline cannot mean anything, or its events are not a signal."""

    stage = "signals"


class ExecutionError(SlackwaterError):
    """Spark failed while running a query; the message is Spark's own, without the stack."""

    stage = "runtime"


class NumberTooLargeError(ExecutionError):
    """A number did not fit the type that Spark gives it."""


class MatrixError(SlackwaterError):
    """A matrix program cannot be read or cannot mean anything: shapes, symmetry, names."""

    stage = "linalg"


class SingularMatrixError(MatrixError):
    """A matrix has no inverse, or none that floating-point numbers can hold."""


class InvariantError(SlackwaterError):
    """A plan broke one of the rules in docs/invariants.md: a defect in Slackwater itself."""

    stage = "algebra"
