-- title: one column selected twice under one name, and grouped
-- data: adversarial
-- covers: duplicate_columns, group_by
SELECT k, k, count(*) AS k
FROM t_nonull
GROUP BY k
