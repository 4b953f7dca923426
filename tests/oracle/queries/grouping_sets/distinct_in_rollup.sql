-- title: DISTINCT aggregates over several columns below ROLLUP: two expansions at once
-- data: tpch
-- covers: rollup, count_distinct, multi_distinct
SELECT
  o_orderstatus,
  o_orderpriority,
  count(DISTINCT o_custkey) AS customers,
  count(DISTINCT o_clerk) AS clerks,
  count(*) AS orders
FROM orders
WHERE o_orderdate < DATE '1993-01-01'
GROUP BY ROLLUP (o_orderstatus, o_orderpriority)
