"""Expressions over dates and timestamps, and rows around the jumps of clocks.

The columns are t of dates, p of instants, q of local times, o of texts, i and j of whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from slackwater.compiler.duckdb.types import arrow_type
from slackwater.types import BIGINT, DATE, INTEGER, STRING, TIMESTAMP, TIMESTAMP_NTZ

TIME_TEXTS = ["2024-02-29", "2023-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "20240229"]
TIME_TEXTS += ["2024-1-5", " 2024-01-05", "2024-01-05 ", "2024-01-05T10:11:12", "10000-01-01"]
TIME_TEXTS += ["2024-01-05 24:00:00", "2024-01-05 23:59:60", "2024-01-05 23:59:59.999999"]
TIME_TEXTS += ["2024-01-05 10:11", "2024-01-05 10:11:12.5", "2024-01-05 10:11:12.1234567", "now"]
TIME_TEXTS += ["2024-03-31 02:30:00", "2024-10-27 02:30:00", "1919-03-31 00:00:00", "+2024-01-05"]
TIME_TEXTS += ["2024-01-05 10:11:12Z", "2024-01-05 10:11:12+01:00", "2024-00-05", "2024-13-05"]
TIME_TEXTS += [
    "2024-01-32",
    "2024-01-00",
    "infinity",
    "epoch",
    "2024-01-05\n",
    "2024-01-05 00:00:00",
]

_UNITS = ("MICROSECOND", "MILLISECOND", "Second", "MINUTE", "hour", "DAY", "dd", "WEEK", "mon")
_UNITS += ("MONTH", "mm", "QUARTER", "YEAR", "yyyy", "YY")
_DAY_PARTS = ("year", "quarter", "month", "day", "dayofweek", "weekday", "dayofyear", "weekofyear")
_INTERVALS = ("'-30' MINUTE", "'1' DAY", "'-3' DAY", "'1 02:03:04.000005' DAY TO SECOND")
_INTERVALS += ("'36' HOUR", "'-100' HOUR", "'0' SECOND", "'1' MONTH", "'-13' MONTH", "'100' YEAR")
_STEPS = ("MICROSECOND, 1", "MILLISECOND, -1", "SECOND, 86401", "MINUTE, -90", "HOUR, 36", "DAY, 1")
_STEPS += ("WEEK, -2", "MONTH, 1", "QUARTER, -1", "YEAR, 4", "DAYOFYEAR, 1", "HOUR, 1")
_DIFFERENCES = ("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK")
PATTERNS = ("yyyy-MM-dd", "yyyy-MM", "yyyyMMdd", "dd/MM/yy", "HH:mm:ss", "H:m:s", "d.M.yyyy")
PATTERNS += ("yyyy-MM-dd''T''HH:mm:ss.SSS", "MMM d, yyyy", "EEEE MMMM dd", "E EEE", "hh:mm a h")
PATTERNS += ("SSSSSS", "yyyy-MM-dd HH:mm:ss", "%d %%", "yyyy年M月")


def computed_times() -> Iterator[str]:
    """Values of every form."""
    yield from (f"date_trunc('{unit}', p)" for unit in _UNITS)
    yield from ("date_trunc('hour', q)", "date_trunc('month', t)", "date_trunc('week', q)")
    yield from (f"trunc({one}, '{unit}')" for one in "tp" for unit in _UNITS[7:])
    yield from (f"{part}({one})" for part in _DAY_PARTS for one in "tpq")
    yield from (f"{part}({one})" for part in ("hour", "minute", "second") for one in "pqt")
    yield from ("extract(SECOND FROM p)", "extract(SECOND FROM q)", "extract(YEAROFWEEK FROM t)")
    yield from ("monthname(t)", "dayname(t)", "monthname(p)", "dayname(q)")
    yield from (f"{one} + INTERVAL {step}" for one in "pq" for step in _INTERVALS)
    yield from ("p - INTERVAL '2' DAY", "t + INTERVAL '1' MONTH", "t - INTERVAL '13' MONTH")
    yield from ("t + INTERVAL '3' DAY", "t + INTERVAL '5' HOUR", "t - 3", "q - INTERVAL '1' YEAR")
    yield from (f"timestampadd({step}, {one})" for one in "pq" for step in _STEPS)
    yield from (f"timestampdiff({unit}, p, q)" for unit in _DIFFERENCES)
    yield from (f"timestampdiff({unit}, q, t)" for unit in _DIFFERENCES)
    yield from ("date_add(t, i)", "date_sub(t, i)", "date_add(t, 1)", "date_sub(p, 400)")
    yield from ("datediff(t, p)", "datediff(q, t)", "add_months(t, i)", "add_months(t, -1)")
    yield from ("add_months(p, 13)", "last_day(t)", "last_day(p)")
    yield from (f"next_day(t, '{day}')" for day in ("MON", "tu", "Wednesday", "TH", "fri", "SU"))
    yield from ("next_day(t, 'saturday')", "make_date(i, 2, 29)", "make_date(2024, i, i)")
    yield from ("unix_micros(p)", "unix_millis(p)", "unix_seconds(p)", "unix_date(t)")
    yield from ("timestamp_micros(j)", "timestamp_millis(j)", "timestamp_seconds(j)")
    yield from ("timestamp_seconds(i)", "date_from_unix_date(i)")
    for target in ("TIMESTAMP", "TIMESTAMP_NTZ", "DATE", "STRING"):
        yield from (f"CAST({one} AS {target})" for one in "tpqo")
    yield from ("CAST(p AS BIGINT)", "CAST(p AS INT)", "CAST(p AS DOUBLE)")
    yield from ("CAST(i AS TIMESTAMP)", "CAST(j AS TIMESTAMP)", "to_date(o)", "to_timestamp(o)")
    yield from (f"date_format({one}, '{it}')" for one in "pqt" for it in PATTERNS)
    yield from (f"from_unixtime(j, '{it}')" for it in PATTERNS[:3])
    yield from ("from_unixtime(j)", "from_unixtime(i)", "unix_timestamp(p)", "unix_timestamp(t)")
    for read in ("unix_timestamp", "to_timestamp", "to_date", "to_timestamp_ntz"):
        yield from (f"{read}(o, '{it}')" for it in ("yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss"))


def time_conditions() -> Iterator[str]:
    """Conditions on moments, which DuckDB may rewrite."""
    yield from (
        "t > p",
        "q > p",
        "t = q",
        "CAST(p AS DATE) = t",
        "CAST(p AS DATE) = DATE '2024-03-31'",
    )
    yield from (
        "date_trunc('month', p) = TIMESTAMP '2024-03-01'",
        "year(p) = 2024",
        "year(t) > 2000",
    )
    yield from (
        "p + INTERVAL '1' DAY > TIMESTAMP '2024-03-31'",
        "date_add(t, 1) = DATE '2024-02-29'",
    )
    yield from ("p BETWEEN TIMESTAMP '2024-03-31' AND TIMESTAMP '2024-04-01'", "hour(p) IN (1, 2)")
    yield from ("unix_seconds(p) > 0", "CAST(o AS DATE) > DATE '2024-01-01'", "last_day(t) = t")


def rows_around(seconds: Iterable[int]) -> pa.Table:
    """Rows of moments beside the seconds at which clocks jump."""
    shifts = (0, -1, 1, 1800, -1800, 3600, -3600, 7200, -7200, 86_400, -86_400, 31 * 86_400)
    instants = [
        1_000_000 * (at + shift) + n % 2 for at in seconds for n, shift in enumerate(shifts)
    ]
    days = [each // 86_400_000_000 for each in instants]
    count = len(instants)
    columns = {
        "id": (BIGINT, [*range(count)]),
        "t": (DATE, days),
        "p": (TIMESTAMP, instants),
        "q": (TIMESTAMP_NTZ, instants[7:] + instants[:7]),
        "o": (STRING, [TIME_TEXTS[n % len(TIME_TEXTS)] for n in range(count)]),
        "i": (INTEGER, [n % 40 - 5 for n in range(count)]),
        "j": (BIGINT, [each // 1_000_000 for each in instants]),
    }
    arrays = [pa.array(values, arrow_type(dtype)) for dtype, values in columns.values()]
    return pa.table(arrays, names=list(columns))


COLUMNS = {
    "id": BIGINT,
    "t": DATE,
    "p": TIMESTAMP,
    "q": TIMESTAMP_NTZ,
    "o": STRING,
    "i": INTEGER,
    "j": BIGINT,
}
"""The columns of rows around jumps."""
