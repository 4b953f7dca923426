-- title: a field of an array of structs is an array; NULL structs give NULL elements
-- data: adversarial
-- covers: array, struct
SELECT
  id,
  items.sku AS skus,
  get(items.qty, 0) AS first_qty,
  get(items, 1).sku AS second_sku,
  array_contains(items.sku, 's1') AS has_s1,
  aggregate(items.qty, 0, (total, q) -> total + coalesce(q, 0)) AS pieces,
  inline_count.n AS item_count
FROM t_nested
LEFT JOIN LATERAL (SELECT size(items) AS n) inline_count
