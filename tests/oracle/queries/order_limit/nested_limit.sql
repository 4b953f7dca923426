-- title: a limited subquery feeds an aggregate
-- data: tpch
-- covers: order_by, limit, subquery_in_from, group_by, sum
SELECT o_orderstatus, count(*) AS orders, sum(o_totalprice) AS value
FROM (
  SELECT o_orderstatus, o_totalprice
  FROM orders
  ORDER BY o_totalprice DESC, o_orderkey
  LIMIT 200
) dearest
GROUP BY o_orderstatus
