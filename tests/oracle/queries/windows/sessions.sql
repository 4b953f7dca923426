-- title: gaps and islands: a running sum over a flag made by lag, then grouped
-- data: tpch
-- covers: window, lag_lead, sum, rows_frame, group_by
SELECT o_custkey, island, count(*) AS orders, min(o_orderdate) AS first_date, max(o_orderdate) AS last_date
FROM (
  SELECT
    o_custkey,
    o_orderdate,
    sum(starts) OVER (PARTITION BY o_custkey ORDER BY o_orderdate, o_orderkey ROWS UNBOUNDED PRECEDING) AS island
  FROM (
    SELECT
      o_custkey,
      o_orderdate,
      o_orderkey,
      CASE
        WHEN datediff(o_orderdate, lag(o_orderdate) OVER (PARTITION BY o_custkey ORDER BY o_orderdate, o_orderkey)) <= 60 THEN 0
        ELSE 1
      END AS starts
    FROM orders
    WHERE o_custkey < 60
  ) flagged
) numbered
GROUP BY o_custkey, island
