-- title: approx_count_distinct, whose sketch does not depend on the order of rows
-- data: tpch
-- covers: group_by, approx_count_distinct
SELECT
  o_orderpriority,
  approx_count_distinct(o_custkey) AS customers,
  approx_count_distinct(o_clerk, 0.02) AS clerks
FROM orders
GROUP BY o_orderpriority
