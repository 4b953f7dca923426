-- title: OFFSET without LIMIT
-- data: tpch
-- covers: order_by, offset
-- order: total
SELECT s_suppkey, s_acctbal
FROM supplier
ORDER BY s_acctbal DESC, s_suppkey
OFFSET 90
