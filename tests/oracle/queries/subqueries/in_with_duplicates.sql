-- title: IN against a list with duplicates and NULLs keeps each left row once
-- data: adversarial
-- covers: in_subquery, semi_join
SELECT id, k, g
FROM t_nulls
WHERE k IN (SELECT k FROM t_right)
