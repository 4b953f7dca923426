-- title: RANGE frames with day and month intervals
-- data: tpch
-- covers: window, named_window, range_frame, interval, sum, count
SELECT
  o_orderkey,
  o_orderdate,
  count(*) OVER (in_time RANGE BETWEEN INTERVAL '30' DAY PRECEDING AND CURRENT ROW) AS in_30_days,
  sum(o_totalprice) OVER (
    in_time RANGE BETWEEN INTERVAL '6' MONTH PRECEDING AND INTERVAL '1' MONTH PRECEDING
  ) AS before
FROM orders
WHERE o_custkey < 100
WINDOW in_time AS (PARTITION BY o_custkey ORDER BY o_orderdate)
