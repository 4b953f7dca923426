"""Aggregates: by few and by many groups, over all rows, and several groupings at once."""

from __future__ import annotations

from typing import Final

from slackwater.bench.shape_views.shape import Shape

GROUPED: Final = (
    Shape(
        "sum_double",
        "sum of a DOUBLE by 1,000 groups",
        "SELECT shop_id, sum(amount) AS amount, count(*) AS events FROM events GROUP BY shop_id",
    ),
    Shape(
        "sum_users",
        "sum of a DOUBLE by very many groups",
        "SELECT user_id, sum(amount) AS amount FROM events GROUP BY user_id",
    ),
    Shape(
        "avg_double",
        "average of a DOUBLE and of a FLOAT by 50 groups",
        "SELECT country, avg(amount) AS amount, avg(score) AS score FROM events GROUP BY country",
    ),
    Shape(
        "stddev",
        "standard deviation by 3 groups",
        """SELECT platform, stddev(latency) AS spread, stddev_pop(score) AS score_spread
        FROM events GROUP BY platform""",
    ),
    Shape(
        "variance_corr",
        "variance, covariance and correlation by 50 groups",
        """SELECT country, var_samp(latency) AS variance, covar_samp(latency, quantity) AS together,
            corr(latency, quantity) AS correlation
        FROM events GROUP BY country""",
    ),
    Shape(
        "regression",
        "slope and intercept of a regression by 1,000 groups",
        """SELECT shop_id, regr_slope(latency, quantity) AS slope,
            regr_intercept(latency, quantity) AS intercept
        FROM events GROUP BY shop_id""",
    ),
    Shape(
        "median",
        "median and 90th percentile by 50 groups",
        """SELECT country, median(latency) AS middle, percentile(latency, 0.9) AS slow
        FROM events GROUP BY country""",
        duckdb="""SELECT country, median(latency) AS middle, quantile_cont(latency, 0.9) AS slow
        FROM events GROUP BY country""",
    ),
    Shape(
        "percentile_approx",
        "approximate percentiles by 1,000 groups",
        """SELECT shop_id, percentile_approx(latency, array(0.5, 0.95), 100000) AS latencies
        FROM events GROUP BY shop_id""",
        duckdb="""SELECT shop_id, approx_quantile(latency, [0.5, 0.95]) AS latencies
        FROM events GROUP BY shop_id""",
    ),
    Shape(
        "count_distinct",
        "distinct users by 1,000 groups",
        "SELECT shop_id, count(DISTINCT user_id) AS users FROM events GROUP BY shop_id",
    ),
    Shape(
        "distinct_both",
        "distinct devices by 50 groups, exact and approximate",
        """SELECT country, count(DISTINCT device_id) AS devices,
            approx_count_distinct(device_id) AS about
        FROM events GROUP BY country""",
    ),
    Shape(
        "min_max",
        "extremes of several types by 1,000 groups",
        """SELECT shop_id, min(amount) AS least, max(amount) AS most, min(ts) AS first_seen,
            max(local_ts) AS last_seen, max(note) AS note
        FROM events GROUP BY shop_id""",
    ),
    Shape(
        "max_by",
        "latest and first value by user, as arg-max and arg-min",
        """SELECT user_id, max_by(kind, ts) AS latest, min_by(path, ts) AS entry
        FROM events GROUP BY user_id""",
    ),
    Shape(
        "mode",
        "most frequent value by 1,000 groups",
        "SELECT shop_id, mode(kind, true) AS usual FROM events GROUP BY shop_id",
        duckdb="SELECT shop_id, mode(kind) AS usual FROM events GROUP BY shop_id",
    ),
    Shape(
        "booleans",
        "bool_and, bool_or and count_if by 1,000 groups",
        """SELECT shop_id, bool_and(ok) AS all_ok, bool_or(ok) AS some_ok,
            count_if(ok AND kind = 'purchase') AS bought
        FROM events GROUP BY shop_id""",
    ),
    Shape(
        "bits",
        "bit_or, bit_and and bit_xor by user",
        """SELECT user_id, bit_or(flags) AS any_flag, bit_and(flags) AS all_flags,
            bit_xor(flags) AS odd_flags
        FROM events GROUP BY user_id""",
    ),
    Shape(
        "collect",
        "sorted lists and sets by device",
        """SELECT device_id, array_sort(collect_set(kind)) AS kinds,
            array_sort(collect_list(product_id)) AS products
        FROM events GROUP BY device_id""",
        duckdb="""SELECT device_id, list_sort(list(DISTINCT kind)) AS kinds,
            list_sort(list(product_id)) AS products
        FROM events GROUP BY device_id""",
    ),
    Shape(
        "global_sum",
        "sums and averages of DOUBLEs over all rows",
        """SELECT sum(amount) AS amount, avg(latency) AS latency, stddev(score) AS spread
        FROM events""",
    ),
    Shape(
        "global_extremes",
        "extremes over all rows",
        "SELECT min(amount) AS least, max(amount) AS most, min(ts) AS first, max(ts) AS last "
        "FROM events",
    ),
    Shape(
        "global_count",
        "counts over all rows",
        """SELECT count(*) AS events, count(amount) AS paid, count(DISTINCT user_id) AS users
        FROM events""",
    ),
    Shape(
        "having",
        "groups chosen by HAVING",
        """SELECT user_id, count(*) AS events, sum(amount) AS amount FROM events
        GROUP BY user_id HAVING count(*) > 40 AND sum(amount) > 1000.0""",
    ),
    Shape(
        "hourly",
        "hourly buckets of a TIMESTAMP",
        """SELECT date_trunc('hour', ts) AS hour, count(*) AS events, sum(amount) AS amount
        FROM events GROUP BY date_trunc('hour', ts)""",
    ),
    Shape(
        "calendar",
        "functions of dates as groups",
        """SELECT year(day) AS year, month(day) AS month, dayofweek(day) AS weekday,
            date_format(local_ts, 'HH') AS hour, count(*) AS events,
            max(datediff(day, DATE'2024-12-31')) AS days
        FROM events GROUP BY year(day), month(day), dayofweek(day), date_format(local_ts, 'HH')""",
        duckdb="""SELECT year(day) AS year, month(day) AS month, dayofweek(day) AS weekday,
            strftime(local_ts, '%H') AS hour, count(*) AS events,
            max(datediff('day', DATE'2024-12-31', day)) AS days
        FROM events GROUP BY 1, 2, 3, 4""",
    ),
    Shape(
        "histogram",
        "histogram of a DOUBLE, in buckets of ten",
        """SELECT platform, floor(latency / 10) AS bucket, count(*) AS events, avg(amount) AS amount
        FROM events GROUP BY platform, floor(latency / 10)""",
    ),
    Shape(
        "pivot_case",
        "columns from rows by CASE",
        """SELECT shop_id, sum(CASE WHEN kind = 'purchase' THEN amount ELSE 0.0 END) AS bought,
            sum(CASE WHEN kind = 'refund' THEN amount ELSE 0.0 END) AS refunded,
            count(CASE WHEN kind = 'view' THEN 1 END) AS views
        FROM events GROUP BY shop_id""",
    ),
    Shape(
        "pivot",
        "columns from rows by PIVOT",
        """SELECT * FROM (SELECT country, kind, price FROM events)
        PIVOT (sum(price) FOR kind IN ('purchase' AS bought, 'refund' AS refunded, 'cart' AS cart))
        """,
        duckdb="""SELECT country, sum(price) FILTER (kind = 'purchase') AS bought,
            sum(price) FILTER (kind = 'refund') AS refunded, sum(price) FILTER (kind = 'cart')
        FROM events GROUP BY country""",
    ),
    Shape(
        "rollup",
        "totals and subtotals by ROLLUP",
        """SELECT country, platform, sum(amount) AS amount, count(*) AS events
        FROM events GROUP BY ROLLUP (country, platform)""",
    ),
    Shape(
        "grouping_sets",
        "several groupings at once",
        """SELECT country, kind, day, grouping_id(country, kind, day) AS level, sum(price) AS price
        FROM events GROUP BY GROUPING SETS ((country, kind), (day), ())""",
        duckdb="""SELECT country, kind, day, grouping(country, kind, day) AS level,
            sum(price) AS price
        FROM events GROUP BY GROUPING SETS ((country, kind), (day), ())""",
    ),
)
