"""Writes the plans of the TPC-H queries that golden programs are made of; needs Spark.

Run it from the project's folder, and read the difference before you commit it:

    .venv/bin/python tools/write_golden_plans.py
"""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql.pandas.types import from_arrow_schema

from slackwater.algebra.serial import dump_plan
from slackwater.catalog import TableDefinition
from slackwater.frontend.sql.planner import Planner
from slackwater.spark.session import open_spark
from slackwater.types import StructType, parse_spark_type
from slackwater.workloads.corpus import load_corpus
from slackwater.workloads.tpch import ensure_tpch, read_tpch

QUERIES = Path("tests/oracle/queries")
PLANS = Path("tests/golden/tpch")


def main() -> None:
    """Plan all queries of TPC-H and write one file for each."""
    PLANS.mkdir(exist_ok=True)
    with open_spark() as spark:
        planner = Planner(spark)
        for name, table in read_tpch(ensure_tpch(0.002)).items():
            text = from_arrow_schema(table.schema, prefer_timestamp_ntz=True).json()
            schema = parse_spark_type(json.loads(text))
            assert isinstance(schema, StructType)
            planner.add_table(TableDefinition(name, schema, text))
        for query in load_corpus(QUERIES):
            if query.name.startswith("tpch/"):
                plan = dump_plan(planner.plan_sql(query.sql).rel)
                (PLANS / f"{query.name.removeprefix('tpch/')}.json").write_text(plan + "\n")


if __name__ == "__main__":
    main()
