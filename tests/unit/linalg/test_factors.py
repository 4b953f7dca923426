from __future__ import annotations

import numpy as np
import pytest

from slackwater.linalg.factor_batches import consolidate_rows, fewer_columns
from slackwater.linalg.factors import compress, guarded_inverse, merge_rows
from slackwater.linalg.speed import MatrixPrices

from .samples import Array, distance


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(4)


def low_rank(random: np.random.Generator, rank: int, columns: int) -> tuple[Array, Array]:
    mix = random.standard_normal((rank, columns))
    return random.standard_normal((30, rank)) @ mix, random.standard_normal((20, columns))


@pytest.mark.parametrize("rank", [1, 3, 7])
def test_compression_finds_the_true_rank(random: np.random.Generator, rank: int) -> None:
    left, right = low_rank(random, rank, 7)
    made = compress(left, right)
    assert made[0].shape == (30, rank)
    assert distance(made[0] @ made[1].T, left @ right.T) < 1e-13


def test_compression_of_factors_wider_than_the_matrix(random: np.random.Generator) -> None:
    left, right = random.standard_normal((4, 9)), random.standard_normal((6, 9))
    made = compress(left, right)
    assert made[0].shape == (4, 4)
    assert distance(made[0] @ made[1].T, left @ right.T) < 1e-13


def test_nothing_compresses_to_one_column() -> None:
    left, right = compress(np.zeros((3, 2)), np.ones((4, 2)))
    assert left.shape == (3, 1)
    assert not (left @ right.T).any()


def test_merging_keeps_columns_that_touch_many_rows(random: np.random.Generator) -> None:
    left, right = np.zeros((8, 5)), random.standard_normal((6, 5))
    left[[1, 3, 1], [0, 1, 2]] = [1.0, 2.0, -3.0]
    left[:, 3] = random.standard_normal(8)
    left[7, 4] = 1.0
    made = merge_rows(left, right)
    assert made[0].shape == (8, 4)
    assert distance(made[0] @ made[1].T, left @ right.T) < 1e-14


def test_compression_is_not_tried_where_it_costs_too_much(random: np.random.Generator) -> None:
    left, right = low_rank(random, 1, 4)
    assert fewer_columns((left, right), lambda _: 1e-9, MatrixPrices())[0].shape == (30, 4)
    assert fewer_columns((left, right), lambda _: 1.0, MatrixPrices())[0].shape == (30, 1)


def test_a_guard_refuses_by_distance_and_by_lost_digits() -> None:
    assert guarded_inverse(np.array([[1e-9]])) is None
    assert guarded_inverse(np.eye(2) - np.ones((2, 2)) / 2) is None
    large = np.diag([1e12, 1.0])
    assert guarded_inverse(large) is None
    made = guarded_inverse(np.array([[2.0, 1.0], [0.0, 0.5]]))
    assert made is not None
    assert distance(made @ np.array([[2.0, 1.0], [0.0, 0.5]]), np.eye(2)) < 1e-15


def test_a_bag_is_consolidated_over_all_its_inputs() -> None:
    x = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    y = np.array([[5.0], [6.0], [7.0], [5.0]])
    (rows, others), weights = consolidate_rows([x, y], np.array([[1.0], [1.0], [2.0], [-1.0]]))
    assert rows.tolist() == [[1, 2], [3, 4]]
    assert others.tolist() == [[6], [7]]
    assert weights.tolist() == [[1], [2]]
