-- title: subqueries in FROM three levels deep, each with its own aggregate
-- data: tpch
-- covers: subquery_in_from, nested_subquery, group_by, count, avg, max
SELECT segment, max(average) AS best_average, count(*) AS nations
FROM (
  SELECT segment, nation, avg(orders) AS average
  FROM (
    SELECT c.c_mktsegment AS segment, c.c_nationkey AS nation, c.c_custkey, count(o.o_orderkey) AS orders
    FROM customer c
    LEFT JOIN orders o ON c.c_custkey = o.o_custkey
    GROUP BY c.c_mktsegment, c.c_nationkey, c.c_custkey
  ) per_customer
  GROUP BY segment, nation
) per_nation
GROUP BY segment
