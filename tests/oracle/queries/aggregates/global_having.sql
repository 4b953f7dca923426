-- title: HAVING without GROUP BY removes the only row or keeps it
-- data: adversarial
-- covers: global_aggregate, having, union_all
SELECT 'kept' AS outcome, count(*) AS row_count FROM t_nulls HAVING count(*) > 1
UNION ALL
SELECT 'removed', count(*) FROM t_empty HAVING count(*) > 0
