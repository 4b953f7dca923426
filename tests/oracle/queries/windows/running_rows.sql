-- title: running sum and average over ROWS
-- data: tpch
-- covers: window, named_window, rows_frame, sum, avg
SELECT
  o_custkey,
  o_orderkey,
  sum(o_totalprice) OVER so_far AS spent_so_far,
  avg(o_totalprice) OVER so_far AS mean_so_far
FROM orders
WHERE o_custkey < 100
WINDOW so_far AS (
  PARTITION BY o_custkey ORDER BY o_orderdate, o_orderkey ROWS UNBOUNDED PRECEDING
)
