-- title: SELECT without FROM, joined with tables as a one-row table of parameters
-- data: tpch
-- covers: no_table, cross_join, cte
WITH parameters AS (SELECT DATE '1995-01-01' AS since, 200000.00BD AS threshold)
SELECT o_orderpriority, count(*) AS orders
FROM orders
CROSS JOIN parameters
WHERE o_orderdate >= since AND o_totalprice > threshold
GROUP BY o_orderpriority
