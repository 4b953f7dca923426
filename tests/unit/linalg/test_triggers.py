"""Compiled triggers as text: each case file shows a program and what becomes of it.

`SLACKWATER_REGENERATE=1 make test` writes the files anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from slackwater.frontend.linalg.text import parse_program
from slackwater.linalg.delta_forms import Form, Options, collapse_wide
from slackwater.linalg.dims import Dim
from slackwater.linalg.matrix_program import Statement
from slackwater.linalg.normal_form import normalize
from slackwater.linalg.trigger_compiler import compile_program, find_trigger
from slackwater.linalg.trigger_text import print_compiled, print_trigger

CASES = sorted((Path(__file__).parent / "triggers").glob("*.txt"))
COMPILED = "\n---- compiled\n"


def options_of(text: str) -> Options:
    sizes = re.findall(r"(\w+)=(\d+)", text.splitlines()[0])
    hybrid = text.startswith("% hybrid")
    return Options(collapse_wide({n: int(size) for n, size in sizes})) if hybrid else Options()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_compiled_text(path: Path) -> None:
    content = path.read_text(encoding="utf-8")
    text = content.split(COMPILED, 1)[0]
    compiled = compile_program(normalize(parse_program(text)), options_of(text))
    made = f"{text.rstrip()}\n{COMPILED}{print_compiled(compiled)}"
    if os.environ.get("SLACKWATER_REGENERATE"):
        path.write_text(made, encoding="utf-8")
    assert content == made


def ranks_of(text: str) -> list[str]:
    compiled = compile_program(normalize(parse_program(text)))
    return [str(rank) for rank in compiled.triggers[0].ranks.values()]


def test_rank_doubles_with_each_product_and_does_not_triple() -> None:
    text = "input A(n, n); B := A * A; C := B * B; D := C * C;"
    assert ranks_of(text) == ["r_A", "2*r_A", "4*r_A", "8*r_A"]


def test_rank_grows_by_one_with_each_linear_step() -> None:
    assert ranks_of("input A(n, n); P := powers(A, 5, linear);") == [
        "r_A",
        *(f"{k}*r_A" for k in range(2, 6)),
    ]


def test_rank_of_a_power_sum_is_one_less_than_its_terms() -> None:
    assert ranks_of("input A(n, n); S := power_sum(A, 16, exponential);")[-1] == "15*r_A"


def test_terms_with_a_common_factor_are_one() -> None:
    text = "input A(n, n); input B(n, n); C := A * B + A; D := B * A + A + 2 * A;"
    compiled = compile_program(normalize(parse_program(text)))
    assert {str(each) for each in compiled.triggers[0].ranks.values()} == {"r_A"}


def test_any_group_of_inputs_has_a_trigger() -> None:
    text = "input A(n, n); input B(n, n); input C(n, n); D := A * B * C;"
    compiled = compile_program(normalize(parse_program(text)))
    assert compiled.trigger(frozenset("AB")) is None
    found = find_trigger(compiled, frozenset("AB"), Options())
    assert found.event.names == {"A", "B"}
    assert str(found.ranks["D"]) == "r_A+r_B"


def test_matrices_that_no_trigger_reads_are_not_kept() -> None:
    text = "input A(n, n); Z := A * A'; W := inv(Z); b := W * A; output b;"
    compiled = compile_program(normalize(parse_program(text)))
    assert compiled.kept == {"W", "b"}
    assert "Z +=" not in print_compiled(compiled)


def test_a_compressed_delta_has_a_rank_of_its_own() -> None:
    def policy(statement: Statement, _rank: Dim) -> Form:
        return Form.COMPRESSED if statement.name == "B" else Form.FACTORED

    program = normalize(parse_program("input A(n, n); B := A * A; C := B * B;"))
    compiled = compile_program(program, Options(policy))
    text = print_trigger(compiled.triggers[0])
    assert "(Uc_B, Vc_B) := compress(U_B, V_B);" in text
    assert "C += U_C * V_C';  % rank 2*r_B" in text
