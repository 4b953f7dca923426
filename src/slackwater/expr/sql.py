"""Prints expressions as Spark SQL: tables for the many simple forms, functions for the few others.

The caller says how a column is written, so that the same printer serves plans for people
(`price#3`) and statements for Spark (`c3`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.expr.buckets import spark_bucket
from slackwater.expr.limbs import (
    NUMBER_PARTS,
    SPARK,
    spark_add_limbs,
    spark_far_limbs,
    spark_limbs_value,
)
from slackwater.expr.literals import print_literal
from slackwater.expr.moments import Comoment, spark_comoment
from slackwater.expr.nodes import (
    AggregateCall,
    BoundKind,
    Call,
    Cast,
    ColumnRef,
    Expr,
    FieldAccess,
    Frame,
    FrameBound,
    Lambda,
    LambdaVariable,
    Literal,
    SortKey,
    UserCall,
    WindowCall,
)
from slackwater.types.storage import comparable_sql, decode_sql, encode_sql, hashable_sql

ColumnNames = Callable[[ColumnRef], str]

_INFIX: Mapping[str, str] = {
    **{sign: sign for sign in ("+", "-", "*", "/", "%", "=", "<=>", "<", "<=", ">", ">=")},
    **{sign: sign for sign in ("&", "|", "^")},
    "div": "DIV",
    "and": "AND",
    "or": "OR",
    "rlike": "RLIKE",
}
_PREFIX: Mapping[str, str] = {"not": "NOT ", "negative": "- ", "positive": "+ ", "~": "~ "}
_POSTFIX: Mapping[str, str] = {"isnull": "IS NULL", "isnotnull": "IS NOT NULL"}
_RENAMED: Mapping[str, str] = {
    "decode_charset": "decode",
    "round_floor": "floor",
    "round_ceil": "ceil",
}


def quote_name(name: str) -> str:
    """A name as a quoted identifier.

    >>> quote_name("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def human_names(column: ColumnRef) -> str:
    """Write a column as plans for people do: its name and its id."""
    return f"{column.name}#{column.id}"


class ExpressionPrinter:
    """Prints expressions with one way of writing columns."""

    def __init__(self, names: ColumnNames = human_names):
        """Remember how columns are written."""
        self._names = names

    def text(self, expr: Expr) -> str:
        """The expression as SQL text; compound forms come in parentheses."""
        match expr:
            case Literal():
                return print_literal(expr)
            case ColumnRef():
                return self._names(expr)
            case Cast(child=child, target=target, mode=mode):
                return f"{mode.value.upper()}({self.text(child)} AS {target.sql()})"
            case FieldAccess(child=child, field=field):
                return f"{self.text(child)}.{quote_name(field)}"
            case Call():
                return self._call(expr)
            case UserCall(name=name, args=args):
                return f"{quote_name(name)}({self._list(args)})"
            case AggregateCall():
                return self._aggregate(expr)
            case LambdaVariable(name=name):
                return quote_name(name)
            case Lambda(variables=variables, body=body):
                names = [quote_name(variable.name) for variable in variables]
                bound = names[0] if len(names) == 1 else f"({', '.join(names)})"
                return f"{bound} -> {self.text(body)}"
            case WindowCall():
                raise TypeError("a window call is printed with its window: use window_text")
            case _:
                raise TypeError(f"no SQL form for {type(expr).__name__}")

    def sort_key(self, key: SortKey) -> str:
        """A key of ORDER BY, with direction and place of NULLs spelled out."""
        direction = "ASC" if key.ascending else "DESC"
        nulls = "FIRST" if key.nulls_first else "LAST"
        return f"{self.text(key.expr)} {direction} NULLS {nulls}"

    def sort_keys(self, keys: tuple[SortKey, ...]) -> str:
        """All keys of ORDER BY."""
        return ", ".join(self.sort_key(key) for key in keys)

    def window_text(
        self, window: WindowCall, partition: tuple[Expr, ...], order: tuple[SortKey, ...]
    ) -> str:
        """A window function with its OVER clause."""
        parts = []
        if partition:
            parts.append(f"PARTITION BY {self._list(partition)}")
        if order:
            parts.append(f"ORDER BY {self.sort_keys(order)}")
        if window.frame is not None:
            parts.append(self._frame(window.frame))
        nulls = " IGNORE NULLS" if window.ignore_nulls else ""
        return f"{self.text(window.function)}{nulls} OVER ({' '.join(parts)})"

    def _list(self, exprs: tuple[Expr, ...]) -> str:
        return ", ".join(self.text(expr) for expr in exprs)

    def _call(self, call: Call) -> str:
        function, args = call.function, call.args
        if function in _INFIX:
            return f"({self.text(args[0])} {_INFIX[function]} {self.text(args[1])})"
        if function in _PREFIX:
            return f"({_PREFIX[function]}{self.text(args[0])})"
        if function in _POSTFIX:
            return f"({self.text(args[0])} {_POSTFIX[function]})"
        if function in _SPECIAL:
            return _SPECIAL[function](self, call)
        printed = [*(self.text(arg) for arg in args), *call.params]
        return f"{_RENAMED.get(function, function)}({', '.join(printed)})"

    def _aggregate(self, call: AggregateCall) -> str:
        if call.function in _SPECIAL_AGGREGATES:
            return _SPECIAL_AGGREGATES[call.function](self, call)
        args = ", ".join([*(self.text(arg) for arg in call.args), *call.params])
        distinct = "DISTINCT " if call.distinct else ""
        text = f"{call.function}({distinct}{args})"
        if call.order:
            text += f" WITHIN GROUP (ORDER BY {self.sort_keys(call.order)})"
        return text + self._filter_clause(call)

    def _filter_clause(self, call: AggregateCall) -> str:
        return "" if call.where is None else f" FILTER (WHERE {self.text(call.where)})"

    def _frame(self, frame: Frame) -> str:
        lower, upper = self._bound(frame.lower), self._bound(frame.upper)
        return f"{frame.unit.value} BETWEEN {lower} AND {upper}"

    def _bound(self, bound: FrameBound) -> str:
        if bound.kind is not BoundKind.OFFSET or bound.offset is None:
            return bound.kind.value
        # A negative FOLLOWING offset is how Spark itself writes "preceding".
        return f"{self.text(bound.offset)} FOLLOWING"

    def case(self, call: Call) -> str:
        """CASE with its branches; an odd last argument is ELSE."""
        branches = [
            f"WHEN {self.text(when)} THEN {self.text(then)}"
            for when, then in zip(call.args[::2], call.args[1::2], strict=False)
        ]
        otherwise = f" ELSE {self.text(call.args[-1])}" if len(call.args) % 2 else ""
        return f"CASE {' '.join(branches)}{otherwise} END"

    def membership(self, call: Call) -> str:
        """IN with a list of values."""
        return f"({self.text(call.args[0])} IN ({self._list(call.args[1:])}))"

    def like(self, call: Call) -> str:
        """LIKE and ILIKE; the escape character is always spelled out."""
        escape = f" ESCAPE {call.params[0]}" if call.params else ""
        operator = call.function.upper()
        return f"({self.text(call.args[0])} {operator} {self.text(call.args[1])}{escape})"

    def like_many(self, call: Call) -> str:
        """LIKE ANY and its kin."""
        operator = call.function.upper().replace("_", " ")
        return f"({self.text(call.args[0])} {operator} ({', '.join(call.params)}))"

    def subscript(self, call: Call) -> str:
        """An element of an array or map by position or key."""
        return f"{self.text(call.args[0])}[{self.text(call.args[1])}]"

    def params_first(self, call: Call) -> str:
        """Functions such as timestampadd that name a unit before the arguments."""
        return f"{call.function}({', '.join([*call.params, *map(self.text, call.args)])})"

    def collate(self, call: Call) -> str:
        """A string under another collation."""
        return f"({self.text(call.args[0])} COLLATE {call.params[0]})"

    def extract(self, call: Call) -> str:
        """A field of an interval or a moment by name."""
        return f"extract({call.params[0]} FROM {self.text(call.args[0])})"

    def at_least_n(self, call: Call) -> str:
        """The number of arguments that are neither NULL nor NaN, compared with a minimum."""
        counts = []
        for arg in call.args:
            text = self.text(arg)
            counts.append(f"CASE WHEN {text} IS NULL OR {self._is_nan(arg)} THEN 0 ELSE 1 END")
        return f"(({' + '.join(counts)}) >= {call.params[0]})"

    def _is_nan(self, arg: Expr) -> str:
        return f"isnan({self.text(arg)})" if arg.dtype.sql() in ("FLOAT", "DOUBLE") else "FALSE"

    def trim(self, call: Call) -> str:
        """A string without the given characters at its ends; without blanks if none are given."""
        if len(call.args) == 1:
            return f"{call.function}({self.text(call.args[0])})"
        side = {"trim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}[call.function]
        return f"trim({side} {self.text(call.args[1])} FROM {self.text(call.args[0])})"

    def replicate_rows(self, call: Call) -> str:
        """One row per count: Spark has no such function in SQL, an exploded array does it."""
        times, *values = call.args
        row = ", ".join(
            f"'value{position}', {self.text(value)}" for position, value in enumerate(values)
        )
        count = f"CAST({self.text(times)} AS INT)"
        return f"inline(array_repeat(named_struct({row}), {count}))"

    def stored_form(self, call: Call) -> str:
        """A value under the type that state stores it as."""
        value = call.args[0]
        return encode_sql(value.dtype, self.text(value))

    def value_of_stored(self, call: Call) -> str:
        """A stored value under its own type."""
        value = call.args[0]
        return decode_sql(call.dtype, self.text(value))

    def hash_form(self, call: Call) -> str:
        """A value in a form that Spark's hash functions accept."""
        value = call.args[0]
        return hashable_sql(value.dtype, self.text(value))

    def comparable_form(self, call: Call) -> str:
        """A value in a form that Spark can compare."""
        value = call.args[0]
        return comparable_sql(value.dtype, self.text(value))

    def bits_of(self, call: Call) -> str:
        """The text of a floating-point number, which is another for every other number."""
        return f"CAST({self.text(call.args[0])} AS STRING)"

    def bucket_of(self, call: Call) -> str:
        """The bucket of a double."""
        return spark_bucket(self.text(call.args[0]))

    def part_of_number(self, call: Call) -> str:
        """A near or far number, or product of numbers, or the error of one."""
        return SPARK.part(call.function, *map(self.text, call.args))

    def near_digit(self, call: Call) -> str:
        """A digit of a near number or product."""
        place, highest = map(int, call.params)
        return SPARK.near_digit(self.text(call.args[0]), place, highest)

    def add_limbs(self, call: Call) -> str:
        """The sum of the limbs of far numbers."""
        return spark_add_limbs(*map(self.text, call.args))

    def limbs_value(self, call: Call) -> str:
        """The sum that limbs stand for: those of far numbers first, then those of near ones."""
        far, *limbs = map(self.text, call.args)
        return spark_limbs_value(far, limbs)

    def comoment(self, call: Call) -> str:
        """The moment that variances and covariances are made of."""
        return spark_comoment(Comoment.of([self.text(arg) for arg in call.args]))

    def far_limbs(self, call: AggregateCall) -> str:
        """The limbs of a group's far numbers."""
        value, weight = map(self.text, call.args)
        terms = f"collect_list(named_struct('x', {value}, 'w', {weight}))"
        return spark_far_limbs(f"{terms} FILTER (WHERE {value} IS NOT NULL)")

    def registers_estimate(self, call: Call) -> str:
        """The number of values that registers stand for; details of the sketch are left out."""
        return f"{call.function}({self._list(call.args)})"

    def count_by_registers(self, call: AggregateCall) -> str:
        """The same over a group of registers."""
        return f"{call.function}({self._list(call.args)}){self._filter_clause(call)}"

    def approx_count_distinct(self, call: AggregateCall) -> str:
        """An estimate of how many values differ, with its error; its sketch follows from that."""
        distinct = "DISTINCT " if call.distinct else ""
        args = ", ".join([*map(self.text, call.args), *call.params[:1]])
        return f"{call.function}({distinct}{args}){self._filter_clause(call)}"

    def pivot_first(self, call: AggregateCall) -> str:
        """One array slot per pivot value, holding that value's one aggregate."""
        pivot, value = self.text(call.args[0]), self.text(call.args[1])
        slots = ", ".join(
            f"first(CASE WHEN {pivot} <=> {constant} THEN {value} END, TRUE)"
            for constant in call.params
        )
        return f"array({slots})"

    def mode_within(self, call: AggregateCall) -> str:
        """The most frequent value, the greatest of them on a tie."""
        order = self.sort_keys(call.order)
        return f"mode() WITHIN GROUP (ORDER BY {order}){self._filter_clause(call)}"


_SPECIAL: Mapping[str, Callable[[ExpressionPrinter, Call], str]] = {
    "case": ExpressionPrinter.case,
    "in": ExpressionPrinter.membership,
    "like": ExpressionPrinter.like,
    "ilike": ExpressionPrinter.like,
    "like_any": ExpressionPrinter.like_many,
    "like_all": ExpressionPrinter.like_many,
    "not_like_any": ExpressionPrinter.like_many,
    "not_like_all": ExpressionPrinter.like_many,
    "subscript": ExpressionPrinter.subscript,
    "timestampadd": ExpressionPrinter.params_first,
    "timestampdiff": ExpressionPrinter.params_first,
    "collate": ExpressionPrinter.collate,
    "extract": ExpressionPrinter.extract,
    "trim": ExpressionPrinter.trim,
    "ltrim": ExpressionPrinter.trim,
    "rtrim": ExpressionPrinter.trim,
    "at_least_n_non_nulls": ExpressionPrinter.at_least_n,
    "replicate_rows": ExpressionPrinter.replicate_rows,
    "stored_form": ExpressionPrinter.stored_form,
    "value_of_stored": ExpressionPrinter.value_of_stored,
    "hash_form": ExpressionPrinter.hash_form,
    "comparable_form": ExpressionPrinter.comparable_form,
    "bits_of": ExpressionPrinter.bits_of,
    "bucket_of": ExpressionPrinter.bucket_of,
    **dict.fromkeys(NUMBER_PARTS, ExpressionPrinter.part_of_number),
    "near_digit": ExpressionPrinter.near_digit,
    "add_limbs": ExpressionPrinter.add_limbs,
    "limbs_value": ExpressionPrinter.limbs_value,
    "comoment": ExpressionPrinter.comoment,
    "registers_estimate": lambda printer, call: printer.registers_estimate(call),
}

_SPECIAL_AGGREGATES: Mapping[str, Callable[[ExpressionPrinter, AggregateCall], str]] = {
    "pivot_first": ExpressionPrinter.pivot_first,
    "mode_within": ExpressionPrinter.mode_within,
    "far_limbs": ExpressionPrinter.far_limbs,
    "count_by_registers": lambda printer, call: printer.count_by_registers(call),
    "approx_count_distinct": ExpressionPrinter.approx_count_distinct,
}
