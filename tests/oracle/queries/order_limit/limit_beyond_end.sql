-- title: a limit larger than the table, over whole duplicate rows
-- data: adversarial
-- covers: order_by, limit
-- order: total
SELECT k, g
FROM t_right
ORDER BY k, g
LIMIT 1000
