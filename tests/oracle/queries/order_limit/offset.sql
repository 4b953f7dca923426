-- title: LIMIT with OFFSET: one new row moves the whole page
-- data: tpch
-- covers: order_by, limit, offset
-- order: total
SELECT c_custkey, c_name, c_acctbal
FROM customer
ORDER BY c_acctbal, c_custkey
LIMIT 10 OFFSET 25
