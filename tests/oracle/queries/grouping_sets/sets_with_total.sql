-- title: GROUPING SETS without a common prefix, with the grand total
-- data: tpch
-- covers: grouping_sets, count, sum, extract
SELECT
  o_orderstatus,
  o_orderpriority,
  extract(YEAR FROM o_orderdate) AS order_year,
  count(*) AS orders,
  sum(o_totalprice) AS value
FROM orders
GROUP BY GROUPING SETS ((o_orderstatus, o_orderpriority), (extract(YEAR FROM o_orderdate)), ())
