"""What the driver's engine cannot hold or do is handed on, and nothing is left open."""

from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.runtime.local.engine import LocalEngine
from slackwater.runtime.local.statements import translate_statement
from slackwater.runtime.local.types import NotLocalError
from slackwater.types import BIGINT, STRING


def test_a_join_beyond_all_bounds_is_left_to_spark() -> None:
    rows = pa.table({"k0": pa.array(["x" * 2000] * 3000)})
    text = "SELECT a, max(b) AS b FROM (SELECT k0 AS a FROM t) CROSS JOIN (SELECT k0 AS b FROM t) "
    statement = translate_statement(text + "GROUP BY a", {"t": {"k0": STRING}})
    engine = LocalEngine(memory="3MB")
    with pytest.raises(NotLocalError, match=r"(?i)memory"):
        engine.execute(statement, {"t": rows})
    engine.close()


def test_the_same_text_over_other_types_is_another_statement() -> None:
    text = "SELECT xxhash64(k0) AS _h FROM t"
    long = translate_statement(text, {"t": {"k0": BIGINT}})
    word = translate_statement(text, {"t": {"k0": STRING}})
    assert long.sql != word.sql


def test_a_table_may_come_again_with_other_columns() -> None:
    engine = LocalEngine()
    for name, dtype, value in (("k0", BIGINT, 1), ("k1", STRING, "x")):
        statement = translate_statement(f"SELECT DISTINCT {name} FROM t", {"t": {name: dtype}})
        found = engine.execute(statement, {"t": pa.table({name: [value]})})
        assert found.to_pylist() == [{name: value}]
    engine.close()
