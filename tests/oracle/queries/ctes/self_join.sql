-- title: a grouped CTE joined with itself, so that one change arrives from both sides
-- data: tpch
-- covers: cte, cte_reused, self_join, group_by
WITH per_year AS (
  SELECT year(o_orderdate) AS order_year, o_orderpriority, sum(o_totalprice) AS value
  FROM orders
  GROUP BY year(o_orderdate), o_orderpriority
)
SELECT a.order_year, a.o_orderpriority, b.value - a.value AS growth
FROM per_year a
LEFT JOIN per_year b ON b.order_year = a.order_year + 1 AND b.o_orderpriority = a.o_orderpriority
