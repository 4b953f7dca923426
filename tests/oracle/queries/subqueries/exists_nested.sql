-- title: NOT EXISTS inside NOT EXISTS: customers all of whose orders hold a large line
-- data: tpch
-- covers: exists, not_exists, nested_subquery
SELECT c.c_custkey, c.c_name
FROM customer c
WHERE c.c_nationkey = 7
  AND NOT EXISTS (
    SELECT 1
    FROM orders o
    WHERE o.o_custkey = c.c_custkey
      AND NOT EXISTS (
        SELECT 1
        FROM lineitem l
        WHERE l.l_orderkey = o.o_orderkey AND l.l_quantity > 10
      )
  )
