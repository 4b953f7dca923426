-- title: two LATERAL VIEWs: all pairs of tags and items of one row
-- data: adversarial
-- covers: explode, lateral_view, multiple_generators, struct
SELECT id, tag, item.sku AS sku, item.qty AS qty
FROM t_nested
LATERAL VIEW explode(tags) t AS tag
LATERAL VIEW OUTER explode(items) i AS item
