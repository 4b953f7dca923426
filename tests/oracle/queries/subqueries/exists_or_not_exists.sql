-- title: EXISTS or NOT EXISTS over one table: a row can leave by one branch and stay by the other
-- data: tpch
-- covers: exists, not_exists, existence_join
SELECT c.c_custkey
FROM customer c
WHERE c.c_nationkey = 3
  AND (
    NOT EXISTS (SELECT 1 FROM orders o WHERE o.o_custkey = c.c_custkey)
    OR EXISTS (SELECT 1 FROM orders o WHERE o.o_custkey = c.c_custkey AND o.o_totalprice > 300000)
  )
