-- title: ORDER BY ALL
-- data: adversarial
-- covers: order_by
-- order: total
SELECT g, k, id, v
FROM t_nonull
ORDER BY ALL
