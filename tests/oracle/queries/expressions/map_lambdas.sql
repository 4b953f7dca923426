-- title: map_filter, transform_keys, transform_values and map_zip_with
-- data: adversarial
-- covers: map, map_functions, lambda
SELECT
  id,
  map_filter(attrs, (name, amount) -> amount > 1) AS large,
  transform_values(attrs, (name, amount) -> coalesce(amount, 0) + length(name)) AS changed,
  transform_keys(attrs, (name, amount) -> concat(name, '!')) AS renamed,
  map_zip_with(attrs, map('x', 10), (name, a, b) -> coalesce(a, 0) + coalesce(b, 0)) AS zipped
FROM t_nested
