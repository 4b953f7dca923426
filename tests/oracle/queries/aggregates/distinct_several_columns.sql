-- title: DISTINCT aggregates over different columns in one query
-- data: tpch
-- covers: group_by, count_distinct, sum_distinct, multi_distinct
SELECT
  o_orderpriority,
  count(DISTINCT o_custkey) AS customers,
  count(DISTINCT o_clerk) AS clerks,
  sum(DISTINCT o_custkey % 7) AS remainders,
  count(*) AS orders,
  max(o_totalprice) AS dearest
FROM orders
GROUP BY o_orderpriority
