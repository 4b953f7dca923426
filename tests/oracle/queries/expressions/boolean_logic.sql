-- title: comparisons chained by AND, OR and NOT over nullable columns in a WHERE
-- data: adversarial
-- covers: boolean_logic
SELECT id, k, v
FROM t_nulls
WHERE NOT (k > 1 AND v > 5)
  AND (g = 'a' OR v IS NULL OR NOT g <> 'b')
