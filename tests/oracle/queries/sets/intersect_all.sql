-- title: INTERSECT ALL takes the smaller multiplicity
-- data: adversarial
-- covers: intersect_all
SELECT k, g FROM t_nulls
INTERSECT ALL
SELECT k, g FROM t_right
