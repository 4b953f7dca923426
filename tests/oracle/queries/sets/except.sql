-- title: EXCEPT removes all copies, also of rows with NULLs
-- data: adversarial
-- covers: except
SELECT k, g FROM t_nulls
EXCEPT
SELECT k, g FROM t_right
