from __future__ import annotations

import pytest

from slackwater.errors import MatrixError
from slackwater.linalg.models import Exponential, Linear, Model, Skip, jumps


@pytest.mark.parametrize(
    ("count", "model", "targets"),
    [
        (1, Linear(), []),
        (5, Linear(), [2, 3, 4, 5]),
        (16, Exponential(), [2, 4, 8, 16]),
        (13, Exponential(), [2, 3, 6, 12, 13]),
        (16, Skip(4), [2, 4, 8, 12, 16]),
        (14, Skip(4), [2, 4, 8, 12, 13, 14]),
        (7, Skip(3), [2, 3, 6, 7]),
    ],
)
def test_jumps_lead_to_the_count(count: int, model: Model, targets: list[int]) -> None:
    found = jumps(count, model)
    assert [jump.target for jump in found] == targets
    places = [1, *targets]
    assert [jump.origin for jump in found] == places[:-1]


@pytest.mark.parametrize("count", range(1, 40))
def test_skip_is_linear_at_one_and_exponential_at_the_count(count: int) -> None:
    assert jumps(count, Skip(1)) == jumps(count, Linear())
    assert jumps(count, Skip(count)) == jumps(count, Exponential())


def test_a_jump_of_nothing_is_refused() -> None:
    with pytest.raises(MatrixError, match="never arrives"):
        Skip(0)
