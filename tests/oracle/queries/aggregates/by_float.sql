-- title: grouping by DOUBLE: one group for all NaN, one for both zeros
-- data: adversarial
-- covers: group_by, group_by_float, float_special, count
SELECT x, count(*) AS row_count, min(id) AS first_id
FROM t_float
GROUP BY x
