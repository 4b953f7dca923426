-- title: one table in both branches: a change arrives twice
-- data: tpch
-- covers: union_all, group_by, sum
SELECT label, sum(amount) AS total
FROM (
  SELECT 'ordered' AS label, o_totalprice AS amount FROM orders
  UNION ALL
  SELECT o_orderstatus, o_totalprice FROM orders
) both_views
GROUP BY label
