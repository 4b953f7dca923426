from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import MatrixError, SingularMatrixError
from slackwater.linalg.backend import Backend, Scope
from slackwater.linalg.build import added, identity, product, scaled, transposed
from slackwater.linalg.dims import shape
from slackwater.linalg.local.invert import invert
from slackwater.linalg.local.local_backend import LocalBackend
from slackwater.linalg.local.multiply import add_product, multiply
from slackwater.linalg.matrix_nodes import Inverse, Ref, RowScale
from slackwater.linalg.operations import operations

from .samples import Array, contraction, distance, well_conditioned

N = shape("n", "n")
A, B = Ref("A", N), Ref("B", N)
SIZES = {"n": 40}


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(2)


@pytest.fixture
def backend(random: np.random.Generator) -> LocalBackend:
    made = LocalBackend()
    made.store("A", random.standard_normal((40, 40)))
    made.store("B", random.standard_normal((40, 40)))
    return made


def test_it_is_a_backend(backend: LocalBackend) -> None:
    held: Backend = backend
    assert held.fetch("A").shape == (40, 40)


@pytest.mark.parametrize("rank", [1, 2, 3, 8])
@pytest.mark.parametrize("used", [1, 3, 40])
def test_products_with_few_rows_in_use_are_exact(
    random: np.random.Generator, rank: int, used: int
) -> None:
    wide, thin = random.standard_normal((40, 40)), np.zeros((40, rank))
    rows = random.choice(40, used, replace=False)
    thin[rows] = random.standard_normal((used, rank))
    for matrix in (wide, wide.T):
        made, flops = multiply(matrix, thin)
        assert distance(made, matrix @ thin) < 1e-14
        assert flops == 2 * 40 * rank * (used if used <= 5 else 40)
        turned, _ = multiply(thin.T, matrix)
        assert distance(turned, thin.T @ matrix) < 1e-14


@pytest.mark.parametrize("rank", [1, 2, 8])
@pytest.mark.parametrize("side", ["left", "right", "neither"])
def test_sums_in_place_are_exact(random: np.random.Generator, rank: int, side: str) -> None:
    matrix = random.standard_normal((30, 50))
    left, right = random.standard_normal((30, rank)), random.standard_normal((50, rank))
    if side == "left":
        left[3:] = 0
    if side == "right":
        right[3:] = 0
    wanted = matrix + left @ right.T
    flops = add_product(matrix, left, right)
    assert distance(matrix, wanted) < 1e-15
    assert flops == 2 * rank * {"left": 3 * 50, "right": 30 * 3, "neither": 30 * 50}[side]


def test_counted_operations_are_those_that_sizes_foretell(
    backend: LocalBackend, random: np.random.Generator
) -> None:
    thin = Ref("u", shape("n", 2))
    factors = {"u": random.standard_normal((40, 2)), "w": random.standard_normal((40, 1))}
    weighed = RowScale(Ref("w", shape("n", 1)), product(A, thin))
    spread = added(product(transposed(A), A), scaled(40.0, identity("n")))
    cases = (
        product(A, product(B, thin)),
        added(product(A, B), identity("n")),
        weighed,
        product(transposed(A), A),
        Inverse(A),
        Inverse(spread),
        scaled(-2.0, added(A, B)),
    )
    for expr in cases:
        backend.take_flops()
        backend.compute(expr, Scope(factors, SIZES))
        assert backend.take_flops() == sum(each.flops for each in operations(expr, SIZES))


def test_kept_matrices_share_no_memory(backend: LocalBackend) -> None:
    backend.assign("C", transposed(A), Scope({}, SIZES))
    backend.assign("D", A, Scope({}, SIZES))
    before = np.array(backend.fetch("A"))
    ones = np.ones((40, 1))
    backend.add("C", ones, ones)
    backend.add("D", np.ones((40, 40)), None)
    assert (backend.fetch("A") == before).all()


def test_what_is_fetched_cannot_be_written_to(backend: LocalBackend) -> None:
    with pytest.raises(ValueError, match="read-only"):
        backend.fetch("A")[0, 0] = 1.0


def test_a_failed_transaction_leaves_every_bit_as_it_was(backend: LocalBackend) -> None:
    backend.store("R", np.arange(6.0).reshape(3, 2))
    before = {name: np.array(backend.fetch(name)) for name in ("A", "B", "R")}
    ones = np.ones((40, 1))

    def spoil() -> None:
        with backend.transaction():
            backend.add("A", ones, ones)
            backend.add("A", ones, ones)
            backend.append("R", np.ones((4, 2)))
            backend.assign("B", product(A, A), Scope({}, SIZES))
            backend.assign("C", product(A, A), Scope({}, SIZES))
            backend.drop("R")
            raise SingularMatrixError("no")

    with pytest.raises(SingularMatrixError):
        spoil()
    for name, value in before.items():
        assert (backend.fetch(name) == value).all()
    with pytest.raises(MatrixError, match="no value is kept of C"):
        backend.fetch("C")
    with backend.transaction():
        backend.add("A", ones, ones)
    assert (backend.fetch("A") == before["A"] + 1).all()


def test_rows_are_appended_in_order(backend: LocalBackend, random: np.random.Generator) -> None:
    rows = random.standard_normal((100, 3))
    backend.store("R", rows[:1])
    for start in range(1, 100, 9):
        backend.append("R", rows[start : start + 9])
    assert (backend.fetch("R") == rows).all()


# Inverses -----------------------------------------------------------------------------------


def symmetric(random: np.random.Generator, *, definite: bool) -> Array:
    square = contraction(random, 300)
    return square @ square.T + np.eye(300) if definite else square + square.T + np.eye(300)


@pytest.mark.parametrize("definite", [True, False])
def test_symmetric_matrices_are_inverted(random: np.random.Generator, definite: bool) -> None:
    matrix = symmetric(random, definite=definite)
    made, flops = invert(matrix, symmetric=True)
    assert np.linalg.norm(matrix @ made - np.eye(300)) < 1e-13 * np.linalg.cond(matrix)
    assert flops == 300**3 * (1 if definite else 2)
    if definite:
        assert (made == made.T).all()


def test_an_inverse_leaves_its_matrix_alone(random: np.random.Generator) -> None:
    matrix = well_conditioned(random, 50)
    before = matrix.copy()
    made, _ = invert(matrix, symmetric=False)
    invert(matrix @ matrix.T, symmetric=True)
    assert (matrix == before).all()
    assert distance(made @ matrix, np.eye(50)) < 1e-12


@pytest.mark.parametrize("is_symmetric", [True, False])
def test_a_matrix_without_a_usable_inverse_is_refused(
    random: np.random.Generator, is_symmetric: bool
) -> None:
    thin = random.standard_normal((20, 5))
    with pytest.raises(SingularMatrixError, match="no usable inverse"):
        invert(thin @ thin.T, symmetric=is_symmetric)
    with pytest.raises(SingularMatrixError):
        invert(np.zeros((3, 3)), symmetric=is_symmetric)
