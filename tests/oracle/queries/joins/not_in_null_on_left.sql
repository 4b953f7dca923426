-- title: NOT IN drops left rows with NULL although the list has no NULL
-- data: adversarial
-- covers: not_in, anti_join
SELECT id, k, g
FROM t_nulls
WHERE k NOT IN (SELECT k FROM t_nonull)
