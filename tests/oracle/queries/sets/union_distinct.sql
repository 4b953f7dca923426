-- title: UNION removes duplicates across and within branches; NULLs are equal
-- data: adversarial
-- covers: union
SELECT k, g FROM t_nulls
UNION
SELECT k, g FROM t_right
