-- title: a chain of CTEs, each used once
-- data: tpch
-- covers: cte, group_by, inner_join
WITH
  big_orders AS (
    SELECT o_custkey, o_totalprice FROM orders WHERE o_totalprice > 250000
  ),
  per_customer AS (
    SELECT o_custkey, count(*) AS big, sum(o_totalprice) AS value FROM big_orders GROUP BY o_custkey
  )
SELECT c_name, big, value
FROM per_customer
JOIN customer ON c_custkey = o_custkey
WHERE big > 1
