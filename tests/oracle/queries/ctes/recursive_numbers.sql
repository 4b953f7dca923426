-- title: a recursive CTE over constants, joined with a table
-- data: tpch
-- covers: cte, recursive_cte, left_join
WITH RECURSIVE months(m) AS (
  SELECT 1
  UNION ALL
  SELECT m + 1 FROM months WHERE m < 12
)
SELECT m, count(o_orderkey) AS orders
FROM months
LEFT JOIN orders ON month(o_orderdate) = m AND year(o_orderdate) = 1998
GROUP BY m
