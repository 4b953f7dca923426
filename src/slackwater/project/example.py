"""The small project that `slackwater init` writes: orders and customers, two views over them."""

from __future__ import annotations

import json
from pathlib import Path

from slackwater.errors import SetupError
from slackwater.project.spec_file import SPEC_FILE

EXAMPLE_FILES = {
    SPEC_FILE: """\
# A Slackwater project: sources that change, and views that are kept up to date.
name: {name}
storage: .slackwater          # state, metadata and answers; nothing else is written

sources:
  customers:
    path: data/customers      # files put here are ingested once, in the order of their names
    format: csv
    schema: id BIGINT NOT NULL, name STRING, country STRING
    key: id
    op: upsert                # a row replaces the one with its key
  orders:
    path: data/orders
    format: json              # one object a line; _change_type says what became of the row
    schema:
      id: BIGINT NOT NULL
      customer: BIGINT
      amount: DECIMAL(10,2)
      day: DATE
    key: id

libraries:
  - glob:
      include: transformations/**/*.sql
""",
    "transformations/revenue.sql": """\
-- What each country has ordered.
CREATE MATERIALIZED VIEW revenue_by_country
COMMENT 'Revenue and number of orders of each country'
TBLPROPERTIES ('slackwater.slack' = '30s')
AS
SELECT c.country, sum(o.amount) AS revenue, count(*) AS orders
FROM orders o JOIN customers c ON o.customer = c.id
GROUP BY c.country;
""",
    "transformations/best.sql": """\
-- A view may read other views.
CREATE MATERIALIZED VIEW best_countries AS
SELECT country, revenue FROM revenue_by_country WHERE revenue >= 20;
""",
    "data/customers/2026-05-01.csv": """\
id,name,country
1,Ada,GR
2,Bo,SE
3,Cy,SE
""",
    "data/customers/2026-05-02.csv": """\
id,name,country
3,Cy,GR
4,Di,PT
""",
    "data/orders/2026-05-01.json": """\
{"id": 1, "customer": 1, "amount": 10.50, "day": "2026-05-01"}
{"id": 2, "customer": 2, "amount": 7.25, "day": "2026-05-01"}
{"id": 3, "customer": 3, "amount": 12.00, "day": "2026-05-01"}
""",
    "data/orders/2026-05-02.json": """\
{"_change_type": "insert", "id": 4, "customer": 4, "amount": 31.00, "day": "2026-05-02"}
{"_change_type": "update_preimage", "id": 2, "customer": 2, "amount": 7.25, "day": "2026-05-01"}
{"_change_type": "update_postimage", "id": 2, "customer": 2, "amount": 9.75, "day": "2026-05-01"}
{"_change_type": "delete", "id": 1, "customer": 1, "amount": 10.50, "day": "2026-05-01"}
""",
    ".gitignore": ".slackwater/\n",
}
"""The files of the example by their path; `{name}` in the spec is the project's name."""


def write_example_project(folder: Path) -> tuple[Path, ...]:
    """Write the example into a folder, which must be new or empty; returns the files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SetupError(
            "the example needs a folder of its own, and this one is not empty",
            where=str(folder),
            hint="Name a new folder: slackwater init FOLDER.",
        )
    name = folder.absolute().name or "project"
    written = []
    for path, text in EXAMPLE_FILES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        content = text.replace("{name}", json.dumps(name)) if path == SPEC_FILE else text
        file.write_text(content, encoding="utf-8")
        written.append(file)
    return tuple(written)
