-- title: an aggregate over an aggregate: a group that moves changes two outer groups
-- data: tpch
-- covers: group_by, subquery_in_from, count, sum
SELECT orders_per_customer, count(*) AS customers, sum(spent) AS spent
FROM (
  SELECT o_custkey, count(*) AS orders_per_customer, sum(o_totalprice) AS spent
  FROM orders
  GROUP BY o_custkey
) per_customer
GROUP BY orders_per_customer
