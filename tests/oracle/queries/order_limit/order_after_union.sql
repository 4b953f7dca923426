-- title: ORDER BY applies to the whole UNION
-- data: adversarial
-- covers: union_all, order_by, limit
-- order: total
SELECT id, g FROM t_nonull
UNION ALL
SELECT id, g FROM t_right
ORDER BY id, g
LIMIT 20
