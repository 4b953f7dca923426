"""Exact sums of floating-point numbers: the limbs they are kept in, and their Spark SQL.

A double is a sum of digits of 29 bits at fixed places, limbs. Sums of digits are whole numbers,
which are taken away again as exactly as they were added. Five limbs hold the numbers that most
data consist of: below 2^57 in size and multiples of 2^-87, the near ones. All others, among
them NaN and infinities, go to an array that has a place for each limb a double can have; it is
NULL for groups without such numbers.

    1.5 has the digits 0, 0, 2^28, 1, 0 in the limbs of 2^-87, 2^-58, 2^-29, 1 and 2^29.

A digit is below 2^29, so that a limb takes 2^34 of them. Functions use the texts they are given
several times: give column references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 29
"""Bits of a limb."""
BASE = 2.0**WIDTH
NEAR = 5
"""The number of limbs of near numbers."""
NEAR_PLACE = -3
"""The place of the first of them; the limb at place p counts multiples of 2^(29 p)."""
NEAR_PLACES = range(NEAR_PLACE, NEAR_PLACE + NEAR)
LARGEST_NEAR = 2.0**57
PRODUCT_PLACES = range(2 * NEAR_PLACE, 2 * NEAR_PLACE + 2 * NEAR)
"""The places of the limbs of products of near numbers."""
FIRST_PLACE, LAST_PLACE = -38, 35
"""The places of all limbs that a double can have."""
COUNTS = 3
"""Before its limbs the array has the numbers of NaN, infinity and minus infinity."""
LENGTH = COUNTS + LAST_PLACE - FIRST_PLACE + 1
WHOLE = 2.0**53
"""From here on every double is a whole number."""
NUMBER_PARTS = frozenset(
    (
        *("near_value", "near_product", "near_product_error"),
        *("far_value", "far_product", "far_product_error"),
    )
)
"""Functions that give 0 for numbers that are not near, or NULL for those that are not far."""
_MASK = 2**WIDTH - 1
_SPLITTER = 2.0**27 + 1
_LARGEST_SPLIT = 2.0**990
_LARGEST = 2.0**1023


@dataclass(frozen=True, slots=True)
class LimbTexts:
    """The text of a dialect for what both engines compute alike; `{}` stands for a value."""

    double: str
    """A constant."""
    truncated: str
    """A double without what is behind its point."""
    carry: str
    """The part of a limb that belongs into the next one."""
    digit: str
    """The part that stays: 29 bits, never negative."""

    def constant(self, value: float) -> str:
        """A constant double."""
        return self.double.format(value)

    def near(self, text: str) -> str:
        """The condition that a number is near; NULL or false for NULL."""
        whole = self._scaled(text, NEAR_PLACE)
        small = f"abs({text}) < {self.constant(LARGEST_NEAR)}"
        return f"({small} AND {self.truncated.format(whole)} = {whole})"

    def part(self, name: str, *texts: str) -> str:
        """The near or the far part of a number, or of the product of two: see `NUMBER_PARTS`."""
        near = f"({' AND '.join(self.near(text) for text in texts)})"
        value = texts[0] if len(texts) == 1 else f"({texts[0]} * {texts[1]})"
        if name == "near_product_error":
            value = self.product_error(*texts)
        if name == "far_product_error":
            value = self.far_product_error(*texts)
        if name.startswith("near"):
            return f"(CASE WHEN {near} THEN {value} ELSE {self.constant(0.0)} END)"
        return f"(CASE WHEN NOT {near} THEN {value} END)"

    def product_error(self, left: str, right: str) -> str:
        """The product of two doubles less the double nearest to it, exactly.

        Each is split into halves of 26 bits, whose products are doubles.
        """
        one, other = self._upper(left), self._upper(right)
        rest, last = f"({left} - {one})", f"({right} - {other})"
        error = f"({one} * {other} - {left} * {right})"
        return f"((({error} + {one} * {last}) + {rest} * {other}) + {rest} * {last})"

    def _upper(self, text: str) -> str:
        wide = f"({self.constant(_SPLITTER)} * {text})"
        return f"({wide} - ({wide} - {text}))"

    def far_product_error(self, left: str, right: str) -> str:
        """The same of far numbers; 0 where the product or a half is no finite double."""
        most = self.constant(_LARGEST_SPLIT)
        split = f"abs({left}) < {most} AND abs({right}) < {most}"
        finite = f"abs({left} * {right}) < {self.constant(_LARGEST)}"
        error = self.product_error(left, right)
        return f"CASE WHEN {split} AND {finite} THEN {error} ELSE {self.constant(0.0)} END"

    def near_digit(self, text: str, place: int, highest: int) -> str:
        """The digit that a number has in the limb at a place, with the number's sign.

        It has none beyond the highest place, and none below the least of near numbers or products.
        """
        digit = self.truncated.format(self._scaled(text, place))
        if place < highest:
            above = self.truncated.format(self._scaled(text, place + 1))
            digit = f"({digit} - {above} * {self.constant(BASE)})"
        return f"CAST({digit} AS BIGINT)"

    def near_sum(self, limbs: Sequence[str]) -> str:
        """The double next to what the limbs of near numbers add up to.

        What exceeds a limb is carried upwards. Then no limb but the highest is below zero or has
        more than 29 bits, and adding from the highest on loses no more than the last bits.
        """
        totals = [limbs[0]]
        for limb in limbs[1:]:
            totals.append(f"({limb} + {self.carry.format(totals[-1])})")
        value = f"CAST({totals[-1]} AS DOUBLE)"
        for total in reversed(totals[:-1]):
            digit = f"CAST({self.digit.format(total)} AS DOUBLE)"
            value = f"({value} * {self.constant(BASE)} + {digit})"
        return f"({value} * {self.constant(unit(NEAR_PLACE))})"

    def _scaled(self, text: str, place: int) -> str:
        return f"({text} * {self.constant(1 / unit(place))})"


def unit(place: int) -> float:
    """The value of one in the limb at a place.

    >>> unit(1) == 2.0**29
    True
    """
    return 2.0 ** (WIDTH * place)


SPARK = LimbTexts(
    double="{!r}D",
    truncated=f"(CASE WHEN abs({{0}}) < {WHOLE!r}D THEN CAST(CAST({{0}} AS BIGINT) AS DOUBLE) "
    "ELSE {0} END)",
    carry=f"shiftright({{}}, {WIDTH})",
    digit=f"({{}} & {_MASK}L)",
)


def spark_far_limbs(terms: str) -> str:
    """The array of far numbers, of an aggregate that lists them and their weights as x and w."""
    tests = ("isnan(v.x)", "v.x = double('Infinity')", "v.x = double('-Infinity')")
    totals = (_spark_total("t", f"CASE WHEN {test} THEN v.w ELSE 0L END") for test in tests)
    counts = ", ".join(totals)
    limbs = _spark_far_limb("t", "p")
    places = f"transform(sequence({FIRST_PLACE}, {LAST_PLACE}), p -> {limbs})"
    array = _spark_unless_zero(f"concat(array({counts}), {places})")
    return spark_let("t", terms, f"CASE WHEN size(t) > 0 THEN {array} END")


def spark_add_limbs(one: str, other: str) -> str:
    """The sum of two such arrays; NULL if nothing is left."""
    total = _spark_unless_zero(f"zip_with({one}, {other}, (a, b) -> a + b)")
    return f"CASE WHEN {one} IS NULL THEN {other} WHEN {other} IS NULL THEN {one} ELSE {total} END"


def spark_limbs_value(far: str, limbs: Sequence[str]) -> str:
    """The double next to what the limbs of near and far numbers add up to."""
    nan, plus, minus = (f"get({far}, {n}) > 0L" for n in range(COUNTS))
    return (
        f"CASE WHEN {far} IS NULL THEN {SPARK.near_sum(limbs)} "
        f"WHEN {nan} OR ({plus} AND {minus}) THEN double('NaN') "
        f"WHEN {plus} THEN double('Infinity') WHEN {minus} THEN double('-Infinity') "
        f"ELSE {_spark_far_sum(far, limbs)} END"
    )


def _spark_far_sum(far: str, limbs: Sequence[str]) -> str:
    """The sum of near limbs; digits behind the first 53 bits are left out."""
    return spark_rounded(spark_totals((far,), limbs, NEAR_PLACES), LAST_PLACE + 1)


def spark_totals(far: Sequence[str], limbs: Sequence[str], places: range) -> str:
    """All limbs of doubles as one array: those of far numbers and, at their places, near ones."""
    near = " ".join(
        f"WHEN {place - FIRST_PLACE} THEN {limb}" for place, limb in zip(places, limbs, strict=True)
    )
    parts = " + ".join(f"coalesce(get({each}, p + {COUNTS}), 0L)" for each in far)
    number = f"{parts} + CASE p {near} ELSE 0L END"
    return f"transform(sequence(0, {LENGTH - COUNTS - 1}), p -> {number})"


def spark_carried(totals: str) -> str:
    """Limbs as a struct: d, their digits, the highest first, and c, which is carried beyond."""
    return (
        f"aggregate({totals}, named_struct('c', 0L, 'd', CAST(array() AS ARRAY<BIGINT>)), "
        f"(s, v) -> named_struct('c', {SPARK.carry.format('(s.c + v)')}, "
        f"'d', concat(array({SPARK.digit.format('(s.c + v)')}), s.d)))"
    )


def spark_rounded(totals: str, beyond: int) -> str:
    """The double next to what limbs add up to; `beyond` is the place above the highest."""
    added = (
        f"aggregate(n.d, named_struct('h', CAST(n.c AS DOUBLE), 'p', {beyond}), "
        f"(s, v) -> CASE WHEN abs(s.h) < {SPARK.constant(WHOLE)} THEN named_struct("
        f"'h', s.h * {SPARK.constant(BASE)} + CAST(v AS DOUBLE), 'p', s.p - 1) ELSE s END, "
        f"s -> {_spark_shifted('s.h', f'{WIDTH} * s.p')})"
    )
    return spark_let("n", spark_carried(totals), added)


def _spark_far_limb(terms: str, place: str) -> str:
    """The limb at a place; few of all numbers have a digit there, which two comparisons tell."""
    digit = SPARK.truncated.format(_spark_shifted("v.x", f"-{WIDTH} * {place}"))
    above = SPARK.truncated.format(_spark_shifted("v.x", f"-{WIDTH} * ({place} + 1)"))
    digits = f"v.w * CAST({digit} - {above} * {SPARK.constant(BASE)} AS BIGINT)"
    # NaN, which is the largest of all, and infinity have no digits.
    none = "abs(v.x) >= l[1] OR abs(v.x) < l[0]"
    total = _spark_total(terms, f"CASE WHEN {none} THEN 0L ELSE {digits} END")
    lowest, beyond = f"{WIDTH} * {place}", f"{WIDTH} * {place} + {WIDTH + 53}"
    limits = f"array(power(2D, {lowest}), power(2D, {beyond}))"
    return spark_let("l", limits, total)


def _spark_shifted(text: str, bits: str) -> str:
    """A double times a power of two, in two steps: the power itself may be no double."""
    half = f"(({bits}) DIV 2)"
    return f"({text} * power(2D, {half}) * power(2D, ({bits}) - {half}))"


def _spark_total(terms: str, term: str) -> str:
    return f"aggregate({terms}, 0L, (s, v) -> s + {term})"


def _spark_unless_zero(array: str) -> str:
    return spark_let("z", array, "CASE WHEN exists(z, e -> e <> 0L) THEN z END")


def spark_let(name: str, value: str, body: str) -> str:
    """A body in which a name stands for a value that is computed once."""
    return f"get(transform(array({value}), {name} -> {body}), 0)"
