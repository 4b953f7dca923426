-- title: gaps and islands: a running sum over a flag made by lag, then grouped
-- data: tpch
-- covers: window, lag_lead, sum, rows_frame, group_by
SELECT
  o_custkey,
  island,
  count(*) AS orders,
  min(o_orderdate) AS first_date,
  max(o_orderdate) AS last_date
FROM (
  SELECT
    o_custkey,
    o_orderdate,
    sum(if(gap <= 60, 0, 1)) OVER (
      PARTITION BY o_custkey ORDER BY o_orderdate, o_orderkey ROWS UNBOUNDED PRECEDING
    ) AS island
  FROM (
    SELECT
      o_custkey,
      o_orderdate,
      o_orderkey,
      datediff(
        o_orderdate,
        lag(o_orderdate) OVER (PARTITION BY o_custkey ORDER BY o_orderdate, o_orderkey)
      ) AS gap
    FROM orders
    WHERE o_custkey < 60
  ) measured
) numbered
GROUP BY o_custkey, island
