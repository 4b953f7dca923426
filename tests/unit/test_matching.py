from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from slackwater.reading.close_vectors import is_close, unmatched

TOLERANCES = (1e-9, 1e-9)


def test_equal_vectors_pair_with_their_multiplicities() -> None:
    assert unmatched([(1.0,), (1.0,), (2.0,)], [(1.0,), (2.0,)], (1e-9,)) == ([1], [])


def test_rows_without_floats_are_counted() -> None:
    assert unmatched([(), ()], [()], ()) == ([1], [])


def test_noise_in_one_component_does_not_reorder_the_other() -> None:
    left = [(1.0, 5.0), (1.0 + 1e-13, 3.0)]
    right = [(1.0 + 1e-13, 5.0), (1.0, 3.0)]
    assert unmatched(left, right, TOLERANCES) == ([], [])


def test_a_greedy_choice_is_taken_back() -> None:
    """The middle value suits both; only one of the two pairings covers everything."""
    left = [(1.0,), (1.0 + 0.9e-9,)]
    right = [(1.0 + 0.8e-9,), (1.0 - 0.9e-9,)]
    assert unmatched(left, right, (1e-9,)) == ([], [])


def test_zero_is_close_to_zero_only() -> None:
    assert unmatched([(0.0,)], [(1e-300,)], (1e-9,)) == ([0], [0])


def test_many_close_vectors_do_not_take_long() -> None:
    noise = random.Random(7)
    left = [(1.0 + noise.uniform(-1e-12, 1e-12), 0.5) for _ in range(3000)]
    right = [(1.0 + noise.uniform(-1e-12, 1e-12), 0.5) for _ in range(2999)]
    alone, missing = unmatched(left, right, TOLERANCES)
    assert (len(alone), len(missing)) == (1, 0)


VECTORS = st.lists(st.tuples(st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -2.5])), max_size=12)


@given(VECTORS, st.randoms(use_true_random=False))
def test_shuffled_and_shaken_vectors_always_match(
    vectors: list[tuple[float, float]], noise: random.Random
) -> None:
    shaken = [tuple(value * (1 + noise.uniform(-4e-10, 4e-10)) for value in v) for v in vectors]
    noise.shuffle(shaken)
    assert unmatched(vectors, shaken, TOLERANCES) == ([], [])


@given(VECTORS, VECTORS)
def test_what_is_left_over_is_close_to_nothing_left_over(
    left: list[tuple[float, float]], right: list[tuple[float, float]]
) -> None:
    alone, missing = unmatched(left, right, TOLERANCES)
    assert len(left) - len(alone) == len(right) - len(missing)
    assert not any(is_close(left[i], right[j], TOLERANCES) for i in alone for j in missing)
