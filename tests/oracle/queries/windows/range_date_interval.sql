-- title: RANGE frames with day and month intervals
-- data: tpch
-- covers: window, range_frame, interval, sum, count
SELECT
  o_orderkey,
  o_orderdate,
  count(*) OVER (
    PARTITION BY o_custkey ORDER BY o_orderdate
    RANGE BETWEEN INTERVAL '30' DAY PRECEDING AND CURRENT ROW
  ) AS in_30_days,
  sum(o_totalprice) OVER (
    PARTITION BY o_custkey ORDER BY o_orderdate
    RANGE BETWEEN INTERVAL '6' MONTH PRECEDING AND INTERVAL '1' MONTH PRECEDING
  ) AS half_year_before
FROM orders
WHERE o_custkey < 100
