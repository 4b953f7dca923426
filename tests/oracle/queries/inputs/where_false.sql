-- title: a filter that folds to false: no row, but one for an aggregate over it
-- data: tpch
-- covers: global_aggregate, union_all, count
SELECT 'count' AS label, count(*) AS n FROM orders WHERE 1 = 0
UNION ALL
SELECT 'row', o_orderkey FROM orders WHERE o_orderkey > 0 AND 'a' = 'b'
