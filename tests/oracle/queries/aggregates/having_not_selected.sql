-- title: HAVING on aggregates and keys that are not in the SELECT list
-- data: tpch
-- covers: group_by, having, count, avg, max
SELECT o_clerk
FROM orders
GROUP BY o_clerk, o_orderpriority
HAVING count(*) >= 7
  AND avg(o_totalprice) > 140000
  AND max(o_orderdate) > DATE '1995-01-01'
  AND o_orderpriority LIKE '1%'
