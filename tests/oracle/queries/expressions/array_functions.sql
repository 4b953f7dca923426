-- title: array_contains, array_distinct, array_position and set functions with NULL elements
-- data: adversarial
-- covers: array, array_functions
SELECT
  id,
  array_contains(tags, 'a') AS has_a,
  array_distinct(tags) AS distinct_tags,
  array_position(tags, 'b') AS b_at,
  array_remove(tags, 'a') AS without_a,
  array_union(tags, array('a', 'z')) AS united,
  array_intersect(tags, array('a', NULL)) AS common,
  array_except(tags, array('a')) AS rest,
  arrays_overlap(tags, array('c', NULL)) AS overlap,
  array_compact(tags) AS compact,
  array_join(tags, ',', '?') AS joined
FROM t_nested
