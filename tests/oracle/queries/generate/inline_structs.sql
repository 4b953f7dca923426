-- title: inline turns an array of structs into columns; a NULL struct gives NULLs
-- data: adversarial
-- covers: inline, lateral_view, struct
SELECT id, sku, qty
FROM t_nested
LATERAL VIEW inline(items) i AS sku, qty
