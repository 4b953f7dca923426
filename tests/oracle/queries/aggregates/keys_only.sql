-- title: GROUP BY without any aggregate is DISTINCT
-- data: adversarial
-- covers: group_by, distinct
SELECT g, v
FROM t_nulls
GROUP BY g, v
