"""Window functions, sessions and whatever asks for an order of rows."""

from __future__ import annotations

from typing import Final

from slackwater.bench.shape_views.shape import Shape

_NEW_SESSIONS: Final = """SELECT user_id, ts, event_id, amount,
        CASE WHEN lag(ts) OVER (PARTITION BY user_id ORDER BY ts, event_id)
            >= ts - INTERVAL 30 MINUTES THEN 0 ELSE 1 END AS starts
    FROM events"""

WINDOWS: Final = (
    Shape(
        "first_last",
        "first and last value of each user by time",
        """SELECT DISTINCT user_id,
            first_value(kind) OVER w AS first_kind, last_value(amount) OVER w AS last_amount
        FROM events WINDOW w AS (PARTITION BY user_id ORDER BY ts, event_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)""",
    ),
    Shape(
        "latest_row",
        "latest row of each user",
        """SELECT user_id, event_id, ts, kind, amount FROM (
            SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY ts DESC, event_id) AS n
            FROM events) WHERE n = 1""",
    ),
    Shape(
        "top_3",
        "three largest of each of 1,000 groups",
        """SELECT shop_id, event_id, amount, n FROM (
            SELECT shop_id, event_id, amount, row_number() OVER (
                PARTITION BY shop_id ORDER BY amount DESC NULLS LAST, event_id) AS n
            FROM events) WHERE n <= 3""",
    ),
    Shape(
        "rank",
        "rank of each event among those of its device",
        """SELECT event_id, device_id, rank() OVER (
            PARTITION BY device_id ORDER BY quantity DESC) AS place
        FROM events""",
    ),
    Shape(
        "dense_rank",
        "dense rank of daily sums within each country",
        """SELECT country, day, revenue, dense_rank() OVER (
            PARTITION BY country ORDER BY revenue DESC) AS place
        FROM (SELECT country, day, sum(price) AS revenue FROM events GROUP BY country, day)""",
    ),
    Shape(
        "lag_lead",
        "time since the event before, and kind of the next",
        """SELECT event_id, user_id,
            unix_micros(ts) - lag(unix_micros(ts)) OVER w AS waited, lead(kind) OVER w AS next_kind
        FROM events WINDOW w AS (PARTITION BY user_id ORDER BY ts, event_id)""",
        duckdb="""SELECT event_id, user_id,
            epoch_us(ts) - lag(epoch_us(ts)) OVER w AS waited, lead(kind) OVER w AS next_kind
        FROM events WINDOW w AS (PARTITION BY user_id ORDER BY ts, event_id)""",
    ),
    Shape(
        "running_sum",
        "running sum of a DOUBLE by user",
        """SELECT event_id, user_id, sum(amount) OVER (
            PARTITION BY user_id ORDER BY ts, event_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
        FROM events""",
    ),
    Shape(
        "rolling_rows",
        "average of the last seven events of a device",
        """SELECT event_id, device_id, avg(latency) OVER (
            PARTITION BY device_id ORDER BY ts, event_id
            ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS smooth
        FROM events""",
    ),
    Shape(
        "rolling_range",
        "sums of the last hour by user",
        """SELECT event_id, user_id, sum(price) OVER w AS spent, count(*) OVER w AS events
        FROM events WINDOW w AS (PARTITION BY user_id ORDER BY ts
            RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW)""",
    ),
    Shape(
        "daily_average",
        "seven-day average of daily sums by country",
        """SELECT country, day, avg(revenue) OVER (
            PARTITION BY country ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS smooth
        FROM (SELECT country, day, sum(amount) AS revenue FROM events GROUP BY country, day)""",
    ),
    Shape(
        "ntile",
        "tenths of all users by what they spent",
        """SELECT user_id, spent, ntile(10) OVER (ORDER BY spent DESC, user_id) AS tenth
        FROM (SELECT user_id, sum(price) AS spent FROM events GROUP BY user_id)""",
    ),
    Shape(
        "share_of_total",
        "part of each shop in the whole",
        """SELECT shop_id, revenue, revenue / sum(revenue) OVER () AS part
        FROM (SELECT shop_id, sum(amount) AS revenue FROM events GROUP BY shop_id)""",
    ),
    Shape(
        "sessions",
        "sessions by gaps, from lag and a running sum",
        f"""SELECT user_id, session, min(ts) AS started, max(ts) AS ended, count(*) AS events,
            sum(amount) AS amount
        FROM (SELECT *, sum(starts) OVER (PARTITION BY user_id ORDER BY ts, event_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS session
            FROM ({_NEW_SESSIONS}))
        GROUP BY user_id, session""",
    ),
    Shape(
        "session_window",
        "sessions by gaps, as Spark's session_window",
        """SELECT user_id, session_window.start AS started, session_window.end AS ended,
            count(*) AS events
        FROM events GROUP BY user_id, session_window(ts, '30 minutes')""",
        duckdb="",
    ),
    Shape(
        "tumbling_window",
        "windows of ten minutes by platform",
        """SELECT window.start AS started, platform, count(*) AS events, max(latency) AS slowest
        FROM events GROUP BY window(ts, '10 minutes'), platform""",
        duckdb="""SELECT time_bucket(INTERVAL 10 MINUTES, ts) AS started, platform,
            count(*) AS events, max(latency) AS slowest
        FROM events GROUP BY ALL""",
    ),
    Shape(
        "dedup",
        "first event of each user, product and kind",
        """SELECT event_id, user_id, product_id, kind, ts FROM (
            SELECT *, row_number() OVER (
                PARTITION BY user_id, product_id, kind ORDER BY ts, event_id) AS n
            FROM events) WHERE n = 1""",
    ),
    Shape(
        "transitions",
        "consecutive events of a user by a self-join",
        """WITH numbered AS (
            SELECT user_id, kind, row_number() OVER (
                PARTITION BY user_id ORDER BY ts, event_id) AS n
            FROM events)
        SELECT a.kind AS kind, b.kind AS next_kind, count(*) AS times
        FROM numbered a JOIN numbered b ON a.user_id = b.user_id AND b.n = a.n + 1
        GROUP BY a.kind, b.kind""",
    ),
    Shape(
        "top_n",
        "hundred largest amounts of all",
        """SELECT event_id, user_id, amount FROM events
        ORDER BY amount DESC NULLS LAST, event_id LIMIT 100""",
    ),
    Shape(
        "limit_inside",
        "events of the ten best shops",
        """SELECT e.country, count(*) AS events, sum(e.amount) AS amount
        FROM events e JOIN (
            SELECT shop_id FROM events GROUP BY shop_id ORDER BY sum(price) DESC, shop_id LIMIT 10
        ) best ON e.shop_id = best.shop_id
        GROUP BY e.country""",
    ),
)
