"""Small tables made by hand to break an engine that is almost right.

`adversarial_keys` holds those that trouble joins, groups and names, `adversarial_values`
those that go to the limits of the types. All are deterministic, and Spark reads the written
files with exactly the types listed in docs/reference/workloads.md.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.workloads import adversarial_keys as keys
from slackwater.workloads import adversarial_values as values


def adversarial_tables() -> dict[str, pa.Table]:
    """All adversarial tables by name."""
    return {
        "t_nulls": keys.nulls_table(),
        "t_right": keys.right_table(),
        "t_nonull": keys.nonull_table(),
        "t_empty": keys.empty_table(),
        "t_skew": keys.skew_table(),
        "t_dec": values.dec_table(),
        "t_time": values.time_table(),
        "t_float": values.float_table(),
        "t_str": values.str_table(),
        "t_nested": values.nested_table(),
        "t_names": keys.names_table(),
    }


def write_adversarial(folder: Path | str) -> dict[str, Path]:
    """Write each table to `<folder>/<name>.parquet` and return the files by name."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, table in adversarial_tables().items():
        paths[name] = target / f"{name}.parquet"
        pq.write_table(table, paths[name])
    return paths
