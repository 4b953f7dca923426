-- title: comparisons with a NULL literal keep nothing, IS NULL keeps the NULL rows
-- data: adversarial
-- covers: is_null, boolean_logic
SELECT id, k, g
FROM t_nulls
WHERE g IS NULL AND k IS NOT NULL AND NOT coalesce(v = NULL, false)
