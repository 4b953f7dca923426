-- title: COUNT(DISTINCT) skips NULLs, and rows of which one column is NULL
-- data: adversarial
-- covers: group_by, count_distinct
SELECT g, count(DISTINCT k) AS keys, count(DISTINCT k, v) AS pairs
FROM t_nulls
GROUP BY g
