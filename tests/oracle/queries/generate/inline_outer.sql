-- title: inline_outer in the SELECT list
-- data: adversarial
-- covers: inline, explode_outer
SELECT id, inline_outer(items) AS (sku, qty)
FROM t_nested
