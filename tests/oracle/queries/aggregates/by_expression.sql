-- title: grouping by expressions that are also computed on in the SELECT list
-- data: tpch
-- covers: group_by, group_by_expression, count, sum, extract
SELECT
  extract(YEAR FROM o_orderdate) * 100 + extract(MONTH FROM o_orderdate) AS year_month,
  upper(o_orderstatus) AS status,
  count(*) AS orders,
  sum(o_totalprice) AS value
FROM orders
GROUP BY extract(YEAR FROM o_orderdate), extract(MONTH FROM o_orderdate), upper(o_orderstatus)
