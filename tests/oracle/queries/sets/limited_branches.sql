-- title: each branch has its own total order and LIMIT
-- data: tpch
-- covers: union_all, order_by, limit
(SELECT 'rich' AS kind, s_suppkey, s_acctbal FROM supplier ORDER BY s_acctbal DESC, s_suppkey LIMIT 3)
UNION ALL
(SELECT 'poor', s_suppkey, s_acctbal FROM supplier ORDER BY s_acctbal, s_suppkey LIMIT 3)
