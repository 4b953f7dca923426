-- title: lambdas that read columns of the row and nest in each other
-- data: adversarial
-- covers: lambda, array, struct
SELECT
  id,
  transform(nums, x -> x % 100 + id) AS shifted,
  filter(items, i -> i.qty = id OR i.sku = 's1') AS chosen,
  transform(nums, x -> size(filter(nums, y -> y < x))) AS ranks,
  exists(tags, t -> array_contains(map_keys(attrs), t)) AS tag_is_key
FROM t_nested
