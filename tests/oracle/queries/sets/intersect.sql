-- title: INTERSECT finds the NULL row in both tables
-- data: adversarial
-- covers: intersect
SELECT k, g FROM t_nulls
INTERSECT
SELECT k, g FROM t_right
