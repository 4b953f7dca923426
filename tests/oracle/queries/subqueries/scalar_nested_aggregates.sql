-- title: maximum of counts: an aggregate over a grouped subquery inside a scalar
-- data: tpch
-- covers: scalar_uncorrelated, nested_subquery, subquery_in_from, group_by, having, count
SELECT o_clerk, count(*) AS orders
FROM orders
GROUP BY o_clerk
HAVING count(*) = (
  SELECT max(orders)
  FROM (SELECT count(*) AS orders FROM orders GROUP BY o_clerk) per_clerk
)
