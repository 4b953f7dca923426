-- title: a CTE that bears the name of a table, and an inner CTE that hides the outer one
-- data: adversarial
-- covers: cte, nested_cte
WITH t_nonull AS (SELECT k, g FROM t_right WHERE k IS NOT NULL)
SELECT 'outer' AS scope, k, g FROM t_nonull
UNION ALL
SELECT * FROM (
  WITH t_nonull AS (SELECT k, g FROM t_nulls WHERE k = 3)
  SELECT 'inner', k, g FROM t_nonull
)
