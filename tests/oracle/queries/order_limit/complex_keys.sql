-- title: ordering by structs, arrays and booleans
-- data: adversarial
-- covers: order_by, struct, array
-- order: total
SELECT id, tags, point.x AS x
FROM t_nested
ORDER BY point, tags DESC, id IS NULL, id
