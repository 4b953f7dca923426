"""Estimates how many values differ, from the registers of a HyperLogLog++ sketch, as Spark does.

The first bits of a value's hash name one of 2^p registers. A register remembers the fewest binary
digits that the rest of a hash has had, 64 - p bits: the more values, the smaller the least rest.
Spark's register holds a rank instead, 65 - p less those digits, and its estimate needs no more than

    z = sum over registers of 2^-rank     what an empty register adds is 1
    e = alpha m^2 / z                     m registers; corrected by what such estimates are off

Few values are estimated by the number of empty registers instead. The sum of 2^digits over all
registers is a whole number, which gives z without rounding unless a rank exceeds 53 - p; one value
in 2^(53 - p) has such a rank, and then z may differ from Spark's in its last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.expr.nodes import AggregateCall

LEAST_PRECISION, MOST_PRECISION = 4, 18
"""Spark corrects estimates of sketches with so many address bits."""
_FEWEST = (10, 20, 40, 80, 220, 400, 900, 1800, 3100, 6500, 15500, 20000, 50000, 120000, 350000)
"""Up to here empty registers are counted, by precision."""
_ALPHA = {4: 0.673, 5: 0.697, 6: 0.709}
_LARGE = 5.0
"""Estimates of so many values a register are not corrected."""
_SMALL = 2.5
"""Estimates of fewer values a register are never taken."""
_HASH_BITS = 64


@dataclass(frozen=True, slots=True)
class Sketch:
    """The size of a sketch, and by how much its estimates are off: bias n up to bound n."""

    precision: int
    bounds: tuple[float, ...]
    biases: tuple[float, ...]

    def __post_init__(self) -> None:
        """There is a bias before, between and behind the bounds."""
        if not LEAST_PRECISION <= self.precision <= MOST_PRECISION:
            raise ValueError(f"a sketch with {self.precision} address bits")
        if len(self.biases) != len(self.bounds) + 1 or list(self.bounds) != sorted(self.bounds):
            raise ValueError("bounds that do not part the biases")

    @classmethod
    def of(cls, params: tuple[str, ...]) -> Sketch:
        """The sketch that `params` describes.

        >>> Sketch.of(Sketch(4, (11.5,), (10.0, 9.25)).params)
        Sketch(precision=4, bounds=(11.5,), biases=(10.0, 9.25))
        """
        precision, bounds, biases = params
        return cls(int(precision), _numbers(bounds), _numbers(biases))

    @property
    def params(self) -> tuple[str, ...]:
        """The sketch as parameters of a call."""
        lists = (" ".join(map(repr, each)) for each in (self.bounds, self.biases))
        return (str(self.precision), *lists)

    @property
    def registers(self) -> int:
        """The number of registers."""
        return 1 << self.precision

    @property
    def address_shift(self) -> int:
        """The bits by which a hash is shifted to the right to name its register."""
        return _HASH_BITS - self.precision

    @property
    def rest_mask(self) -> int:
        """The bits of a hash that do not name its register."""
        return (1 << self.address_shift) - 1

    @property
    def empty_digits(self) -> int:
        """The digits that an empty register stands for."""
        return self.address_shift + 1

    @property
    def constant(self) -> float:
        """The constant that estimates are multiples of: alpha m^2."""
        size = self.registers
        alpha = _ALPHA.get(self.precision, 0.7213 / (1.0 + 1.079 / size))
        return alpha * size * size

    @property
    def fewest(self) -> float:
        """Up to here empty registers are counted."""
        return float(_FEWEST[self.precision - LEAST_PRECISION])


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


def sketch_of(call: AggregateCall) -> Sketch | None:
    """The sketch that a call of approx_count_distinct makes, if the front end knows it."""
    _, *described = call.params
    return Sketch.of(tuple(described)) if described else None


@dataclass(frozen=True, slots=True)
class EstimateTexts:
    """The text of an estimate in a dialect; `{}` stands for values."""

    double: str
    """A constant."""
    array: str
    """An array of constants."""
    counted: str
    """The number of elements of an array for which a condition on `bound` holds."""
    element: str
    """An element of an array, counted from zero."""
    bound: str
    """The value of a text in which `found` stands for a struct of three fields."""

    def estimate(self, sketch: Sketch, total: str, registers: str) -> str:
        """The number of different values, from the sum of 2^digits and the registers in use.

        The sum is a DOUBLE, as far as it fits one, and must not be NULL.
        """
        empty = f"({sketch.registers} - {registers})"
        share = self.double.format(0.5**sketch.empty_digits)
        inverse = f"(CAST({empty} AS DOUBLE) + {total} * {share})"
        raw = f"({self.double.format(sketch.constant)} / {inverse})"
        size = self.double.format(float(sketch.registers))
        counted = f"({size} * ln({size} / CAST(nullif({empty}, 0) AS DOUBLE)))"
        found = self.bound.format(raw, counted, self._chosen(sketch))
        return f"CAST(floor({found} + {self.double.format(0.5)}) AS BIGINT)"

    def _chosen(self, sketch: Sketch) -> str:
        """The count by empty registers, the corrected or the raw estimate."""
        few = f"found.counted <= {self.double.format(sketch.fewest)}"
        small = f"found.raw <= {self.double.format(_SMALL * sketch.registers)}"
        large = f"found.raw >= {self.double.format(_LARGE * sketch.registers)}"
        place = self.counted.format(self._array(sketch.bounds), "bound <= found.raw")
        bias = self.element.format(self._array(sketch.biases), place)
        counts = f"WHEN found.counted IS NOT NULL AND ({few} OR {small}) THEN found.counted"
        return f"CASE {counts} WHEN {large} THEN found.raw ELSE found.raw - {bias} END"

    def _array(self, values: tuple[float, ...]) -> str:
        return self.array.format(", ".join(map(self.double.format, values)))


SPARK = EstimateTexts(
    double="{!r}D",
    array="array({})",
    counted="size(filter({}, bound -> {}))",
    element="{}[{}]",
    bound="transform(array(named_struct('raw', {}, 'counted', {})), found -> {})[0]",
)
