from __future__ import annotations

import pytest

from slackwater.errors import MatrixError
from slackwater.linalg.dims import Dim, dim, shape


def test_sizes_add_up_and_print_names_first() -> None:
    size = dim("n") + dim(2) + dim("n") + dim("a")
    assert str(size) == "a+2*n+2"
    assert size.value({"n": 10, "a": 1}) == 23
    assert str(size.bind({"n": 10})) == "a+22"


def test_equal_sizes_are_equal_however_they_were_added() -> None:
    assert dim("n") + dim("m") == dim("m") + dim("n")
    assert dim("n") + dim(1) != dim("n")


def test_one_name_alone_is_a_symbol() -> None:
    assert dim("n").symbol == "n"
    assert (dim("n") + dim("n")).symbol is None
    assert (dim("n") + dim(1)).symbol is None


@pytest.mark.parametrize("wrong", [0, -3, "", "2n", "a b"])
def test_nonsense_is_no_size(wrong: int | str) -> None:
    with pytest.raises(MatrixError):
        dim(wrong)


def test_a_size_has_no_negative_part() -> None:
    with pytest.raises(MatrixError, match="negative"):
        Dim(3, (("n", -1),))


def test_a_missing_number_is_named() -> None:
    with pytest.raises(MatrixError, match="size p") as error:
        shape("n", "p").value({"n": 3})
    assert error.value.hint == "Bind it, for example program.bind({'p': 1000})."
