"""Strings."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.compiler.duckdb.once import once
from slackwater.compiler.duckdb.regexes import plain_text
from slackwater.compiler.duckdb.scope import Form, Scope, refused
from slackwater.compiler.duckdb.types import quoted_text
from slackwater.expr.nodes import Call, Expr, Literal
from slackwater.types import (
    BIGINT,
    BINARY,
    INTEGER,
    STRING,
    ArrayType,
    DataType,
    is_integral,
    same_type,
)

DECODING = frozenset(
    (
        *("length", "like", "substring", "upper", "lower", "trim", "ltrim", "rtrim", "split"),
        *("instr", "locate", "lpad", "rpad", "replace", "reverse", "substring_index", "translate"),
        *("ascii", "rlike", "regexp_extract", "regexp_replace", "get_json_object", "from_json"),
        *("split_part", "to_json"),
    )
)
"""Functions that look at the characters of texts; all others compare their bytes."""
_CASED_ALIKE = (
    r"\x00-\x{DE}\x{E0}-\x{12F}\x{131}-\x{148}\x{14A}-\x{19A}\x{19C}-\x{1EF}\x{1F1}-\x{24F}"
    r"\x{400}-\x{52F}\x{5D0}-\x{5EA}\x{600}-\x{6FF}\x{900}-\x{E7F}\x{2000}-\x{206F}"
    r"\x{20A0}-\x{20CF}\x{2190}-\x{2BFF}\x{3000}-\x{9FFF}\x{AC00}-\x{D7A3}\x{1F300}-\x{1FAFF}"
)
"""Characters whose upper and lower case is one character, the same in every version of Unicode."""
_MOST_BASE64 = 57
"""Bytes that fit one line: Spark begins a new one behind them."""


def _length(call: Call, scope: Scope) -> str:
    (value,) = call.args
    if value.dtype != STRING:
        raise refused(call, "the length of something else than a text")
    return f"CAST(length({scope.text(value)}) AS INTEGER)"


def _like(call: Call, scope: Scope) -> str:
    """A pattern without escapes: `params` holds the escape character as a literal of Spark's."""
    value, pattern = call.args
    escapes = {"\\", *(character for param in call.params for character in param[1:-1])}
    if (
        value.dtype != STRING
        or not isinstance(pattern, Literal)
        or pattern.value is None
        or pattern.dtype != STRING
        or not escapes.isdisjoint(pattern.value)
    ):
        raise refused(call, "such a pattern")
    return f"({scope.text(value)} LIKE {quoted_text(pattern.value)})"


def _text_test(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        if any(each.dtype != STRING for each in call.args):
            raise refused(call, f"{function} of something else than texts")
        return f"{function}({', '.join(scope.texts(call.args))})"

    return form


def _substring(call: Call, scope: Scope) -> str:
    """A part of a text; a place before its start takes from the length, not from the text."""
    value, start, size = call.args
    _require(call, STRING, value)
    _require(call, INTEGER, start, size)
    first, length = _written_number(start), _written_number(size)
    if first and length is not None:
        return f"substring({scope.text(value)}, {first}, {length})"

    def write(text: str, place: str, count: str) -> str:
        begin = f"CASE WHEN {place} > 0 THEN {place} - 1"
        begin += f" WHEN {place} < 0 THEN length({text}) + {place} ELSE 0 END"
        end = f"({begin}) + CAST({count} AS BIGINT)"
        kept = f"substring({text}, greatest({begin}, 0) + 1, {end} - greatest({begin}, 0))"
        unknown = " OR ".join(f"{each} IS NULL" for each in (text, place, count))
        some = f"WHEN {count} > 0 AND {end} > 0 THEN {kept}"
        return f"(CASE WHEN {unknown} THEN NULL {some} ELSE '' END)"

    return once(call.args, scope, write)


def _written_number(expr: Expr) -> int | None:
    """The whole number that is written there, if it has no sign."""
    if not isinstance(expr, Literal) or not is_integral(expr.dtype) or expr.value is None:
        return None
    return int(expr.value) if expr.value.isdecimal() else None


def _require(call: Call, dtype: DataType, *exprs: Expr) -> None:
    """Refuse a call with arguments of another type."""
    if any(each.dtype != dtype for each in exprs):
        raise refused(call, f"{call.function} of something else than {dtype}")


def _written_text(call: Call, expr: Expr) -> str:
    """The text that is written there; refused if there is none."""
    if not isinstance(expr, Literal) or expr.dtype != STRING or expr.value is None:
        raise refused(call, f"{call.function} with a text that is computed")
    if "\x00" in expr.value:
        raise refused(call, f"{call.function} with such a text")
    return expr.value


def _concat(call: Call, scope: Scope) -> str:
    """Texts or arrays one behind the other; NULL if one of them is."""
    lists = isinstance(call.dtype, ArrayType)
    if not call.args or not (lists or call.dtype == STRING):
        raise refused(call, "putting such values together")
    if any(not same_type(each.dtype, call.dtype) for each in call.args):
        raise refused(call, "putting values of several types together")
    return f"({' || '.join(scope.texts(call.args))})"


def _concat_ws(call: Call, scope: Scope) -> str:
    """Texts with another between them; NULLs are left out, and arrays are taken apart."""
    separator, *values = call.args
    _require(call, STRING, separator)
    if all(each.dtype == STRING for each in values):
        return f"concat_ws({', '.join((*scope.texts(call.args), *([] if values else ['NULL'])))})"
    if not isinstance(separator, Literal):
        raise refused(call, "a separator that is computed")
    return once(call.args, scope, lambda *texts: _joined(call, texts))


def _joined(call: Call, texts: tuple[str, ...]) -> str:
    parts = []
    for value, text in zip(call.args[1:], texts[1:], strict=True):
        if isinstance(value.dtype, ArrayType) and value.dtype.element == STRING:
            parts.append(f"coalesce({text}, CAST([] AS VARCHAR[]))")
        elif value.dtype == STRING:
            parts.append(f"[{text}]")
        else:
            raise refused(call, "putting such values together")
    known = f"list_filter({' || '.join(parts)}, lambda part: part IS NOT NULL)"
    return f"(CASE WHEN {texts[0]} IS NOT NULL THEN array_to_string({known}, {texts[0]}) END)"


def _cased(function: str) -> Form:
    """Upper or lower case, where it is the same in every version of Unicode."""

    def form(call: Call, scope: Scope) -> str:
        (value,) = call.args
        _require(call, STRING, value)
        known = quoted_text(f"[{_CASED_ALIKE}]*")

        def write(text: str) -> str:
            other = f"strlen({text}) <> length({text}) AND NOT regexp_full_match({text}, {known})"
            return _unless(other, f"{function}({text})", "a letter")

        return once(call.args, scope, write)

    return form


def _unless(problem: str, text: str, what: str) -> str:
    """A value, or an error in the rows that have a problem."""
    return f"(CASE WHEN {problem} THEN error('{what} that only Spark knows') ELSE {text} END)"


def _trimmed(function: str) -> Form:
    """Without certain characters at the ends, which are blanks if none are given."""

    def form(call: Call, scope: Scope) -> str:
        value, *rest = call.args
        _require(call, STRING, value)
        characters = _written_text(call, rest[0]) if rest else " "
        if not characters:
            raise refused(call, "nothing to trim")
        return f"{function}({scope.text(value)}, {quoted_text(characters)})"

    return form


def _split(call: Call, scope: Scope) -> str:
    value, pattern, limit = call.args
    _require(call, STRING, value)
    separator = plain_text(_written_text(call, pattern))
    if not separator or not isinstance(limit, Literal) or limit.value != "-1":
        raise refused(call, "splitting a text like this")
    return f"string_split({scope.text(value)}, {quoted_text(separator)})"


def _split_part(call: Call, scope: Scope) -> str:
    """A part counted from one, or from the end; an empty text where there is none."""
    value, separator, place = call.args
    _require(call, STRING, value)
    written = _written_text(call, separator)
    if not written or not isinstance(place, Literal) or place.dtype != INTEGER:
        raise refused(call, "splitting a text like this")
    if place.value is None or int(place.value) == 0:
        raise refused(call, "splitting a text like this")
    return f"split_part({scope.text(value)}, {quoted_text(written)}, {int(place.value)})"


def _instr(call: Call, scope: Scope) -> str:
    _require(call, STRING, *call.args)
    value, part = scope.texts(call.args)
    return f"CAST(instr({value}, {part}) AS INTEGER)"


def _locate(call: Call, scope: Scope) -> str:
    """The place of a text in another, looked for from a given place on."""
    part, value, start = call.args
    _require(call, STRING, part, value)
    first = _written_number(start)
    if first == 1:
        return f"CAST(instr({scope.text(value)}, {scope.text(part)}) AS INTEGER)"
    if not first or not _written_text(call, part):
        raise refused(call, "such a place")

    def write(text: str) -> str:
        found = f"instr(substring({text}, {first}), {scope.text(part)})"
        return f"CAST(CASE WHEN {found} > 0 THEN {found} + {first - 1} ELSE {found} END AS INTEGER)"

    return once((value,), scope, write)


def _padded(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        value, size, filling = call.args
        _require(call, STRING, value)
        _require(call, INTEGER, size)
        if not _written_text(call, filling):
            raise refused(call, "filling up with nothing")
        return f"{function}({', '.join(scope.texts((value, size, filling)))})"

    return form


def _repeat(call: Call, scope: Scope) -> str:
    value, times = call.args
    _require(call, STRING, value)
    _require(call, INTEGER, times)
    return f"repeat({scope.text(value)}, {scope.text(times)})"


def _replace(call: Call, scope: Scope) -> str:
    _require(call, STRING, *call.args)
    return f"replace({', '.join(scope.texts(call.args))})"


def _reversed(call: Call, scope: Scope) -> str:
    """From the end to the start; DuckDB keeps together what is seen as one character."""
    (value,) = call.args
    if isinstance(value.dtype, ArrayType):
        return f"list_reverse({scope.text(value)})"
    _require(call, STRING, value)
    return once(
        call.args,
        scope,
        lambda text: _unless(f"strlen({text}) <> length({text})", f"reverse({text})", "an order"),
    )


def _substring_index(call: Call, scope: Scope) -> str:
    """The text before a separator, counted from the start, or behind it, counted from the end."""
    value, separator, count = call.args
    _require(call, STRING, value)
    written = _written_text(call, separator)
    number = int(count.value or 0) if isinstance(count, Literal) and count.dtype == INTEGER else 0
    # Of a longer separator, Spark counts occurrences that overlap.
    if len(written) != 1 or not number:
        raise refused(call, "such a separator")
    mark = quoted_text(written)

    def write(text: str) -> str:
        parts = f"string_split({text}, {mark})"
        places = f"1, {number}"
        if number < 0:
            places = f"greatest(len({parts}) - {-number - 1}, 1), len({parts})"
        return f"array_to_string(list_slice({parts}, {places}), {mark})"

    return once((value,), scope, write)


def _translate(call: Call, scope: Scope) -> str:
    value, old, new = call.args
    _require(call, STRING, value)
    before, after = _written_text(call, old), _written_text(call, new)
    if len(set(before)) < len(before):
        raise refused(call, "a character that becomes several")
    return f"translate({scope.text(value)}, {quoted_text(before)}, {quoted_text(after)})"


def _number_of(form: str) -> Form:
    """A whole number that a function of DuckDB's gives for a text."""

    def write(call: Call, scope: Scope) -> str:
        (value,) = call.args
        _require(call, STRING, value)
        return f"CAST({form.format(scope.text(value))} AS INTEGER)"

    return write


def _digest(function: str) -> Form:
    def form(call: Call, scope: Scope) -> str:
        value, *bits = call.args
        _require(call, BINARY, value)
        if bits and _written_number(bits[0]) not in (0, 256):
            raise refused(call, "such a digest")
        return f"{function}({scope.text(value)})"

    return form


def _hex(call: Call, scope: Scope) -> str:
    (value,) = call.args
    if value.dtype not in (STRING, BINARY, BIGINT):
        raise refused(call, "the digits of such a value")
    return f"hex({scope.text(value)})"


def _base64(call: Call, scope: Scope) -> str:
    _require(call, BINARY, *call.args)
    return once(
        call.args,
        scope,
        lambda text: _unless(
            f"octet_length({text}) > {_MOST_BASE64}", f"base64({text})", "several lines"
        ),
    )


FORMS: Mapping[str, Form] = {
    "length": _length,
    "like": _like,
    "startswith": _text_test("starts_with"),
    "endswith": _text_test("ends_with"),
    "contains": _text_test("contains"),
    "substring": _substring,
    "concat": _concat,
    "concat_ws": _concat_ws,
    "upper": _cased("upper"),
    "lower": _cased("lower"),
    "trim": _trimmed("trim"),
    "ltrim": _trimmed("ltrim"),
    "rtrim": _trimmed("rtrim"),
    "split": _split,
    "split_part": _split_part,
    "instr": _instr,
    "locate": _locate,
    "lpad": _padded("lpad"),
    "rpad": _padded("rpad"),
    "repeat": _repeat,
    "replace": _replace,
    "reverse": _reversed,
    "substring_index": _substring_index,
    "translate": _translate,
    "ascii": _number_of("ascii({})"),
    "octet_length": _number_of("strlen({})"),
    "md5": _digest("md5"),
    "sha1": _digest("sha1"),
    "sha2": _digest("sha256"),
    "hex": _hex,
    "base64": _base64,
}
