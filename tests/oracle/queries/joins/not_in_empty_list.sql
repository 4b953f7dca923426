-- title: NOT IN against an empty list keeps even rows with NULL
-- data: adversarial
-- covers: not_in, anti_join, empty_input
SELECT id, k, g
FROM t_nulls
WHERE k NOT IN (SELECT k FROM t_empty)
