-- title: NOT IN with NULLs in the list, inside OR: unknown OR true is true
-- data: adversarial
-- covers: not_in, existence_join
SELECT id, k, v
FROM t_nulls
WHERE k NOT IN (SELECT k FROM t_right WHERE k > 7 OR k IS NULL) OR v = 7
