-- title: ordering under a collation, with the bytes as tie breaker
-- data: adversarial
-- covers: order_by, collation
-- order: total
SELECT id, s
FROM t_str
ORDER BY s COLLATE UTF8_LCASE, s, id
