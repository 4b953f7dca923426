-- title: many small checks in one answer, each a different plan shape
-- data: adversarial
-- covers: union_all, not_exists, having, scalar_uncorrelated, count_distinct
SELECT 'null keys' AS check_name, count(*) AS failures FROM t_nulls WHERE k IS NULL
UNION ALL
SELECT 'orphans', count(*)
FROM t_nulls n
WHERE k IS NOT NULL AND NOT EXISTS (SELECT 1 FROM t_right r WHERE r.k = n.k)
UNION ALL
SELECT 'duplicates', count(*) FROM (SELECT id FROM t_nulls GROUP BY id HAVING count(*) > 1)
UNION ALL
SELECT 'missing values', (SELECT count(*) FROM t_nulls) - (SELECT count(v) FROM t_nulls)
UNION ALL
SELECT 'groups', count(DISTINCT g) FROM t_nulls
