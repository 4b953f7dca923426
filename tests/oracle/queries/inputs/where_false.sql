-- title: a filter that folds to false: no row, and an aggregate over it with one
-- data: tpch
-- covers: empty_answer, global_aggregate, union_all
SELECT 'count' AS label, count(*) AS n FROM orders WHERE 1 = 0
UNION ALL
SELECT 'row', o_orderkey FROM orders WHERE o_orderkey > 0 AND 'a' = 'b'
