-- title: all decimal types pass through a filter unchanged
-- data: adversarial
-- covers: projection, decimal_limits
SELECT *
FROM t_dec
WHERE id % 2 = 0 OR g IS NULL
