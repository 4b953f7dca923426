-- title: join of two grouped sides, each of which can lose a group
-- data: tpch
-- covers: inner_join, subquery_in_from, group_by, having, count, sum
SELECT o.o_custkey, o.orders, o.spent, l.returned
FROM (
  SELECT o_custkey, count(*) AS orders, sum(o_totalprice) AS spent
  FROM orders
  GROUP BY o_custkey
  HAVING count(*) > 20
) o
JOIN (
  SELECT o_custkey, count(*) AS returned
  FROM lineitem
  JOIN orders ON l_orderkey = o_orderkey
  WHERE l_returnflag = 'R'
  GROUP BY o_custkey
) l ON o.o_custkey = l.o_custkey
