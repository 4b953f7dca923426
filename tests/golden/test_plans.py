"""Plans and statements as text: each case file shows a query, our plan of it and what Spark runs.

`SLACKWATER_REGENERATE=1 make test` writes the files anew; read the difference before you
commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from slackwater.algebra.plan_printer import print_plan
from slackwater.catalog import TableDefinition
from slackwater.compiler.batch import compile_batch
from slackwater.frontend.sql.planner import Planner
from slackwater.types import parse_spark_type

CASES = sorted((Path(__file__).parent / "plans").glob("*.txt"))
PLAN, STATEMENT = "\n---- plan\n", "\n---- statement\n"
TABLES = {
    "orders": "id BIGINT NOT NULL, customer BIGINT, total DECIMAL(10,2), day DATE, note STRING",
    "customers": "id BIGINT NOT NULL, name STRING, country STRING",
    "events": "id INT, tags ARRAY<STRING>, at TIMESTAMP",
}


@pytest.fixture(scope="module")
def planner(spark: SparkSession) -> Planner:
    def definition(name: str, ddl: str) -> TableDefinition:
        text = StructType.fromDDL(ddl).json()
        return TableDefinition(name, parse_spark_type(json.loads(text)), text)

    return Planner(spark, [definition(name, ddl) for name, ddl in TABLES.items()])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_plan_text(path: Path, planner: Planner) -> None:
    content = path.read_text()
    sql = content.split(PLAN, 1)[0]
    query = planner.plan_sql(sql)
    statement = compile_batch(query.rel, query.names).sql
    made = f"{sql.rstrip()}\n{PLAN}{print_plan(query.rel)}\n{STATEMENT}{statement}\n"
    if os.environ.get("SLACKWATER_REGENERATE"):
        path.write_text(made)
    assert content == made
