-- title: an alias equal to a column name: GROUP BY and WHERE see the column
-- data: adversarial
-- covers: awkward_names, group_by, having
SELECT k % 3 AS k, max(v) AS v
FROM t_nonull
WHERE v > 0
GROUP BY t_nonull.k
HAVING max(t_nonull.v) > 5
