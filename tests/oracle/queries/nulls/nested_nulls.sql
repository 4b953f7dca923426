-- title: NULL arrays, arrays of NULL and NULL fields in conditions
-- data: adversarial
-- covers: array, struct, map, is_null, boolean_logic
SELECT
  id,
  tags IS NULL AS no_tags,
  array_contains(nums, 1) AS has_one,
  point IS NULL AS no_point,
  point.x IS NULL AS no_x,
  attrs['x'] IS NULL AS no_attr
FROM t_nested
WHERE array_contains(tags, 'a') IS NULL OR point.x IS NULL OR attrs['x'] > 0
