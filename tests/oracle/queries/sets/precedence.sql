-- title: INTERSECT binds closer than UNION and EXCEPT
-- data: adversarial
-- covers: union, intersect, except
SELECT k FROM t_nulls
EXCEPT
SELECT k FROM t_skew
INTERSECT
SELECT k FROM t_nonull
UNION
SELECT id FROM t_right WHERE id > 18
